/*
 * How many interleaved pairs a comparison needs, from a pilot of some pairs.
 *
 * The test of flip.h finds a change of `effect` at the one-sided level g with the power asked for
 * when there are
 *
 *     n = (z_g + z_power)^2 u^2 / (0.95 log(1 + effect)^2) + z_g^2 / 2
 *
 * pairs, but not below log2(1 / g): fewer cannot reach the level. z are quantiles of the normal
 * distribution, 0.95 is the efficiency of the clipped scores, and z_g^2 / 2 corrects for few pairs.
 * u is the standard deviation of the differences d = log(b / a). A pilot knows it badly, so u is
 * its upper confidence bound of 90 %: n is enough after nine of ten pilots. That holds for noise
 * without outliers only.
 */
#ifndef TCH_PLAN_H
#define TCH_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

enum {
    TCH_PILOT_LEAST = 5,     /* pairs; with fewer the bound of u says nothing */
    TCH_PLAN_MOST = 1000000, /* pairs that a plan may ask for */
};

/** The noise of a pilot. */
struct tch_pilot {
    size_t pairs;
    double spread;   /**< standard deviation of the differences */
    double most;     /**< its upper confidence bound of 90 %: u */
    size_t outliers; /**< further from the median than 5 times the median distance */
};

/** Measures the noise of n >= 2 differences log(b / a). 0 or TACHO_ENOMEM. */
int tch_pilot_measure(const double *d, size_t n, struct tch_pilot *ret, tacho_error *err);

/**
 * Returns the pairs that find a change of `effect` with probability `power`.
 *
 * @param effect  above 0: 0.03 for 3 %
 * @param power   0.9; at least 0.5 and below 1
 * @param level   one-sided chance of a wrong FAIL of this metric, above 0: alpha by the metrics
 * @return 0 when more than TCH_PLAN_MOST are needed
 */
uint64_t tch_plan_pairs(const struct tch_pilot *pilot, double effect, double power, double level);

#endif
