/*
 * Number of interleaved pairs that a comparison needs, from a pilot of a few pairs.
 *
 * Method: normal approximation of the power of the sign-flip test, with an upper confidence bound
 * of the noise by the chi-square distribution. Assumption: the noise has no outliers.
 *
 * The test of flip.h finds a change of `effect` at the one-sided level g with the power asked for,
 * if there are
 *
 *     n = (z_g + z_power)^2 u^2 / (0.95 log(1 + effect)^2) + z_g^2 / 2
 *
 * pairs, and at least log2(1 / g), because fewer cannot reach the level. z are quantiles of the
 * normal distribution, 0.95 is the efficiency of the clipped scores, and z_g^2 / 2 corrects for few
 * pairs. u is the standard deviation of the differences d = log(b / a). A pilot estimates it
 * poorly, so u is the upper 90 % confidence bound of that estimate. Therefore n is enough after
 * nine of ten pilots.
 */
#ifndef TCH_PLAN_H
#define TCH_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

enum {
    TCH_PILOT_LEAST = 5,     /* pairs; with fewer the bound of u is meaningless */
    TCH_PLAN_MOST = 1000000, /* limit of the pairs that a plan may ask for */
};

/** The noise of a pilot. */
struct tch_pilot {
    size_t pairs;
    double spread;   /**< standard deviation of the differences */
    double most;     /**< u: the upper 90 % confidence bound of spread */
    size_t outliers; /**< differences further from the median than 5 times the median distance */
};

/** Measures the noise of n >= 2 differences log(b / a). Returns 0 or TACHO_ENOMEM. */
int tch_pilot_measure(const double *d, size_t n, struct tch_pilot *ret, tacho_error *err);

/**
 * Returns how many pairs find a change of `effect` with probability `power`.
 *
 * @param effect  above 0: 0.03 for 3 %
 * @param power   0.9; at least 0.5 and below 1
 * @param level   one-sided probability of a wrong FAIL of this metric, above 0: alpha divided by
 * the number of metrics
 * @return 0 if more than TCH_PLAN_MOST pairs are needed
 */
uint64_t tch_plan_pairs(const struct tch_pilot *pilot, double effect, double power, double level);

#endif
