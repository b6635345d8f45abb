/*
 * Two samples that were not interleaved: one session of measuring each.
 *
 * Two sessions differ with nothing changed, and one session of each says nothing about by how much.
 * So that is assumed, or known from earlier ones: tau, the standard deviation of the logarithm of
 * their ratio. With the estimate D of the logarithm of the ratio (J. L. Hodges and E. L. Lehmann,
 * 1963) and its standard error se (E. L. Lehmann, 1963)
 *
 *     S = sqrt(se^2 v + tau^2),   p = P(t > (D - log bound) / S)
 *
 * where v corrects for runs that depend on the one before, and t is Student's with 4 degrees of
 * freedom: sessions have heavier tails than the normal distribution. The 4 and TCH_SESSION_SPREAD
 * are the smallest pair that simulations found to keep the promise for sessions that differ by
 * 2.3 %, with normal tails and with those of a t with 3 degrees of freedom.
 */
#ifndef TCH_SESSION_H
#define TCH_SESSION_H

#include <stddef.h>

#include <tacho/error.h>

#include "ratio.h"

#define TCH_SESSION_SPREAD    0.026
#define TCH_SESSION_DEPENDENT 0.7 /* of rho: from here on nothing is said to be worse */
#define TCH_SESSION_TREND     1.5 /* of tch_session_trend(): likewise */

/** P(t > x) of Student's t with 4 degrees of freedom. */
double tch_t4_above(double x);

/** The x with P(t > x) = q (W. T. Shaw, 2006). */
double tch_t4_cut(double q);

/**
 * The correlation of logarithms with the one before. Robust: clipped at three times 1.4826 of the
 * median distance from the median.
 *
 * @param x     positive values in the order in which they were measured
 * @param room  2 n doubles
 */
double tch_session_lag1(const double *x, size_t n, double *room);

/** How much neighbouring runs depend on each other, 0 to 0.95, from the mean of
    tch_session_lag1() over all series of a report, without its bias (M. G. Kendall, 1954). n >= 4:
    the runs of the shorter side. */
double tch_session_rho(double lag1, size_t n);

/** The variance of a mean of such runs by that of independent ones. */
double tch_session_inflation(double rho);

/** The trend of two series that were measured one after the other: Kendall's S (1938) against time,
    each by its standard deviation, added, by root 2. */
double tch_session_trend(const double *a, size_t m, const double *b, size_t n);

/**
 * Ratio, interval and p-values with the session term.
 *
 * @param ret  of tch_ratio_unpaired() with an alpha of 0.05; replaced. Its level is 0, and p is 1,
 *             where there are too few runs for a standard error
 */
void tch_session_widen(struct tch_ratio *ret, double rho, double tau, double alpha, double bound);

#endif
