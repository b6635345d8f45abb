/* Decides whether fresh runs have to confirm a row: verdict_rule.h. */
#include "kit/stats/sight.h"
#include "verdict_rule.h"

bool tch_row_is_suspect(const struct tch_verdict_row *row, double alpha)
{
    bool worse = row->verdict == TCH_WARN && row->p_worse <= alpha;

    /* Another run does not help a row that was not measured at all, and an exact count needs none.
     */
    if (row->b_count == 0 || row->exact || row->ask == TCH_ASK_NOTHING)
        return false;
    if (row->verdict == TCH_FAIL)
        return true;
    return row->paired && row->ask == TCH_ASK_RATIO && row->verdict != TCH_PASS &&
           (worse || row->p <= TCH_SIGHT_SCREEN);
}
