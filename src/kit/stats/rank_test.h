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
#ifndef TCH_RANK_TEST_H
#define TCH_RANK_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "rank_null.h"

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
int tch_adjust_holm(const double *p, size_t n, double *adjusted, tacho_error *err);

/** Adjusts p-values that are already adjusted within groups, sorted by group. Each group counts
    once. When all p-values of a group are rejected, the group passes its share on to the others.
    Returns 0 or TACHO_ENOMEM. */
int tch_adjust_holm_groups(const double *p, const uint32_t *group, size_t n, double *adjusted,
                           tacho_error *err);

#endif
