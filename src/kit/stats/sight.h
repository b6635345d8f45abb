/*
 * What a number of pairs can see: the smallest change that a gate says FAIL to, nine times of ten.
 *
 * The pairs of a calibration are of a program against itself. A draw takes neighbouring pairs from
 * a random place, as a gate would have made them then, and throws a new coin for each: under the
 * test of flip.h all such draws are equally likely. Adding a change to the differences moves them
 * all, and the p of the test falls as the change grows. So each draw has one smallest change, its
 * cut, from which on a look says FAIL. The cuts of many draws give the whole curve of the
 * probability that a change is seen.
 *
 * The rule is that of the gate: looks at growing parts of the pairs share the error (spending.h),
 * and a FAIL has to come up again in a fresh block of as many pairs, at the whole error.
 */
#ifndef TCH_SIGHT_H
#define TCH_SIGHT_H

#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "spending.h"

enum { TCH_SIGHT_DRAWS = 1000 };

/** The cuts of all draws, as logarithms; INFINITY: so few pairs never say FAIL. */
struct tch_sight {
    size_t looks;
    double *cut;   /**< of each draw and look, where look k says FAIL first */
    double *fresh; /**< ... and where the fresh block of that look says it again */
};

/**
 * Draws from the pairs of a calibration. The same pairs give the same cuts.
 *
 * @param d      count > 0 differences log(second / first), in the order in which they were made
 * @param first  pairs of the first look; each later one has twice as many, up to `pairs`
 * @param alpha  chance of a wrong FAIL
 * @return 0 or TACHO_ENOMEM; tch_sight_release() in any case
 */
int tch_sight_init(struct tch_sight *s, const double *d, size_t count, size_t first, size_t pairs,
                   double alpha, tacho_error *err);
void tch_sight_release(struct tch_sight *s);

/** Returns the probability that a change (0.05: +5 %) is seen. */
double tch_sight_share(const struct tch_sight *s, double change);

/** Returns the smallest change that is seen with a probability; INFINITY: none is. */
double tch_sight_change(const struct tch_sight *s, double share);

#endif
