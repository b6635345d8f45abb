/* Decides when the precision of the median is checked, and at which confidence. */
#include "precision.h"

#include "summary.h"

enum { FIRST_CHECK = 10 };

unsigned tch_precision_checks(uint64_t max_runs)
{
    unsigned checks = 1;

    for (uint64_t n = FIRST_CHECK; n < max_runs; n *= 2)
        checks++;
    return checks;
}

double tch_precision_check_alpha(uint64_t max_runs)
{
    return tch_precision_checks(max_runs) == 1 ? TCH_RESULT_ALPHA : TCH_PRECISION_CHECK_ALPHA;
}

double tch_precision_alpha_left(uint64_t n, uint64_t max_runs)
{
    return n <= FIRST_CHECK ? TCH_RESULT_ALPHA : tch_precision_check_alpha(max_runs);
}

bool tch_precision_check_due(uint64_t n, uint64_t max_runs)
{
    uint64_t check = FIRST_CHECK;

    while (check < n)
        check *= 2;
    return n > 0 && (check == n || n == max_runs);
}
