/*
 * Intervals of quantiles of runs that may depend on each other.
 *
 * Method: the binomial order statistics of order_stats.h, for the effective number of runs. A
 * positive correlation rho with the run before, of which each run keeps a share (an AR(1) process),
 * makes n runs worth n (1 - rho) / (1 + rho) independent ones. rho is measured robustly and counts
 * only if it is larger than chance explains, because chance would make the intervals of independent
 * runs wider. Assumption: runs depend on each other through the run before.
 *
 * Compared by simulation with batch means on ranks and with long-run variances of ranks (W. K.
 * Newey and K. D. West, 1987): both cover less at 50 runs. docs/judging.md shows the figures.
 */
#ifndef TCH_DEPENDENCE_H
#define TCH_DEPENDENCE_H

#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>

#include "order_stats.h"

enum {
    TCH_DEPENDENCE_LEAST = 20, /* fewer runs do not show a correlation at all */
    TCH_DEPENDENCE_SURE = 50,  /* from so many runs on it is not missed */
};

#define TCH_DEPENDENCE_STRONG                                          \
    0.9 /* from this rho on, n runs are worth so few that the interval \
           may be too narrow */

/**
 * Returns the correlation of values with the value before, as far as it is beyond chance: 0 for
 * independent values, and if there are fewer than TCH_DEPENDENCE_LEAST.
 *
 * @param x     values in the order in which they were measured
 * @param room  2 n doubles
 */
double tch_dependence(const double *x, size_t n, double *room);

/** Finds the interval of a quantile, as tch_quantile_interval() does, of values with this
    dependence. Its ranks are further apart by the root of how much less n values are worth. */
int tch_dependent_interval(size_t n, double q, double alpha, double rho,
                           struct tch_rank_interval *ret, tacho_error *err);

/** Returns what an interval assumes although the values cannot show it, or NULL. */
const char *tch_dependence_assumed(size_t n, double rho);

#endif
