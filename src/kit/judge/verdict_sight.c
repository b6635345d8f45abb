/*
 * Computes the smallest change that a row would have seen: verdict_rule.h.
 *
 * The standard error s of a row is half the width of its interval, divided by the quantile of the
 * interval's level. A change is a FAIL if the estimate of its logarithm exceeds that of the bound
 * by s times the quantile of the level of a FAIL. Nine of ten reports therefore FAIL if the
 * logarithm of the change is at least
 *
 *     c = log(bound) + (q(level) + q(0.1)) s
 *
 * The quantiles q are those of the normal distribution for pairs, and of Student's t with 4 degrees
 * of freedom for two sessions. The estimate also has to reach the minimum effect.
 */
#include <math.h>

#include "kit/stats/rank_null.h"
#include "kit/stats/rank_test.h"
#include "kit/stats/session.h"
#include "verdict_rule.h"

static const double missed = 0.1;

static double cut_of(const struct tch_verdict_row *row, double level)
{
    return row->paired ? tch_normal_cut(level) : tch_t4_cut(level);
}

void tch_row_find_sight(struct tch_verdict_row *row, const struct tch_ratio *worse,
                        double interval_alpha, double level)
{
    const struct tch_budget *budget = &row->budget;
    bool open = row->verdict == TCH_PASS || row->verdict == TCH_INCONCLUSIVE;
    bool alone = !row->analyses || (row->analyses->at == 0 && tch_analyses_last(row->analyses));
    double error;
    double from;

    row->sees = NAN;
    if (!open || worse->level == 0 || !(worse->low > 0) || !isfinite(worse->high))
        return;
    if (!alone)
        level = tch_spending_level(row->analyses->share, row->analyses->at, level);
    if (worse->p_least > level)
        return; /* so few pairs can never FAIL */
    error = log(worse->high / worse->low) / 2 / cut_of(row, interval_alpha / 2);
    from = log(tch_budget_worse(budget, budget->tolerance)) + cut_of(row, level) * error;
    from = fmax(from, log(tch_budget_worse(budget, budget->min_effect)));
    from = exp(from + cut_of(row, missed) * error);
    row->sees = (budget->higher ? 1 / from : from) - 1;
}
