/*
 * Comparison of two samples that were not interleaved: each belongs to one session.
 *
 * Method: Hodges-Lehmann estimate (J. L. Hodges and E. L. Lehmann, 1963) with its standard error
 * (E. L. Lehmann, 1963) and a session term, by Student's t with 4 degrees of freedom. Assumption:
 * sessions differ by no more than tau.
 *
 * Two sessions differ even if nothing changed, and a single session per side does not show by how
 * much. This difference is therefore assumed, or estimated from earlier sessions: tau is the
 * standard deviation of the logarithm of the ratio of two sessions. Let D be the estimate of the
 * logarithm of the ratio, and se its standard error. Then
 *
 *     S = sqrt(se^2 v + tau^2),   p = P(t > (D - log bound) / S)
 *
 * v corrects for runs that depend on the run before. t has 4 degrees of freedom because sessions
 * have heavier tails than the normal distribution. The 4 and TCH_SESSION_SPREAD are the smallest
 * pair that kept the promise in simulations of sessions that differ by 2.3 %, both with normal
 * tails and with those of a t with 3 degrees of freedom.
 */
#ifndef TCH_SESSION_H
#define TCH_SESSION_H

#include <stddef.h>

#include <tacho/error.h>

#include "ratio.h"

#define TCH_SESSION_SPREAD    0.026
#define TCH_SESSION_DEPENDENT 0.7 /* from this rho on, no row is called worse */
#define TCH_SESSION_TREND     1.5 /* from this tch_session_trend() on, no row is called worse */

/** Returns P(t > x) of Student's t with 4 degrees of freedom. */
double tch_t4_above(double x);

/** Returns the x with P(t > x) = q (W. T. Shaw, 2006). */
double tch_t4_cut(double q);

/**
 * Returns the correlation of a value with the value before. It is robust: values are clipped at 3 *
 * 1.4826 times the median absolute deviation from their median.
 *
 * @param x     values in the order in which they were measured
 * @param room  2 n doubles; may begin at x
 */
double tch_lag1(const double *x, size_t n, double *room);

/** Returns tch_lag1() of the logarithms of positive values. room: 2 n doubles. */
double tch_session_lag1(const double *x, size_t n, double *room);

/** Returns how much neighbouring runs depend on each other, 0 to 0.95. It is the mean of
    tch_session_lag1() over all series of a report, corrected for bias (M. G. Kendall, 1954). n >=
    4: the runs of the shorter side. */
double tch_session_rho(double lag1, size_t n);

/** Returns the variance of a mean of dependent runs, divided by that of independent ones. */
double tch_session_inflation(double rho);

/** Returns the trend of two series that were measured one after the other. It is Kendall's S
    (1938) against time, divided by its standard deviation, summed over both series and divided
    by root 2. */
double tch_session_trend(const double *a, size_t m, const double *b, size_t n);

/**
 * Adds the session term to ratio, interval and p-values.
 *
 * @param ret  from tch_ratio_unpaired() with an alpha of 0.05; replaced. Its level is 0, and p is
 * 1, if there are too few runs for a standard error
 */
void tch_session_widen(struct tch_ratio *ret, double rho, double tau, double alpha, double bound);

#endif
