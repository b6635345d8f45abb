/*
 * The smallest change that a gate of a given number of pairs judges FAIL in nine of ten reports.
 *
 * Method: circular block resampling of a calibration's pairs (D. N. Politis and J. P. Romano, 1992)
 * with new coins, judged by the test of flip.h. Assumption: the gate's machine behaves as it did
 * during the calibration.
 *
 * A calibration consists of pairs of a program against itself. A draw takes neighbouring pairs from
 * a random place, as a gate would have made them there, and tosses a new coin for each. Under the
 * test of flip.h all such draws are equally likely. A change moves all differences of a draw by the
 * same amount, and the p of the test falls as the change grows. So each draw has one smallest
 * change, its cut, at which an analysis says FAIL. The cuts of many draws give the whole curve
 * of the probability that a change is seen.
 *
 * The rule is that of the gate: interim analyses of growing parts of the pairs share the error
 * (spending.h). After a FAIL, a fresh block of as many pairs has to FAIL again, at the whole error.
 * All changes are tried on the same draws. A larger change can still be seen in fewer draws: an
 * earlier analysis then says FAIL, and its fresh block has fewer pairs. The curve therefore shows,
 * for each change, the smallest share of draws that see this or a larger change. It never falls.
 */
#ifndef TCH_SIGHT_H
#define TCH_SIGHT_H

#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "spending.h"

enum { TCH_SIGHT_DRAWS = 1000 };

/** The cuts of all draws, as logarithms; INFINITY: so few pairs can never FAIL. */
struct tch_sight {
    size_t analyses;
    double *cut;   /**< per draw and analysis k: smallest change at which analysis k says FAIL */
    double *fresh; /**< per draw and analysis k: smallest change at which the fresh block after
                      analysis k says FAIL, too */
    double *at;    /**< changes at which the curve rises, ascending */
    double *share; /**< share of draws that see at[i] and every larger change */
    size_t points;
};

/**
 * Draws from the pairs of a calibration. The same pairs give the same cuts.
 *
 * @param d      count > 0 differences log(second / first), in the order in which they were made
 * @param first  pairs of the first analysis; each later one has twice as many, up to `pairs`
 * @param alpha  probability of a wrong FAIL
 * @return 0 or TACHO_ENOMEM; call tch_sight_release() in any case
 */
int tch_sight_init(struct tch_sight *s, const double *d, size_t count, size_t first, size_t pairs,
                   double alpha, tacho_error *err);
void tch_sight_release(struct tch_sight *s);

/** Returns the probability that a change (0.05: +5 %) is seen. It never falls as the change
    grows. */
double tch_sight_share(const struct tch_sight *s, double change);

/** Returns the smallest change that is seen with probability `share`, as all larger ones are;
    INFINITY: no change is. */
double tch_sight_change(const struct tch_sight *s, double share);

#endif
