/*
 * Finds where the level of a series changed: the change points of a benchmark over many commits.
 *
 * 1. Seeded intervals (S. Kovacs, P. Buehlmann, H. Li and A. Munk, 2023) of many lengths cover the
 *    series. In each, the split with the smallest p of a rank test is a candidate (split_test.h).
 * 2. The narrowest interval with p at most c is taken (R. Baranowski, Y. Chen and P. Fryzlewicz,
 *    2019), all intervals that contain its split are dropped, and so on.
 * 3. Splits that do not hold against the whole levels beside them are dropped, the weakest first.
 * 4. Each split moves to where the sum of absolute deviations from the two medians is least. It is
 *    narrower than the place with the smallest p, which the levels around it can move.
 *
 * c depends on the number of values only: ranks of independent values have one distribution,
 * whatever that of the values. shifts_levels.c has a table of c. If values depend on those before
 * them, z of each test is divided by sqrt((1 + rho) / (1 - rho)); rho comes from differences, which
 * a change of level does not spoil.
 */
#ifndef TCH_SHIFTS_H
#define TCH_SHIFTS_H

#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>

enum {
    TCH_SHIFT_SIDE = 3,      /* values that a level has at least */
    TCH_SHIFT_MOST = 100000, /* limit of the values of a series */
};

/** A change of the level of a series. */
struct tch_shift {
    size_t at;    /**< the first value of the new level */
    size_t first; /**< the change is at first … last with 95 % confidence */
    size_t last;
    double p;      /**< of the levels beside it, corrected for dependence, not for the search */
    double before; /**< median of the level before it */
    double after;
    double change; /**< estimate of the difference (J. L. Hodges and E. L. Lehmann, 1963) */
    double low;    /**< its 95 % interval, as if the place were known: data that chose a change */
    double high;   /**< make it look too large */
};

struct tch_shifts {
    struct tch_shift *items;
    size_t count;
    double rho; /**< correlation of a value with the one before it, 0 if it is not above 0 */
    bool drift; /**< a straight line describes the series better than the levels do */
};

struct tch_shift_options {
    double alpha;      /**< share of unchanged series in which anything is found */
    double min_change; /**< smaller differences of medians are not reported */
};

/**
 * Finds all changes, in order.
 *
 * @param y  n values, finite; logarithms if ratios matter
 * @return 0, TACHO_EINVAL (a bad option), TACHO_ELIMIT or TACHO_ENOMEM; ret is empty after a
 * failure
 */
int tch_shifts_find(const double *y, size_t n, const struct tch_shift_options *options,
                    struct tch_shifts *ret, tacho_error *err);

void tch_shifts_release(struct tch_shifts *s);

/** Returns the correlation of neighbours in a series, from clipped differences; at least 0. Returns
    NAN if there is no memory. */
double tch_shifts_correlation(const double *y, size_t n);

/** Returns the largest p of a split with which at most the share alpha of unchanged series of n
    values has one. */
double tch_shifts_level(size_t n, double alpha);

/** Returns the share of unchanged series of n values whose smallest p is at most this. */
double tch_shifts_chance(size_t n, double p);

/** Returns the smallest p of all splits in all intervals, for simulations; 1 if there are none, NAN
    without memory. rho: correlation to correct for. */
double tch_shifts_smallest(const double *y, size_t n, double rho);

#endif
