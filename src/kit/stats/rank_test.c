/*
 * Implements the rank-sum test given the ties of the data, and the correction for several p-values.
 *
 * Tied values share the mean of their ranks, as F. Wilcoxon (1945) proposed. The exact distribution
 * given the ties comes from the shift algorithm of B. Streitberg and J. Roehmel (1986). The
 * correction is the step-down procedure of S. Holm (1979).
 */
#include <math.h>

#include "base/fail.h"
#include "rank_null.h"
#include "rank_test.h"

/* Limit of the additions for one exact distribution: about a tenth of a second. */
static const double exact_work = 1e8;

/* A value and the sample it comes from. */
struct item {
    double value;
    bool counts;  /* its rank is part of the sum */
    size_t rank2; /* twice its rank, so that the mean of tied ranks stays whole */
};

static int by_value(const void *a, const void *b)
{
    const struct item *x = a;
    const struct item *y = b;

    return (x->value > y->value) - (x->value < y->value);
}

/* Assigns ranks, and their mean to tied values. Returns whether there were ties. */
static bool rank_items(struct item *items, size_t n)
{
    bool tied = false;

    qsort(items, n, sizeof *items, by_value);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && items[end].value <= items[i].value; end++)
            tied = true;
        for (size_t j = i; j < end; j++)
            items[j].rank2 = i + 1 + end;
    }
    return tied;
}

/* Computes both tails of a statistic in doubled ranks by the normal approximation. */
static void tails_by_normal(double t, double mean, double sd, struct tch_rank_tails *ret)
{
    ret->exact = false;
    ret->above = sd > 0 ? tch_normal_above((t - 1 - mean) / sd) : 1;
    ret->below = sd > 0 ? tch_normal_above((mean - t - 1) / sd) : 1;
}

/* Returns in how many ways k of all ranks can be drawn. */
static double all_draws(size_t all, size_t k)
{
    double ways = 1;

    for (size_t i = 1; i <= k; i++)
        ways *= (double)(all - k + i) / (double)i;
    return ways;
}

/*
 * Sets ways[d][s] to the number of ways to draw d ranks with the sum s. Goes through the ranks from
 * the smallest; each is drawn or not. Skips the sums that can no longer end at `last` or below,
 * which are most of them. sum[i] is the sum of the i smallest ranks, doubled and counted from 0.
 * `flip` counts ranks from the other end.
 */
static void count_draws(double *ways, size_t *sum, const struct item *items, size_t all, size_t k,
                        bool flip, size_t last)
{
    size_t width = last + 1;

    sum[0] = 0;
    for (size_t i = 0; i < all; i++)
        sum[i + 1] = sum[i] + (flip ? 2 * all - items[all - 1 - i].rank2 : items[i].rank2 - 2);
    ways[0] = 1;
    for (size_t i = 0; i < all; i++) {
        size_t r = sum[i + 1] - sum[i];
        size_t fewest =
            k > all - i ? k - (all - i) : 0; /* with fewer, k can no longer be reached */

        for (size_t d = (i < k ? i + 1 : k); d-- > fewest;) {
            size_t rest =
                sum[i + k - d] - sum[i]; /* this rank and the smallest ones that must follow */
            size_t high = sum[i] - sum[i - d]; /* the largest sum of d ranks so far */
            const double *from = ways + d * width;
            double *to = ways + (d + 1) * width + r;

            if (rest > last)
                continue;
            if (high > last - rest)
                high = last - rest;
            for (size_t s = sum[d]; s <= high; s++)
                to[s] += from[s];
        }
    }
}

/* Computes P(sum < last) and P(sum = last). Returns 0 or TACHO_ENOMEM. */
static int draws_below(const struct item *items, size_t all, size_t k, bool flip, size_t last,
                       double *less, double *same)
{
    double *ways = calloc((k + 1) * (last + 1), sizeof *ways);
    size_t *sum = malloc((all + 1) * sizeof *sum);
    double total = all_draws(all, k);
    int status = ways && sum ? 0 : TACHO_ENOMEM;

    *less = 0;
    if (status == 0) {
        const double *end = ways + k * (last + 1);

        count_draws(ways, sum, items, all, k, flip, last);
        for (size_t s = 0; s < last; s++)
            *less += end[s];
        *less /= total;
        *same = end[last] / total;
    }
    free(ways);
    free(sum);
    return status;
}

/* Computes both tails with ties. w2: sum of the doubled ranks, from 0, of the k items that
   count. */
static int drawn_tails(const struct item *items, size_t all, size_t k, size_t w2,
                       struct tch_rank_tails *ret, tacho_error *err)
{
    size_t mirror = k * (2 * all - 2) - w2;
    bool flip = mirror < w2;
    double less;
    double same;
    double at_most;

    if (draws_below(items, all, k, flip, flip ? mirror : w2, &less, &same) < 0)
        return tch_fail_memory(err);
    at_most = fmin(1, less + same);
    ret->exact = true;
    ret->below = flip ? 1 - less : at_most;
    ret->above = flip ? at_most : 1 - less;
    return 0;
}

/* Computes both tails without ties, where the distribution of U is known directly. */
static int untied_tails(size_t m, size_t n, double u, const struct tch_rank_null *known,
                        struct tch_rank_tails *ret, tacho_error *err)
{
    struct tch_rank_null own = {0};
    const struct tch_rank_null *null = known ? known : &own;

    if (!known && tch_rank_sum_null(&own, m, n, err) < 0)
        return TACHO_ENOMEM;
    ret->exact = null->below != NULL;
    ret->above = tch_rank_null_above(null, u);
    ret->below = tch_rank_null_above(null, (double)m * (double)n - u);
    tch_rank_null_release(&own);
    return 0;
}

static int sum_tails(struct item *items, size_t m, size_t n, const struct tch_rank_null *untied,
                     struct tch_rank_tails *ret, tacho_error *err)
{
    size_t all = m + n;
    bool tied = rank_items(items, all);
    size_t w2 = 0; /* sum of b's doubled ranks, from 0 */
    double squares = 0;
    double work;

    for (size_t i = 0; i < all; i++) {
        double off = (double)items[i].rank2 - (double)(all + 1);

        w2 += items[i].counts ? items[i].rank2 - 2 : 0;
        squares += off * off;
    }
    if (!tied)
        return untied_tails(m, n, ((double)w2 - (double)n * (double)(n - 1)) / 2, untied, ret, err);
    work = (double)all * (double)n * (double)w2;
    if (work <= exact_work)
        return drawn_tails(items, all, n, w2, ret, err);
    tails_by_normal((double)w2, (double)n * (double)(all - 1),
                    sqrt(squares / (double)all * (double)m * (double)n / (double)(all - 1)), ret);
    return 0;
}

int tch_rank_sum_test(const double *a, size_t m, const double *b, size_t n,
                      const struct tch_rank_null *untied, struct tch_rank_tails *ret,
                      tacho_error *err)
{
    struct item *items = calloc(m + n + 1, sizeof *items);
    int status;

    if (!items)
        return tch_fail_memory(err);
    for (size_t i = 0; i < m; i++)
        items[i].value = a[i];
    for (size_t j = 0; j < n; j++)
        items[m + j] = (struct item){.value = b[j], .counts = true};
    status = sum_tails(items, m, n, untied, ret, err);
    free(items);
    return status;
}

int tch_adjust_holm(const double *p, size_t n, double *adjusted, tacho_error *err)
{
    struct item *items;
    double least = 0;

    for (size_t i = 0; i < n; i++)
        if (!(p[i] >= 0 && p[i] <= 1))
            return tch_fail(err, TACHO_EINVAL, 0, "p-value %zu is not between 0 and 1", i + 1);
    items = calloc(n > 0 ? n : 1, sizeof *items);
    if (!items)
        return tch_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        items[i] = (struct item){.value = p[i], .rank2 = i};
    qsort(items, n, sizeof *items, by_value);
    for (size_t i = 0; i < n; i++) {
        double q = items[i].value * (double)(n - i);

        least = q > least ? q : least; /* an adjusted p is never below an earlier one */
        adjusted[items[i].rank2] = least < 1 ? least : 1;
    }
    free(items);
    return 0;
}

/* At level alpha each of K groups gets alpha / K. Sort the groups by their largest p. The first j
   groups are rejected whole if the largest p of each is within its share; the other groups then
   share alpha / (K - j). The adjusted p is the smallest level that rejects p: the minimum of
   max(level that rejects the first j groups, p (K - j)) over all j up to the position of its own
   group. */
int tch_adjust_holm_groups(const double *p, const uint32_t *group, size_t n, double *adjusted,
                           tacho_error *err)
{
    size_t groups = n > 0 ? group[n - 1] + (size_t)1 : 0;
    struct item *items = calloc(groups + 1, sizeof *items);
    size_t *place = calloc(groups + 1, sizeof *place);
    int status = TACHO_ENOMEM;
    double least = 0;

    if (!items || !place) {
        (void)tch_fail_memory(err);
        goto out;
    }
    for (size_t i = 0; i < n; i++) {
        struct item *item = &items[group[i]];

        item->rank2 = group[i];
        item->value = p[i] > item->value ? p[i] : item->value;
    }
    qsort(items, groups, sizeof *items, by_value);
    for (size_t r = 0; r < groups; r++) {
        place[items[r].rank2] = r;
        least = fmax(least, items[r].value * (double)(groups - r));
        items[r].value = least; /* level that rejects the groups up to this one */
    }
    for (size_t i = 0; i < n; i++) {
        double own = p[i] * (double)groups;

        for (size_t j = 1; j <= place[group[i]]; j++)
            own = fmin(own, fmax(items[j - 1].value, p[i] * (double)(groups - j)));
        adjusted[i] = fmin(1, own);
    }
    status = 0;
out:
    free(items);
    free(place);
    return status;
}
