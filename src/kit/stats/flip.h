/*
 * The exact test of interleaved pairs by sign flips on clipped scores.
 *
 * A fair coin decided which of the two runs of a pair was made first. If b is a times a constant,
 * the difference e = log(b / a) - log(constant) of a pair then has a random sign given its size,
 * whatever the noise does: it may drift, repeat, or depend on the run before. So the distribution
 * of
 *
 *     s   = median of |e| over the pairs whose e is not 0
 *     w   = rint(16 min(|e| / s, 1.5))
 *     T   = sum of w over the pairs with e > 0
 *
 * is known: each w counts or does not, by the throw of a coin (R. A. Fisher, 1935; E. J. G. Pitman,
 * 1937). Clipping at 1.5 s is P. J. Huber's (1964): one run that was disturbed has little weight.
 *
 * Assumption: a run does not change the next one by which of the two programs it was.
 */
#ifndef TCH_FLIP_H
#define TCH_FLIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

enum {
    TCH_FLIP_EXACT = 500, /* pairs that are counted exactly; more: the normal approximation */
    TCH_FLIP_UNIT = 16,   /* the weight of a pair with |e| = s */
    TCH_FLIP_MOST = 24,   /* the largest weight */
};

/** A difference of logarithms below this is rounding, and counts as 0. */
#define TCH_FLIP_ZERO 1e-12

struct tch_flip_tails {
    double above; /**< P(S >= T), small where b is above a times the constant */
    double below; /**< P(S <= T) */
    bool exact;
};

/** Sets scores[i] to the weight of e[i] with its sign. room: n doubles. */
void tch_flip_scores(const double *e, size_t n, double *room, int *scores);

/** Both tails of the test on the differences e. 0 or TACHO_ENOMEM. */
int tch_flip_test(const double *e, size_t n, struct tch_flip_tails *ret, tacho_error *err);

/** The smallest one-sided p that n pairs can give. */
double tch_flip_least(size_t n);

/** Estimate and interval of a shift by inverting the test. */
struct tch_flip_interval {
    double estimate;
    double low;  /**< -INFINITY when n pairs cannot have an interval of this level */
    double high; /**< INFINITY then */
};

/**
 * The constant at which the scores of d - constant, not rounded, sum to 0, and the two at which a
 * tail falls to alpha / 2.
 *
 * @param d  n > 0 differences of logarithms
 * @return 0 or TACHO_ENOMEM
 */
int tch_flip_interval(const double *d, size_t n, double alpha, struct tch_flip_interval *ret,
                      tacho_error *err);

/** The scores of one metric in pairs that several metrics share. */
struct tch_flip_series {
    const int *score;     /**< of tch_flip_scores() */
    const uint32_t *pair; /**< which pair each is of, below the number of pairs */
    size_t count;
};

/**
 * Adjusts for several metrics measured in the same pairs, by the largest statistic (P. H. Westfall
 * and S. S. Young, 1993): the coins of all metrics are flipped together, so what is correlated
 * counts as less than several questions. p[i] = (1 + flips whose largest z is at least z of i) /
 * (1 + flips), with z = sum of scores / root of the sum of squares. The flips follow from a fixed
 * seed: the same scores give the same p.
 *
 * @param pairs  number of pairs
 * @return 0 or TACHO_ENOMEM
 */
int tch_flip_adjust(const struct tch_flip_series *series, size_t count, size_t pairs, size_t flips,
                    double *p, tacho_error *err);

#endif
