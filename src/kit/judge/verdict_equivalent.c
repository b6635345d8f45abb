/*
 * Equivalence: judges whether b is neither above nor below a by more than the tolerance.
 *
 * Method: two one-sided tests (D. J. Schuirmann, 1987). Such a row is judged as two rows, one where
 * less is better and one where more is. Both belong to the family whose p-values are corrected
 * together, so a FAIL in either direction counts towards the report's alpha. The answers are then
 * joined: PASS if both PASS, FAIL if one FAILs, otherwise INCONCLUSIVE.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "verdict_rule.h"

static bool is_equivalence(const struct tch_verdict_row *row)
{
    return row->ask == TCH_ASK_RATIO && row->budget.equivalent;
}

/* Splits a row in two. The bounds of b / a are 1 / (1 + tolerance) and 1 + tolerance, whichever
   direction is better. The minimum effect does not widen them. */
static void split(const struct tch_verdict_row *row, struct tch_verdict_row *up,
                  struct tch_verdict_row *down)
{
    double tolerance = row->budget.tolerance;

    *up = *down = *row;
    up->budget.higher = false;
    down->budget.higher = true;
    down->budget.tolerance = tolerance / (1 + tolerance);
    up->budget.min_effect = down->budget.min_effect = 0;
}

static void join(struct tch_verdict_row *row, const struct tch_verdict_row *up,
                 const struct tch_verdict_row *down)
{
    struct tch_budget budget = row->budget;

    *row = up->verdict >= down->verdict ? *up : *down;
    row->budget = budget;
    row->ratio = up->ratio;
    row->p = fmin(1, 2 * fmin(up->p, down->p));
    row->p_adjusted = fmin(up->p_adjusted, down->p_adjusted);
    row->p_worse = budget.higher ? down->p_worse : up->p_worse;
    if (row->verdict == TCH_WARN && !row->doubtful) {
        row->verdict = TCH_INCONCLUSIVE;
        snprintf(row->why, sizeof row->why, "B differs from A, perhaps by less than is allowed");
    }
    if (row->verdict == TCH_INCONCLUSIVE)
        row->advised = up->advised > down->advised ? up->advised : down->advised;
}

int tch_judge(struct tch_verdict_row *rows, size_t count, double alpha, tacho_error *err)
{
    struct tch_verdict_row *all = calloc(2 * count + 1, sizeof *all);
    size_t last = count;
    int status;

    if (!all)
        return tch_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        if (is_equivalence(&rows[i]))
            split(&rows[i], &all[i], &all[last++]);
        else
            all[i] = rows[i];
    status = tch_judge_one_sided(all, last, alpha, err);
    last = count;
    for (size_t i = 0; i < count && status == 0; i++)
        if (is_equivalence(&rows[i]))
            join(&rows[i], &all[i], &all[last++]);
        else
            rows[i] = all[i];
    free(all);
    return status;
}
