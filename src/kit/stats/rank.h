/*
 * The rank sum test and its null distribution, and the correction for many p-values.
 *
 * Exact where the work is small (TCH_RANK_EXACT values, or the tie limits below), beyond that the
 * normal approximation with continuity correction, which is then good to 0.0003.
 */
#ifndef TCH_RANK_H
#define TCH_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

enum { TCH_RANK_EXACT = 500 }; /* of all values together, without ties */

/** The distribution of a statistic, on its lower half: it is symmetric. */
struct tch_rank_null {
    double *below;  /**< below[t] = P(T <= t), for t up to `last`; NULL: normal */
    size_t last;    /**< half of the largest */
    double largest; /**< T goes from 0 to this */
    double sd;
};

/** P(Z >= z) of the normal distribution. */
double tch_normal_above(double z);

/** z with P(Z >= z) = p. */
double tch_normal_cut(double p);

/** U of Mann and Whitney, m and n values without ties. 0 or TACHO_ENOMEM. */
int tch_rank_sum_null(struct tch_rank_null *null, size_t m, size_t n, tacho_error *err);

void tch_rank_null_release(struct tch_rank_null *null);

/** P(T >= t). */
double tch_rank_null_above(const struct tch_rank_null *null, double t);

/** The largest k with 2 P(T <= k - 1) <= alpha, 0 when even the smallest T is too likely; the
    probability 1 - 2 P(T <= k - 1) in *level. */
size_t tch_rank_null_cut(const struct tch_rank_null *null, double alpha, double *level);

/** Both tails of a statistic given the data's own ties. */
struct tch_rank_tails {
    double above; /**< P(T >= t) */
    double below; /**< P(T <= t) */
    bool exact;
};

/** The rank sum test: is b above a? Tied values get the mean of their ranks. untied: what
   tch_rank_sum_null() gave for m and n; NULL: it is made where it is needed. */
int tch_rank_sum_test(const double *a, size_t m, const double *b, size_t n,
                      const struct tch_rank_null *untied, struct tch_rank_tails *ret,
                      tacho_error *err);

/** Adjusts p-values for being many, by Holm's step-down. adjusted may be p.
    0, TACHO_ENOMEM, or TACHO_EINVAL for a p that is not between 0 and 1. */
int tch_holm(const double *p, size_t n, double *adjusted, tacho_error *err);

/** The same over groups of p-values that are adjusted for being several already, sorted by group:
    each group counts once, and leaves its share to the others when all of it was rejected. 0 or
    TACHO_ENOMEM. */
int tch_holm_groups(const double *p, const uint32_t *group, size_t n, double *adjusted,
                    tacho_error *err);

/** The smallest one-sided p that so many values can give. */
double tch_rank_sum_least(size_t m, size_t n);

#endif
