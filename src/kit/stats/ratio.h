/*
 * How b compares with a: the ratio b / a, its interval and p-values.
 *
 * - Pairs: sign flips (R. A. Fisher, 1935; E. J. G. Pitman, 1937), see flip.h. Assumption: a coin
 *   decided the order of each pair.
 * - Two samples: rank sum (H. B. Mann and D. R. Whitney, 1947) with the estimate of J. L. Hodges
 *   and E. L. Lehmann (1963). Assumption: the values are independent; session.h widens the interval
 *   if they are not.
 *
 * There is no resampling, so the same values give the same answer. Values must be positive.
 */
#ifndef TCH_RATIO_H
#define TCH_RATIO_H

#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>

struct tch_ratio {
    double estimate;
    double low;     /**< 0 if there are too few values for an interval */
    double high;    /**< INFINITY if there are too few values */
    double level;   /**< confidence reached, at least 1 - alpha; 0 if there are too few values */
    double least;   /**< smallest b / a of a pair, or of any two values if they are not paired */
    double most;    /**< largest b / a, likewise */
    double p;       /**< two-sided p of "the ratio is 1" */
    double p_above; /**< one-sided p of "the ratio is at most `bound`" */
    double p_below; /**< one-sided p of "the ratio is at least `bound`" */
    double p_more;  /**< one-sided p of "the ratio is at most 1" */
    double p_least; /**< smallest one-sided p that this number of values can give */
    double effect;  /**< how often b is above a (ties count half): 0.5 means no difference */
    bool exact;     /**< the p-values needed no normal approximation */
};

/**
 * Compares interleaved runs: a[i] and b[i] were measured together, in an order that a coin decided.
 *
 * @param alpha  1 - confidence of the interval; at 0.05 an interval needs 6 pairs
 * @param bound  the ratio that p_above and p_below test: 1, or 1 + tolerance
 * @return 0, TACHO_ENOMEM, or TACHO_EINVAL: no values, a value that is not positive, a bad alpha or
 * bound
 */
int tch_ratio_paired(const double *a, const double *b, size_t n, double alpha, double bound,
                     struct tch_ratio *ret, tacho_error *err);

/** Compares two samples of independent values by all log(b[j] / a[i]). An interval needs 4 values
    of each. For runs that were not interleaved, session.h adds the session term. */
int tch_ratio_unpaired(const double *a, size_t m, const double *b, size_t n, double alpha,
                       double bound, struct tch_ratio *ret, tacho_error *err);

#endif
