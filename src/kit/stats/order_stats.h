/*
 * Order statistics: quantiles, and how sure a quantile is.
 *
 * No NaN may come in. Everything is deterministic.
 */
#ifndef TCH_ORDER_STATS_H
#define TCH_ORDER_STATS_H

#include <stddef.h>

#include <tacho/error.h>

#include "base/order.h"

/** The mean of the two middle values, or the middle one; n > 0. Reorders x. */
double tch_median(double *x, size_t n);

/** The value at q (0 to 1) of sorted x, linear between neighbours; 0 when n is 0. */
double tch_quantile_linear(const double *sorted, size_t n, double q);

/** The smallest value that at least the share q of all does not pass; 0 when n is 0. */
double tch_quantile_nearest(const double *sorted, size_t n, double q);

/** Its place in sorted order, from 0; n > 0. */
size_t tch_nearest_rank(size_t n, double q);

/** Keeps `most` evenly spaced order statistics where there are more values. Reorders x. @return how
    many values are left */
size_t tch_thin(double *x, size_t n, size_t most);

/** The places, from 0, of the two values that enclose a quantile with the confidence asked for. */
struct tch_rank_interval {
    size_t low;
    size_t high;
    double level; /**< the confidence reached, at least 1 - alpha; 0 when n is too small */
};

/**
 * By the binomial distribution, whatever the values are distributed like.
 *
 * @return 0, or TACHO_EINVAL when q is not between 0 and 1 or n is too small for alpha: then low
 *         is 0, high is n - 1, and the interval encloses the quantile with less confidence
 */
int tch_quantile_interval(size_t n, double q, double alpha, struct tch_rank_interval *ret,
                          tacho_error *err);

#endif
