/*
 * Order statistics: quantiles and their confidence intervals.
 *
 * Method: binomial order statistics, W. R. Thompson (1936). Assumption: the values are independent;
 * their distribution may be any. Values must not be NaN. The same values give the same results.
 */
#ifndef TCH_ORDER_STATS_H
#define TCH_ORDER_STATS_H

#include <stddef.h>

#include <tacho/error.h>

#include "base/order.h"

/** Returns the middle value, or the mean of the two middle values; n > 0. Reorders x. */
double tch_median(double *x, size_t n);

/** Returns the quantile q (0 to 1) of sorted x by linear interpolation; 0 if n is 0. */
double tch_quantile_linear(const double *sorted, size_t n, double q);

/** Returns the nearest-rank quantile: the smallest value x such that at least the share q of all
    values is at most x; 0 if n is 0. */
double tch_quantile_nearest(const double *sorted, size_t n, double q);

/** Returns the index, from 0, of the nearest-rank quantile in sorted order; n > 0. */
size_t tch_nearest_rank(size_t n, double q);

/** Reduces x to `most` evenly spaced order statistics if it has more values. Reorders x. @return
    how many values are left */
size_t tch_thin(double *x, size_t n, size_t most);

/** Indices, from 0, of the two values that enclose a quantile with the confidence asked for. */
struct tch_rank_interval {
    size_t low;
    size_t high;
    double level; /**< confidence reached, at least 1 - alpha; 0 if n is too small */
};

/**
 * Finds the interval of a quantile by the binomial distribution, which holds for any distribution
 * of the values.
 *
 * @return 0, or TACHO_EINVAL if q is not between 0 and 1 or n is too small for alpha. Then low is
 * 0, high is n - 1, and the interval encloses the quantile with less confidence
 */
int tch_quantile_interval(size_t n, double q, double alpha, struct tch_rank_interval *ret,
                          tacho_error *err);

#endif
