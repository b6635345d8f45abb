/*
 * The probability that interleaved pairs find a change: the one computation that `tacho
 * calibrate`, `tacho plan` and the runs advised by a verdict use.
 *
 * Its input is the sizes of the differences log(b / a) of some pairs. The coin of a new pair makes
 * each of these sizes positive or negative with probability 1/2, whatever the noise is, and a
 * change moves all differences by the same amount. So the scores of the test of flip.h have a known
 * distribution for each change, with mean m and mean square v, and n pairs FAIL if
 *
 *     sqrt(n) mean score / sqrt(v) >= cut,   cut = z - (z^3 - 3 z) k / (12 n),   k = E w^4 / v^2
 *
 * z is the normal quantile of the level. The second term (E. A. Cornish and R. A. Fisher, 1938)
 * makes it nearly exact for few pairs, whose sums have lighter tails than the normal distribution.
 * The mean score is approximately normal with mean m and variance (v - m^2) / n. Outliers count
 * with their clipped scores, as in the test, and dependence between runs does not matter, because
 * the coins are independent.
 *
 * The pairs are a sample, too, so their noise may be too small or too large by chance. The
 * probability is therefore a mean over nine equally likely sizes of the true noise, by the
 * chi-square distribution: it is the share of reports after many calibrations, not after a perfect
 * one. bench_promise compares what is computed here with simulated reports.
 */
#ifndef TCH_SIGHT_H
#define TCH_SIGHT_H

#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

/** The gate runs a row of pairs again whose p is at most this. Simulated gates of 10 to 40 pairs
   find as many changes with 10 % as with 5 and 20 %. */
#define TCH_SIGHT_SCREEN 0.1

enum {
    TCH_NOISE_KEPT = 200, /* limit of the sizes; of more, as many evenly spaced ones are kept */
    TCH_SIGHT_PAIRS_MOST = 1000000,
};

/** Sizes of differences in which nothing changed. */
struct tch_noise {
    size_t pairs; /**< number of pairs that were measured */
    size_t kept;
    double size[TCH_NOISE_KEPT]; /**< ascending */
};

/** Which reports find a change. */
struct tch_sight_rule {
    size_t pairs;   /**< pairs of the analysis, or of the last one */
    size_t fresh;   /**< pairs of the gate's fresh block; 0: the analysis decides, without a gate */
    size_t metrics; /**< judged by the report; the others did not change */
    double alpha;
    double
        least; /**< minimum effect beyond the tolerance, 0 if the tolerance is at least as large */
};

/** Measures the noise of differences log(b / a) around their middle. Returns 0 or TACHO_ENOMEM. */
int tch_noise_measure(struct tch_noise *noise, const double *d, size_t count, double middle,
                      tacho_error *err);

/** Returns the probability that a change beyond the tolerance (0.05: +5 %) is a FAIL. */
double tch_sight_share(const struct tch_noise *noise, const struct tch_sight_rule *rule,
                       double change);

/** Returns the smallest change that is a FAIL with probability `share`; INFINITY: so few pairs can
    never FAIL so often. */
double tch_sight_change(const struct tch_noise *noise, const struct tch_sight_rule *rule,
                        double share);

/** Returns the smallest number of pairs whose p is at most `level` with probability `share` if the
    change beyond the bound is `change`; 0: more than TCH_SIGHT_PAIRS_MOST. */
uint64_t tch_sight_pairs(const struct tch_noise *noise, double change, double share, double level);

#endif
