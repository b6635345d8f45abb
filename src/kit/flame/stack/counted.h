/*
 * The meaning of a profile's counts: their unit, what they measure, and how much of them one sample
 * is. Folded stacks carry it in a comment, so that two captures can be compared in time, and
 * profiles of different units are not compared by mistake:
 *
 *     # tacho: unit=samples measure=cpu period_ns=1003009 profiler=native
 */
#ifndef TCH_COUNTED_H
#define TCH_COUNTED_H

#include <stdbool.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "base/text_span.h"

struct tch_stacks;

/** The counts of one profile. All zero: unknown; the counts are taken as samples. */
struct tch_counted {
    char unit[64];      /**< "samples", "microseconds", "cycles"; empty: unknown */
    char measure[16];   /**< what they measure if they are times: "cpu", "off-cpu"; or empty */
    char profiler[64];  /**< or empty */
    uint64_t period_ns; /**< CPU time of a sample, if the unit is samples; 0: unknown */
    uint64_t samples;   /**< number of samples, if it is not the sum of the counts; or 0 */
    double quantum; /**< count of one sample; of unequal samples, the sum of the squares of their
                       counts divided by the sum; 0: 1 */
};

/** Returns how many nanoseconds a unit such as "microseconds" has; 0: it is not a unit of time. May
    be NULL. */
uint64_t tch_unit_ns(const char *unit);

/** Returns how many nanoseconds a count of 1 is; 0: the counts are not times. */
uint64_t tch_counted_ns(const struct tch_counted *counted);

/** Returns "time" if the counts are times, otherwise their unit, "samples" if it is unknown. */
const char *tch_counted_name(const struct tch_counted *counted);

/** Adds the comment for folded stacks, with a line feed; nothing if nothing is known. */
void tch_counted_write(struct tch_buf *b, const struct tch_stacks *stacks);

/** Reads such a comment. Other comments, and members that are unknown or malformed, are ignored. */
void tch_counted_read(struct tch_stacks *stacks, struct tch_span line);

/** Converts both sides of a differential to nanoseconds if their units differ and both are times.
    @return 0, TACHO_EINVAL if the two cannot be compared, or TACHO_ELIMIT */
int tch_counted_match(struct tch_stacks *stacks, tacho_error *err);

/** Adds a sentence about a differential without its full stop: which quantity is compared, and
    both totals. */
void tch_counted_explain(struct tch_buf *b, const struct tch_stacks *stacks);

/** Adds a count of a differential: as time if it is known, otherwise as a number. sign: with a
    "+" if it is above 0. */
void tch_counted_add(struct tch_buf *b, const struct tch_stacks *stacks, double count, bool sign);

#endif
