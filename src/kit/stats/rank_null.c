/*
 * Computes the null distribution of the rank-sum test without ties (H. B. Mann and D. R. Whitney,
 * 1947). The counts are coefficients of the Gaussian binomial. They equal the numbers of Mann and
 * Whitney's recurrence but need one array instead of a table.
 */
#include "rank_null.h"

#include <math.h>

#include "base/fail.h"

double tch_normal_above(double z)
{
    return erfc(z / sqrt(2)) / 2;
}

double tch_normal_cut(double p)
{
    double low = -40;
    double high = 40;

    for (int i = 0; i < 100; i++) {
        double middle = low + (high - low) / 2;

        if (tch_normal_above(middle) > p)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}

static void accumulate(struct tch_rank_null *null)
{
    for (size_t t = 1; t <= null->last; t++)
        null->below[t] += null->below[t - 1];
}

/* Computes the coefficients of prod (1 - q^(n+i)) / (1 - q^i), i = 1 to m. On the lower half no
   step loses a coefficient that the next one needs. All are whole numbers up to (m + n over m) <
   1e308. */
int tch_rank_sum_null(struct tch_rank_null *null, size_t m, size_t n, tacho_error *err)
{
    double both = (double)m * (double)n;
    double total = 1;
    double *c;

    *null = (struct tch_rank_null){.largest = both, .sd = sqrt(both * (double)(m + n + 1) / 12)};
    if (m + n > TCH_RANK_EXACT)
        return 0;
    if (m > n) {
        size_t t = m;

        m = n;
        n = t;
    }
    null->last = m * n / 2;
    c = null->below = calloc(null->last + 1, sizeof *c);
    if (!c)
        return tch_fail_memory(err);
    c[0] = 1;
    for (size_t i = 1; i <= m; i++) {
        for (size_t s = null->last; s >= n + i; s--)
            c[s] -= c[s - n - i];
        for (size_t s = i; s <= null->last; s++)
            c[s] += c[s - i];
        total *= (double)(n + i) / (double)i;
    }
    for (size_t s = 0; s <= null->last; s++)
        c[s] /= total;
    accumulate(null);
    return 0;
}

void tch_rank_null_release(struct tch_rank_null *null)
{
    free(null->below);
    null->below = NULL;
}

double tch_rank_null_above(const struct tch_rank_null *null, double t)
{
    if (!null->below)
        return null->sd > 0 ? tch_normal_above((t - 0.5 - null->largest / 2) / null->sd) : 1;
    if (t <= 0)
        return 1;
    if (t > null->largest)
        return 0;
    if (null->largest - t <= (double)null->last) /* T and its mirror image are equally likely */
        return null->below[(size_t)(null->largest - t)];
    return 1 - null->below[(size_t)t - 1];
}

size_t tch_rank_null_cut(const struct tch_rank_null *null, double alpha, double *level)
{
    size_t k = 0;

    if (!null->below) {
        double cut = floor(null->largest / 2 + 0.5 - tch_normal_cut(alpha / 2) * null->sd);

        *level = 1 - alpha;
        return cut > 0 ? (size_t)cut : 0;
    }
    while (k < null->last && 2 * null->below[k] <= alpha)
        k++;
    *level = k > 0 ? 1 - 2 * null->below[k - 1] : 0;
    return k;
}

double tch_rank_sum_least(size_t m, size_t n)
{
    double p = 1;

    for (size_t i = 1; i <= m; i++)
        p *= (double)i / (double)(n + i);
    return p;
}
