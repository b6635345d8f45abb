/*
 * Numbers for people. Mostly in four digits: "12.34 ms", "1.500 MiB", "12.35k". Numbers for
 * programs: float_text.h.
 */
#ifndef TCH_HUMAN_NUMBER_H
#define TCH_HUMAN_NUMBER_H

#include <stdint.h>

#include "base/buf.h"

enum tch_unit {
    TCH_NS,     /**< "7 ns", "1.250 ms", "999.9 s", then "16m40s", "3h00m00s" */
    TCH_BYTES,  /**< "512 B", "1.500 KiB": powers of 1024 */
    TCH_COUNT,  /**< "9999", "12.35k", "4.560M": powers of 1000 */
    TCH_JOULES, /**< "69.21 uJ", "0.5000 J", "12.34 J" */
    TCH_PLAIN,  /**< "2", "0.1234", "12346" */
    TCH_RATE,   /**< "0.1234", "1120", then "2.780M": powers of 1000 */
};

/** Adds a number with its unit; "-" when it is not finite. */
void tch_add_value(struct tch_buf *b, enum tch_unit unit, double value);

/** Adds nanoseconds in the unit of the largest time of a column, "0.9 s" beside "7.4 s"; "-" when
    they are not finite. */
void tch_add_time_like(struct tch_buf *b, double ns, double largest);

/** Adds as few digits as needed, at most four, for axes. Numbers that are `step` (one digit) apart
    get up to seven where four would give the same text. step 0: there is no step. */
void tch_add_short(struct tch_buf *b, enum tch_unit unit, double value, double step);

/** Adds "12.5 %" for a share of 0.125, "<0.1 %" for a share above 0 that would print as 0.0 %,
    "-" for a share that is not finite. */
void tch_add_percent(struct tch_buf *b, double share);

/** Returns the end of a noun after this number: "" after 1, otherwise "s". */
static inline const char *tch_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/** Returns the precision with which "%.*g" shows a factor without an exponent, up to a million. */
static inline int tch_factor_digits(double times)
{
    return times >= 999.5 && times < 999999.5 ? 6 : 3;
}

/** Adds "1,234,567". */
void tch_add_grouped(struct tch_buf *b, uint64_t value);

/** Adds the digits only. A picture has so many numbers that printf() would take half of the
    time. */
void tch_add_u64(struct tch_buf *b, uint64_t value);

/** Adds like "%.*f" with 1 to 4 decimals. */
void tch_add_fixed(struct tch_buf *b, double value, unsigned decimals);

#endif
