/*
 * How b compares with a: the ratio b / a, its interval and p-values.
 *
 * Pairs by the sign flips of flip.h, two samples by ranks. No resampling, nothing random: the same
 * values give the same answer. Values must be positive.
 */
#ifndef TCH_RATIO_H
#define TCH_RATIO_H

#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>

struct tch_ratio {
    double estimate;
    double low;     /**< 0 when there are too few values for an interval */
    double high;    /**< INFINITY then */
    double level;   /**< the confidence reached, at least 1 - alpha; 0 then */
    double least;   /**< the smallest b / a of a pair, or of any two values that are not paired */
    double most;    /**< the largest */
    double p;       /**< two-sided, that the ratio is 1 */
    double p_above; /**< one-sided, that the ratio is at most `bound` */
    double p_below; /**< one-sided, that the ratio is at least `bound` */
    double p_more;  /**< one-sided, that the ratio is at most 1 */
    double p_least; /**< the smallest one-sided p that so many values could have given */
    double effect;  /**< how often b is above a (ties count half): 0.5 is no difference */
    bool exact;     /**< no normal approximation was needed for the p-values */
};

/**
 * Interleaved runs: a[i] and b[i] were measured together, in an order that a coin decided.
 *
 * @param alpha  1 - confidence of the interval, 0.05; an interval needs 6 pairs then
 * @param bound  the ratio that p_above and p_below are about: 1, or 1 + tolerance
 * @return 0, TACHO_ENOMEM, or TACHO_EINVAL: no values, one that is not positive, alpha or bound
 */
int tch_ratio_paired(const double *a, const double *b, size_t n, double alpha, double bound,
                     struct tch_ratio *ret, tacho_error *err);

/** Two samples of independent values: all log(b[j] / a[i]). An interval needs 4 values each. Of
   runs that were not interleaved see session.h. */
int tch_ratio_unpaired(const double *a, size_t m, const double *b, size_t n, double alpha,
                       double bound, struct tch_ratio *ret, tacho_error *err);

#endif
