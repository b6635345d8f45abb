/*
 * The smallest change that a row would have seen: verdict_rule.h.
 *
 * The interval of a row shows its standard error s: half its width by the cut of its level. A
 * change of log size c is a FAIL when the estimate lies above the bound by the cut of the level of
 * a FAIL times s, so in nine of ten reports it is one from
 *
 *     c = log(bound) + (cut(level) + cut(0.1)) s
 *
 * on. The cuts are of the normal distribution for pairs, of Student's t with 4 degrees of freedom
 * for two sessions. The estimate has to reach the minimum effect, too.
 */
#include <math.h>

#include "kit/stats/rank.h"
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
    bool alone = !row->looks || (row->looks->at == 0 && tch_looks_last(row->looks));
    double error;
    double from;

    row->sees = NAN;
    if (!open || worse->level == 0 || !(worse->low > 0) || !isfinite(worse->high))
        return;
    if (!alone)
        level = tch_spending_level(row->looks->share, row->looks->at, level);
    if (worse->p_least > level)
        return; /* so few pairs never FAIL */
    error = log(worse->high / worse->low) / 2 / cut_of(row, interval_alpha / 2);
    from = log(tch_budget_worse(budget, budget->tolerance)) + cut_of(row, level) * error;
    from = fmax(from, log(tch_budget_worse(budget, budget->min_effect)));
    from = exp(from + cut_of(row, missed) * error);
    row->sees = (budget->higher ? 1 / from : from) - 1;
}
