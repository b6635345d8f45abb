/*
 * Pilot of a plan: the noise of run folders, and how long their pairs take. See kit/stats/plan.h.
 */
#ifndef TCH_RUN_PILOT_H
#define TCH_RUN_PILOT_H

#include "kit/result/series.h"
#include "kit/stats/plan.h"

struct tch_run_pilot {
    struct tch_pilot noise;
    double pair_ns; /**< from the start of a pair to the start of the next */
};

/**
 * Measures the noise of a quantity in two interleaved runs, or in the pairs of neighbours of one
 * run, which compare a program with itself.
 *
 * @param b  NULL: one run
 * @return 0, TACHO_ENOMEM, or TACHO_EINVAL: a run lacks the quantity, a value is not above 0, there
 * are fewer than TCH_PILOT_LEAST pairs, or the two were not interleaved
 */
int tch_run_pilot_measure(const struct tch_result *a, const struct tch_result *b,
                          const char *quantity, struct tch_run_pilot *ret, tacho_error *err);

#endif
