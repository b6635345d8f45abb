/*
 * Numbers for people, in four digits: "12.34 ms", "1.500 MiB", "12.35k". Numbers for programs:
 * float_text.h.
 */
#ifndef TCH_HUMAN_NUMBER_H
#define TCH_HUMAN_NUMBER_H

#include "buf.h"

enum tch_unit {
    TCH_NS,     /**< "7 ns", "1.250 ms", "999.9 s", then "16m40s", "3h00m00s" */
    TCH_BYTES,  /**< "512 B", "1.500 KiB": powers of 1024 */
    TCH_COUNT,  /**< "9999", "12.35k", "4.560M": powers of 1000 */
    TCH_JOULES, /**< "0.5000 J", "12.34 J" */
    TCH_PLAIN,  /**< "2", "0.1234", "12346" */
};

/** Adds a number with its unit; "-" for what is not finite. */
void tch_add_value(struct tch_buf *b, enum tch_unit unit, double value);

/** Adds as few digits as needed, at most four: for axes. */
void tch_add_short(struct tch_buf *b, enum tch_unit unit, double value);

/** Adds "12.5%" for a share of 0.125, "<0.1%" for what would read as nothing; "-" for what is not
    finite. */
void tch_add_percent(struct tch_buf *b, double share);

#endif
