/* Judges maxima of a quantile by the sign test. How many values are beyond the maximum is binomial,
   whatever their distribution. Inverting this test gives the interval of W. R. Thompson (1936).
   Runs that depend on each other count as the number of independent runs that they are worth
   (kit/stats/dependence.h). Assumption: each depends on the run before, if at all. */
#include <math.h>
#include <stdio.h>

#include "kit/stats/dependence.h"
#include "kit/stats/session.h"
#include "verdict_rule.h"

/* Returns P(at least k of n), each with probability p. */
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

/* Returns the p of the sign test. Of dependent runs, as many as they are worth are tested, with the
   same share beyond the maximum, both rounded in favour of the program. */
static double p_of(size_t n, double rho, double p, size_t beyond)
{
    double worth = 1 / tch_session_inflation(rho);

    return at_least((size_t)ceil((double)n * worth), p, (size_t)floor((double)beyond * worth));
}

void tch_row_ask_max(struct tch_verdict_row *row, double alpha, double *y, size_t n, double *room)
{
    const struct tch_budget *budget = &row->budget;
    double q = budget->higher ? 1 - budget->quantile : budget->quantile;
    struct tch_rank_interval places;
    size_t beyond = 0;

    row->rho = tch_dependence(y, n, room);
    for (size_t i = 0; i < n; i++)
        beyond += budget->higher ? y[i] < budget->max : y[i] > budget->max;
    tch_sort(y, n);
    row->b_median = q == 0.5 ? row->b_median : tch_quantile_nearest(y, n, q);
    row->p = p_of(n, row->rho, 1 - budget->quantile, beyond);
    row->ratio = (struct tch_ratio){.estimate = row->b_median / budget->max,
                                    .high = INFINITY,
                                    .effect = (double)beyond / (double)n,
                                    .exact = true,
                                    .p_least = p_of(n, row->rho, 1 - budget->quantile, n)};
    if (tch_dependent_interval(n, q, alpha, row->rho, &places, NULL) == 0) {
        row->ratio.low = y[places.low] / budget->max;
        row->ratio.high = y[places.high] / budget->max;
        row->ratio.level = places.level;
    }
    row->has_ratio = true;
}

/* Returns the smallest number of runs that have an interval of the quantile: p95 needs 72. */
static uint64_t runs_for_quantile(const struct tch_verdict_row *row, double alpha)
{
    struct tch_rank_interval places;
    size_t n = row->b_count;

    while (n < TCH_RUNS_ADVISED_MOST &&
           tch_dependent_interval(n, row->budget.quantile, alpha, row->rho, &places, NULL) < 0)
        n++;
    return n;
}

void tch_row_decide_max(struct tch_verdict_row *row, double alpha, size_t family)
{
    double level = alpha / (double)family;
    bool higher = row->budget.higher;
    bool kept = higher ? row->ratio.low >= 1 : row->ratio.high <= 1;

    if (row->p_adjusted <= alpha) {
        const char *assumed = tch_dependence_assumed(row->b_count, row->rho);

        row->verdict = TCH_FAIL;
        if (assumed)
            snprintf(row->why, sizeof row->why, "assumes %s", assumed);
    } else if (row->ratio.level == 0) {
        row->verdict = TCH_INCONCLUSIVE;
        row->advised = runs_for_quantile(row, alpha);
        snprintf(row->why, sizeof row->why, "too few runs for an interval of this quantile");
    } else {
        row->verdict = kept ? TCH_PASS : TCH_INCONCLUSIVE;
        if (!kept && row->ratio.p_least > level) /* not enough even if all runs are beyond */
            row->advised = (uint64_t)ceil(log(level) / log(1 - row->budget.quantile));
    }
}
