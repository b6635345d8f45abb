/*
 * Number of interleaved pairs that a comparison needs, from a pilot of a few pairs, by the
 * probability of sight.h.
 */
#ifndef TCH_PLAN_H
#define TCH_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "sight.h"

enum {
    TCH_PILOT_LEAST = 5, /* pairs; with fewer the bound of the spread is meaningless */
    TCH_PLAN_MOST = TCH_SIGHT_PAIRS_MOST, /* limit of the pairs that a plan may ask for */
};

/** The noise of a pilot. */
struct tch_pilot {
    size_t pairs;
    double spread;   /**< standard deviation of the differences */
    double most;     /**< the upper 90 % confidence bound of spread */
    size_t outliers; /**< differences further from the median than 5 times the median distance */
    struct tch_noise noise; /**< the differences themselves, around their median */
};

/** Measures the noise of n >= 2 differences log(b / a). Returns 0 or TACHO_ENOMEM. */
int tch_pilot_measure(const double *d, size_t n, struct tch_pilot *ret, tacho_error *err);

/**
 * Returns how many pairs find a change of `effect` with probability `power`, as a mean over many
 * pilots like this one.
 *
 * @param effect  above 0: 0.03 for 3 %
 * @param power   0.9; at least 0.5 and below 1
 * @param level   one-sided probability of a wrong FAIL of this metric, above 0: alpha divided by
 * the number of metrics
 * @return 0 if more than TCH_PLAN_MOST pairs are needed
 */
uint64_t tch_plan_pairs(const struct tch_pilot *pilot, double effect, double power, double level);

#endif
