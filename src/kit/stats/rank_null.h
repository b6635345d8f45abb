/*
 * Null distributions of rank statistics, and the normal distribution.
 */
#ifndef TCH_RANK_NULL_H
#define TCH_RANK_NULL_H

#include <stddef.h>

#include <tacho/error.h>

enum { TCH_RANK_EXACT = 500 }; /* values of both samples together, without ties */

/** Lower half of the distribution of a statistic, which is symmetric. */
struct tch_rank_null {
    double
        *below;  /**< below[t] = P(T <= t), for t up to `last`; NULL: use the normal distribution */
    size_t last; /**< half of `largest` */
    double largest; /**< T ranges from 0 to this */
    double sd;
};

/** Returns P(Z >= z) of the normal distribution. */
double tch_normal_above(double z);

/** Returns z with P(Z >= z) = p. */
double tch_normal_cut(double p);

/** Computes the distribution of U of Mann and Whitney for m and n values without ties. Returns 0 or
    TACHO_ENOMEM. */
int tch_rank_sum_null(struct tch_rank_null *null, size_t m, size_t n, tacho_error *err);

void tch_rank_null_release(struct tch_rank_null *null);

/** Returns P(T >= t). */
double tch_rank_null_above(const struct tch_rank_null *null, double t);

/** Returns the largest k with 2 P(T <= k - 1) <= alpha, or 0 if even the smallest T is too likely.
    Sets *level to 1 - 2 P(T <= k - 1). */
size_t tch_rank_null_cut(const struct tch_rank_null *null, double alpha, double *level);

/** Returns the smallest one-sided p that m and n values can give. */
double tch_rank_sum_least(size_t m, size_t n);

#endif
