/*
 * Bars and sparklines for terminals.
 */
#ifndef CLI_BARS_H
#define CLI_BARS_H

#include <stddef.h>

#include "base/buf.h"
#include "term.h"

/** Adds a bar of `width` columns, filled to share (0 to 1) in eighths of a column; without UTF-8 in
    '#'. */
void cli_add_bar(struct tch_buf *b, const struct term *term, double share, size_t width);

/** Adds a sparkline with one column per value, scaled from the smallest to the largest. NaN leaves
    its column empty. */
void cli_add_spark(struct tch_buf *b, const struct term *term, const double *values, size_t count);

#endif
