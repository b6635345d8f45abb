/* Judges exact counts. Any difference is real, so there is nothing to test. */
#include <math.h>

#include "verdict_rule.h"

/* Returns whether b is beyond what the budget allows. */
static bool is_beyond(const struct tch_verdict_row *row)
{
    const struct tch_budget *budget = &row->budget;
    double a = row->a[0];
    double b = row->b[0];

    if (row->ask == TCH_ASK_MAX)
        return budget->higher ? b < budget->max : b > budget->max;
    /* Counts are whole numbers, so half of one is more than rounding and less than a change. */
    return budget->higher ? b < a * (1 - budget->tolerance) - 0.5 / (1 + a)
                          : b > a * (1 + budget->tolerance) + 0.5 / (1 + a);
}

void tch_row_judge_exact(struct tch_verdict_row *row)
{
    bool is_max = row->ask == TCH_ASK_MAX;
    double from = is_max ? row->budget.max : row->a[0];
    double b = row->b[0];

    row->has_ratio = from > 0;
    row->ratio = (struct tch_ratio){.estimate = b / from,
                                    .low = b / from,
                                    .high = b / from,
                                    .least = b / from,
                                    .most = b / from,
                                    .effect = b > from   ? 1
                                              : b < from ? 0
                                                         : 0.5,
                                    .exact = true};
    row->p = row->p_adjusted = row->p_worse = 1;
    if (row->ask != TCH_ASK_NOTHING)
        row->verdict = is_beyond(row) ? TCH_FAIL : TCH_PASS;
    if (row->ask == TCH_ASK_NOTHING ? b != from : row->verdict == TCH_FAIL)
        row->p = row->p_adjusted = row->p_worse = 0;
}
