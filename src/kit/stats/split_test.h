/*
 * Tests whether the values before a point of a series differ from those after it, by their ranks.
 *
 * Method: rank sum, H. B. Mann and D. R. Whitney (1947). Far tails decide whether a series has a
 * change, and the normal approximation is too large there by orders of magnitude when one side has
 * few values. The tail is then a saddlepoint approximation (R. Lugannani and S. Rice, 1980). With
 * ties it is the one of a sum given the number of values drawn (J. G. Booth and R. W. Butler,
 * 1990), so that a series of few different values, such as a count, has a correct p, too.
 */
#ifndef TCH_SPLIT_TEST_H
#define TCH_SPLIT_TEST_H

#include <stdbool.h>
#include <stddef.h>

/** Ranks of the values of a stretch of a series. */
struct tch_split_ranks {
    const double *value;
    const unsigned *rank2; /**< twice the rank of each value in the stretch, from 2, in order of
                              time; tied values have the mean of their ranks */
    size_t n;
    double squares; /**< sum of the squared distances of rank2 from its mean, n + 1 */
    bool tied;
};

/** Returns a two-sided p that is quick to compute. Ties only change the variance. sum2: sum of the
    doubled ranks of the first `before` values, which are at least 1 and fewer than n. */
double tch_split_p_quick(const struct tch_split_ranks *r, size_t before, double sum2);

/** Returns the two-sided p, given the ties, exact for few values. If memory runs out it is the
   quick one. Takes time in proportion to n if there are ties. */
double tch_split_p(const struct tch_split_ranks *r, size_t before, double sum2);

#endif
