/*
 * A pilot of a plan: the noise of run folders, and how long their pairs take. See kit/stats/plan.h.
 */
#ifndef TCH_RUN_PILOT_H
#define TCH_RUN_PILOT_H

#include "kit/stats/plan.h"
#include "quantity.h"

struct tch_run_pilot {
    struct tch_pilot noise;
    double pair_ns; /**< from the start of a pair to that of the next one */
};

/**
 * Measures the noise of a quantity in two runs that were interleaved, or of one run in pairs of
 * neighbours: of a program against itself.
 *
 * @param b  NULL: one run
 * @return 0, TACHO_ENOMEM, or TACHO_EINVAL: a run has no such quantity, values that are not above
 *         0, or fewer than TCH_PILOT_LEAST pairs, or the two were not interleaved
 */
int tch_run_pilot_measure(const struct tch_receipt *a, const struct tch_receipt *b,
                          const char *quantity, struct tch_run_pilot *ret, tacho_error *err);

#endif
