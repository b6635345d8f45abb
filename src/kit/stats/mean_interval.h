/*
 * Mean, spread and Student's t interval of one value a run.
 */
#ifndef TCH_MEAN_INTERVAL_H
#define TCH_MEAN_INTERVAL_H

#include <stddef.h>

struct tch_scalar {
    double mean;
    double stddev;     /**< of a sample: divided by n - 1 */
    double half_width; /**< of the 95 % interval of the mean */
};

/** n = 0 gives zeros; below n = 3 there is no half_width (0), below 2 no stddev. */
void tch_scalar_of(const double *x, size_t n, struct tch_scalar *ret);

/** Student's t, two-sided 95 %; freedom is at least 1. */
double tch_t95(size_t freedom);

/** P(chi-square of `freedom` degrees, at least 1, is x or more); x >= 0. */
double tch_chi_above(double x, size_t freedom);

#endif
