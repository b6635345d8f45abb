/*
 * The exact test of interleaved pairs, by sign flips of clipped scores.
 *
 * Method: sign-flip (randomization) test, R. A. Fisher (1935) and E. J. G. Pitman (1937), on scores
 * clipped as by P. J. Huber (1964). Assumption: a run does not affect the next one in a way that
 * depends on which of the two programs it was.
 *
 * A fair coin decided which of the two runs of a pair was made first. Suppose b is a times a
 * constant, and let e = log(b / a) - log(constant) for each pair. Given |e|, both signs of e are
 * then equally likely, whatever the noise does: it may drift, repeat, or depend on the run before.
 * The statistic T below therefore has exactly the distribution of S, whose tails can be computed:
 *
 *     s   = median of |e| over the pairs whose e is not 0
 *     w   = rint(16 min(|e| / s, 1.5))
 *     T   = sum of w over the pairs with e > 0
 *     S   = sum of w over the pairs that fair coins choose, one coin per pair
 *
 * Clipping at 1.5 s gives a single disturbed run little weight. Estimate and interval come from
 * inverting the test. Several metrics of the same pairs are adjusted jointly (P. H. Westfall and S.
 * S. Young, 1993).
 */
#ifndef TCH_FLIP_H
#define TCH_FLIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

enum {
    TCH_FLIP_EXACT = 500, /* limit for the exact count; more pairs use the normal approximation */
    TCH_FLIP_UNIT = 16,   /* weight of a pair with |e| = s */
    TCH_FLIP_MOST = 24,   /* largest weight */
    TCH_FLIP_LISTED = 12, /* limit of the pairs whose coins are all tried for several metrics: 4,096
                             outcomes */
};

/** A smaller difference of logarithms is rounding and counts as 0. */
#define TCH_FLIP_ZERO 1e-12

struct tch_flip_tails {
    double above; /**< P(S >= T), small if b is above a times the constant */
    double below; /**< P(S <= T) */
    bool exact;
};

/** Sets scores[i] to the weight of e[i], with the sign of e[i]. room: n doubles. */
void tch_flip_scores(const double *e, size_t n, double *room, int *scores);

/** Computes both tails of the test on the differences e. Returns 0 or TACHO_ENOMEM. */
int tch_flip_test(const double *e, size_t n, struct tch_flip_tails *ret, tacho_error *err);

/** Returns the smallest one-sided p that n pairs can give. */
double tch_flip_least(size_t n);

/** Estimate and interval of a shift, by inverting the test. */
struct tch_flip_interval {
    double estimate;
    double low;  /**< -INFINITY if n pairs are too few for an interval of this level */
    double high; /**< INFINITY if n pairs are too few */
};

/**
 * Finds the constant at which the unrounded scores of d - constant sum to 0, and the two constants
 * at which a tail falls to alpha / 2.
 *
 * @param d  n > 0 differences of logarithms
 * @return 0 or TACHO_ENOMEM
 */
int tch_flip_interval(const double *d, size_t n, double alpha, struct tch_flip_interval *ret,
                      tacho_error *err);

/**
 * Finds the ratio c at which the scores of y - c x sum to 0, and its interval, for pairs in which
 * some values are 0 and have no logarithm. If y is c times what x would have been in its place, the
 * two runs of a pair differ by the coin only, so y - c x has a fair sign given its size and the
 * test is exact as for logarithms.
 *
 * @param x, y  n values of at least 0, such that the largest is of the order of 1
 * @param ret   estimate INFINITY: every x is 0; low 0, high INFINITY: no such end
 * @return 0 or TACHO_ENOMEM
 */
int tch_flip_ratio(const double *x, const double *y, size_t n, double alpha,
                   struct tch_flip_interval *ret, tacho_error *err);

/** Scores of one metric, in pairs that several metrics share. */
struct tch_flip_series {
    const int *score;     /**< from tch_flip_scores() */
    const uint32_t *pair; /**< index of the pair of each score, below the number of pairs */
    size_t count;
};

/**
 * Adjusts for several metrics measured in the same pairs, by the largest statistic (P. H. Westfall
 * and S. S. Young, 1993). The coins of all metrics are flipped together, so correlated metrics
 * count as fewer questions. With z = sum of scores / root of the sum of squares, p[i] is the share
 * of the 2^pairs outcomes of the coins whose largest z is at least z of i. Beyond TCH_FLIP_LISTED
 * pairs it is estimated as (1 + flips that reach z of i) / (1 + flips), by flips from a fixed seed:
 * the same scores give the same p.
 *
 * @param pairs  number of pairs
 * @param flips  number of random flips; not used where all outcomes are listed
 * @param p      the p of each metric alone, replaced by the adjusted one, which is never smaller
 * @return 0 or TACHO_ENOMEM
 */
int tch_flip_max_t(const struct tch_flip_series *series, size_t count, size_t pairs, size_t flips,
                   double *p, tacho_error *err);

#endif
