/* The ratio of two samples by rank statistics of their logarithms. */
#include "ratio.h"

#include <math.h>
#include <stdint.h>

#include "base/error.h"
#include "order.h"
#include "rank.h"

/*
 * All sums x[i] + y[j], or, where y is NULL, the Walsh averages' sums x[i] + x[j] with i <= j.
 * There are n^2 of them; they are counted, never stored. x and y are sorted.
 */
struct sums {
    const double *x;
    size_t m;
    const double *y;
    size_t n;
};

/* How many are <= limit. Rounded addition is monotone, so the two fingers never turn back. */
static double count_cross(const struct sums *s, double limit)
{
    double count = 0;
    size_t j = s->n;

    for (size_t i = 0; i < s->m; i++) {
        while (j > 0 && s->x[i] + s->y[j - 1] > limit)
            j--;
        count += (double)j;
    }
    return count;
}

static double count_walsh(const struct sums *s, double limit)
{
    double count = 0;
    size_t j = s->m;

    for (size_t i = 0; i < j; i++) {
        while (j > i && s->x[i] + s->x[j - 1] > limit)
            j--;
        count += (double)(j - i);
    }
    return count;
}

static double count_sums(const struct sums *s, double limit)
{
    return s->y ? count_cross(s, limit) : count_walsh(s, limit);
}

/* Doubles in order as whole numbers in order, and back. */
static int64_t to_ordered(double x)
{
    int64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits >= 0 ? bits : INT64_MIN - bits;
}

static double from_ordered(int64_t bits)
{
    double x;

    if (bits < 0)
        bits = INT64_MIN - bits;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The k-th smallest sum, k from 1: the smallest double that k of them do not pass, found by
   halving what is between the least and the largest. */
static double kth_sum(const struct sums *s, double k)
{
    double last = s->y ? s->y[s->n - 1] : s->x[s->m - 1];
    double first = s->y ? s->y[0] : s->x[0];
    int64_t low = to_ordered(s->x[0] + first);
    int64_t high = to_ordered(s->x[s->m - 1] + last);

    while (low < high) {
        int64_t middle = (low & high) + ((low ^ high) >> 1); /* floor of the mean, no overflow */

        if (count_sums(s, from_ordered(middle)) >= k)
            high = middle;
        else
            low = middle + 1;
    }
    return from_ordered(low);
}

static double median_sum(const struct sums *s, double count)
{
    double half = floor(count / 2);

    if (count - 2 * half > 0)
        return kth_sum(s, half + 1);
    return kth_sum(s, half) / 2 + kth_sum(s, half + 1) / 2;
}

/* Estimate and interval of the sums; each is `scale` times the logarithm of a ratio. */
static void set_interval(const struct sums *s, const struct tch_rank_null *null, double alpha,
                         double scale, struct tch_ratio *ret)
{
    double count = null->largest;
    size_t k = tch_rank_null_cut(null, alpha, &ret->level);

    ret->estimate = exp(median_sum(s, count) / scale);
    ret->low = k > 0 ? exp(kth_sum(s, (double)k) / scale) : 0;
    ret->high = k > 0 ? exp(kth_sum(s, count + 1 - (double)k) / scale) : INFINITY;
}

static int check(const double *x, size_t n, const char *name, tacho_error *err)
{
    if (n == 0)
        return tch_fail(err, TACHO_EINVAL, 0, "%s has no values to compare", name);
    for (size_t i = 0; i < n; i++)
        if (!(x[i] > 0 && x[i] < INFINITY))
            return tch_fail(err, TACHO_EINVAL, 0,
                            "value %zu of %s is %g: a ratio needs "
                            "positive numbers",
                            i + 1, name, x[i]);
    return 0;
}

static int check_call(double alpha, double bound, tacho_error *err)
{
    if (!(alpha > 0 && alpha < 1))
        return tch_fail(err, TACHO_EINVAL, 0, "alpha %g is not between 0 and 1", alpha);
    if (!(bound > 0 && bound < INFINITY))
        return tch_fail(err, TACHO_EINVAL, 0, "bound %g is not a positive ratio", bound);
    return 0;
}

static double two_sided(const struct tch_rank_tails *t)
{
    double p = 2 * (t->above < t->below ? t->above : t->below);

    return p < 1 ? p : 1;
}

static void set_p(struct tch_ratio *ret, const struct tch_rank_tails *one,
                  const struct tch_rank_tails *bound)
{
    ret->p = two_sided(one);
    ret->p_above = bound->above;
    ret->p_below = bound->below;
    ret->exact = one->exact && bound->exact;
}

/* d: n logarithms of ratios, `shifted` has room for as many. */
static int paired(double *d, double *shifted, size_t n, double alpha, double bound,
                  struct tch_ratio *ret, tacho_error *err)
{
    struct sums sums = {.x = d, .m = n};
    struct tch_rank_null null;
    struct tch_rank_tails one;
    struct tch_rank_tails at;
    double above = 0;

    tch_sort(d, n);
    for (size_t i = 0; i < n; i++) {
        shifted[i] = d[i] - log(bound);
        above += d[i] > 0 ? 1 : d[i] < 0 ? 0 : 0.5;
    }
    if (tch_signed_rank_test(d, n, &one, err) < 0 || tch_signed_rank_null(&null, n, err) < 0)
        return TACHO_ENOMEM;
    at = one;
    if (bound != 1 && tch_signed_rank_test(shifted, n, &at, err) < 0) {
        tch_rank_null_release(&null);
        return TACHO_ENOMEM;
    }
    set_p(ret, &one, &at);
    set_interval(&sums, &null, alpha, 2, ret);
    ret->p_least = tch_signed_rank_least(n);
    ret->effect = above / (double)n;
    tch_rank_null_release(&null);
    return 0;
}

int tch_ratio_paired(const double *a, const double *b, size_t n, double alpha, double bound,
                     struct tch_ratio *ret, tacho_error *err)
{
    struct tch_ratio ratio = {0};
    double *d;
    int status;

    if ((status = check_call(alpha, bound, err)) < 0 || (status = check(a, n, "a", err)) < 0 ||
        (status = check(b, n, "b", err)) < 0)
        return status;
    d = calloc(2 * n, sizeof *d);
    if (!d)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory comparing %zu pairs", n);
    for (size_t i = 0; i < n; i++)
        d[i] = log(b[i]) - log(a[i]);
    status = paired(d, d + n, n, alpha, bound, &ratio, err);
    if (status == 0)
        *ret = ratio;
    free(d);
    return status;
}

/* x: the negated logarithms of a, y: those of b, both sorted; x has room for m more, y for n. */
static int unpaired(double *x, size_t m, double *y, size_t n, double alpha, double bound,
                    struct tch_ratio *ret, tacho_error *err)
{
    struct sums sums = {.x = x, .m = m, .y = y, .n = n};
    struct tch_rank_null null;
    struct tch_rank_tails one;
    struct tch_rank_tails at;
    double *a = x + m;
    double *moved = y + n;

    for (size_t i = 0; i < m; i++)
        a[i] = -x[i];
    for (size_t j = 0; j < n; j++)
        moved[j] = y[j] - log(bound);
    if (tch_rank_sum_test(a, m, y, n, &one, err) < 0 || tch_rank_sum_null(&null, m, n, err) < 0)
        return TACHO_ENOMEM;
    at = one;
    if (bound != 1 && tch_rank_sum_test(a, m, moved, n, &at, err) < 0) {
        tch_rank_null_release(&null);
        return TACHO_ENOMEM;
    }
    set_p(ret, &one, &at);
    set_interval(&sums, &null, alpha, 1, ret);
    ret->p_least = tch_rank_sum_least(m, n);
    /* Half of those that are 0 count: neither below nor above. */
    ret->effect = 1 - (count_sums(&sums, 0) + count_sums(&sums, -0x1p-1074)) / (2 * null.largest);
    tch_rank_null_release(&null);
    return 0;
}

int tch_ratio_unpaired(const double *a, size_t m, const double *b, size_t n, double alpha,
                       double bound, struct tch_ratio *ret, tacho_error *err)
{
    struct tch_ratio ratio = {0};
    double *x;
    double *y;
    int status;

    if ((status = check_call(alpha, bound, err)) < 0 || (status = check(a, m, "a", err)) < 0 ||
        (status = check(b, n, "b", err)) < 0)
        return status;
    x = calloc(2 * (m + n), sizeof *x);
    if (!x)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory comparing %zu values", m + n);
    y = x + 2 * m;
    for (size_t i = 0; i < m; i++)
        x[i] = -log(a[i]);
    for (size_t j = 0; j < n; j++)
        y[j] = log(b[j]);
    tch_sort(x, m);
    tch_sort(y, n);
    status = unpaired(x, m, y, n, alpha, bound, &ratio, err);
    if (status == 0)
        *ret = ratio;
    free(x);
    return status;
}
