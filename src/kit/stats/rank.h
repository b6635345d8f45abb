/*
 * Rank-sum test, its null distribution, and Holm's correction for several p-values.
 *
 * - Rank-sum test: F. Wilcoxon (1945), H. B. Mann and D. R. Whitney (1947). Assumption: the values
 *   of both samples are independent.
 * - Exact distribution with ties: B. Streitberg and J. Roehmel (1986).
 * - Step-down correction: S. Holm (1979). It assumes nothing about the dependence of the p-values.
 *
 * The test is exact up to TCH_RANK_EXACT values or the work limit for ties. Beyond that it uses the
 * normal approximation with continuity correction, which is then accurate to 0.0003.
 */
#ifndef TCH_RANK_H
#define TCH_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

enum { TCH_RANK_EXACT = 500 }; /* values of both samples together, without ties */

/** Lower half of the distribution of a statistic, which is symmetric. */
struct tch_rank_null {
    /** below[t] = P(T <= t), for t up to `last`; NULL: use the normal distribution. */
    double *below;
    size_t last;    /**< half of `largest` */
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

/** Both tails of a statistic, given the ties of the data. */
struct tch_rank_tails {
    double above; /**< P(T >= t) */
    double below; /**< P(T <= t) */
    bool exact;
};

/** Tests whether b is above a by the rank-sum test. Tied values get the mean of their ranks.
    untied: from tch_rank_sum_null() for m and n; NULL: computed if needed. */
int tch_rank_sum_test(const double *a, size_t m, const double *b, size_t n,
                      const struct tch_rank_null *untied, struct tch_rank_tails *ret,
                      tacho_error *err);

/** Adjusts p-values for their number by Holm's step-down procedure. adjusted may be p. Returns 0,
    TACHO_ENOMEM, or TACHO_EINVAL for a p outside 0 to 1. */
int tch_holm(const double *p, size_t n, double *adjusted, tacho_error *err);

/** Adjusts p-values that are already adjusted within groups, sorted by group. Each group counts
    once. When all p-values of a group are rejected, the group passes its share on to the others.
    Returns 0 or TACHO_ENOMEM. */
int tch_holm_groups(const double *p, const uint32_t *group, size_t n, double *adjusted,
                    tacho_error *err);

/** Returns the smallest one-sided p that m and n values can give. */
double tch_rank_sum_least(size_t m, size_t n);

#endif
