/* Maxima of a quantile. */
#include "verdict_max.h"

#include <math.h>
#include <stdio.h>

#include "kit/stats/order_stats.h"

uint64_t tch_runs_to_settle(size_t n, double estimate, double end, double bound)
{
    double have = fabs(log(end) - log(estimate));
    double want = fabs(log(bound) - log(estimate));
    double runs = ceil((double)n * (have / want) * (have / want));

    if (!(runs > (double)n))
        runs = (double)n + 1; /* it is the correction for many rows that is in the way */
    return runs <= TCH_SETTLE_MOST ? (uint64_t)runs : 0;
}

/* P(at least k of n), each with chance p. */
static double at_least(size_t n, double p, size_t k)
{
    double sum = 0;
    int sign;

    if (k == 0)
        return 1;
    for (size_t i = n + 1; i-- > k;)
        sum += exp(lgamma_r((double)n + 1, &sign) - lgamma_r((double)i + 1, &sign) -
                   lgamma_r((double)(n - i) + 1, &sign) + (double)i * log(p) +
                   (double)(n - i) * log1p(-p));
    return fmin(1, sum);
}

/* The quantile of b against its maximum, by how many values are beyond it: nothing is assumed of
   how they are distributed. The ratio is that of the quantile to the maximum. */
int tch_ask_max(struct tch_verdict_row *row, double alpha, double *y, size_t n)
{
    const struct tch_budget *budget = &row->budget;
    double q = budget->higher ? 1 - budget->quantile : budget->quantile;
    struct tch_rank_interval places;
    size_t beyond = 0;

    for (size_t i = 0; i < n; i++)
        beyond += budget->higher ? y[i] < budget->max : y[i] > budget->max;
    tch_sort(y, n);
    row->b_median = q == 0.5 ? row->b_median : tch_quantile_nearest(y, n, q);
    row->p = at_least(n, 1 - budget->quantile, beyond);
    row->ratio = (struct tch_ratio){.estimate = row->b_median / budget->max,
                                    .high = INFINITY,
                                    .effect = (double)beyond / (double)n,
                                    .exact = true,
                                    .p_least = pow(1 - budget->quantile, (double)n)};
    if (tch_quantile_interval(n, q, alpha, &places, NULL) == 0) {
        row->ratio.low = y[places.low] / budget->max;
        row->ratio.high = y[places.high] / budget->max;
        row->ratio.level = places.level;
    }
    row->has_ratio = true;
    return 0;
}

/* The fewest runs that have an interval of the quantile: p95 needs 72. */
static uint64_t runs_for_quantile(const struct tch_verdict_row *row, double alpha)
{
    struct tch_rank_interval places;
    size_t n = row->b_count;

    while (n < TCH_SETTLE_MOST &&
           tch_quantile_interval(n, row->budget.quantile, alpha, &places, NULL) < 0)
        n++;
    return n;
}

void tch_decide_max(struct tch_verdict_row *row, double alpha)
{
    bool higher = row->budget.higher;
    bool kept = higher ? row->ratio.low >= 1 : row->ratio.high <= 1;

    if (row->p_adjusted <= alpha) {
        row->verdict = TCH_FAIL;
    } else if (row->ratio.level == 0) {
        row->verdict = TCH_INCONCLUSIVE;
        row->settle = runs_for_quantile(row, alpha);
        snprintf(row->why, sizeof row->why, "too few runs for an interval of this quantile");
    } else if (kept) {
        row->verdict = TCH_PASS;
    } else {
        row->verdict = TCH_INCONCLUSIVE;
        row->settle =
            tch_runs_to_settle(row->b_count, row->ratio.estimate,
                               row->ratio.estimate > 1 ? row->ratio.low : row->ratio.high, 1);
    }
}
