/*
 * Computes what follows from budgets and verdicts alone: bounds of ratios, the reach of the session
 * term, the smallest number of runs, the worst verdict. verdict_rule.c judges values.
 */
#include "verdict_rule.h"

#include <float.h>
#include <math.h>

#include "kit/stats/flip.h"
#include "kit/stats/rank_null.h"
#include "kit/stats/rank_test.h"
#include "kit/stats/session.h"

const char *const tch_verdict_names[] = {
    [TCH_NO_VERDICT] = "-", [TCH_PASS] = "PASS", [TCH_INCONCLUSIVE] = "INCONCLUSIVE",
    [TCH_WARN] = "WARN",    [TCH_FAIL] = "FAIL",
};

double tch_budget_worse(const struct tch_budget *budget, double share)
{
    if (!budget->higher)
        return 1 + share;
    return share < 1 ? 1 / (1 - share) : DBL_MAX; /* a loss is at most everything */
}

void tch_budget_bounds(const struct tch_budget *budget, double *low, double *high)
{
    double tolerance = budget->tolerance;

    *low = budget->equivalent ? 1 / (1 + tolerance) : budget->higher ? 1 - tolerance : NAN;
    *high = budget->equivalent || !budget->higher ? 1 + tolerance : NAN;
}

double tch_session_reach(const struct tch_budget *budget, double spread, double alpha)
{
    double worse = exp(spread * tch_t4_cut(alpha / 2));

    return budget->higher ? 1 - 1 / worse : worse - 1;
}

uint64_t tch_judge_least_runs(bool paired, double alpha, size_t family)
{
    uint64_t n = paired ? 6 : 4;
    double most = alpha / (double)(family > 0 ? family : 1);

    while (n < 1000 &&
           (paired ? tch_flip_least((size_t)n) : tch_rank_sum_least((size_t)n, (size_t)n)) > most)
        n++;
    return n;
}

enum tch_verdict tch_judge_worst(const struct tch_verdict_row *rows, size_t count)
{
    enum tch_verdict worst = TCH_NO_VERDICT;

    for (size_t i = 0; i < count; i++)
        if (rows[i].verdict > worst)
            worst = rows[i].verdict;
    return worst;
}
