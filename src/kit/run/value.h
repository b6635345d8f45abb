/*
 * A number with its unit, for people: "12.34 ms", "1.500 MiB".
 */
#ifndef TCH_VALUE_H
#define TCH_VALUE_H

#include "base/buf.h"
#include "run_sample.h"

/** Four digits; "-" for what is not finite. */
void tch_add_value(struct tch_buf *b, enum tch_unit unit, double value);

/** As few digits as needed, at most four: for axes. */
void tch_add_short(struct tch_buf *b, enum tch_unit unit, double value);

#endif
