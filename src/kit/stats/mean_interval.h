/*
 * Mean, standard deviation and Student's t interval (W. S. Gosset, 1908) of one value per run.
 *
 * Assumption: the values are independent, and their mean is nearly normal.
 */
#ifndef TCH_MEAN_INTERVAL_H
#define TCH_MEAN_INTERVAL_H

#include <stddef.h>

struct tch_scalar {
    double mean;
    double stddev;     /**< standard deviation of the sample: divided by n - 1 */
    double half_width; /**< half the width of the 95 % interval of the mean */
};

/** Computes mean, stddev and half_width. half_width is 0 for n < 3, stddev for n < 2, all for n =
    0. */
void tch_scalar_of(const double *x, size_t n, struct tch_scalar *ret);

/** Returns the two-sided 95 % quantile of Student's t; freedom is at least 1. */
double tch_t95(size_t freedom);

/** Returns the probability that a variable of Student's t is further from 0 than |t|; freedom is at
    least 1. */
double tch_t_beyond(double t, size_t freedom);

/** Returns the probability that a chi-square variable of `freedom` >= 1 degrees is x or more; x >=
    0. */
double tch_chi_above(double x, size_t freedom);

#endif
