/*
 * Numbers for people: durations, sizes, counts, shares, bars and sparklines.
 */
#ifndef CLI_FORMAT_H
#define CLI_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "term.h"

/** Three digits and a unit: "999 ns", "1.25 ms", "59.9 s", then "2m05s", "3h00m". */
void cli_add_duration(struct tch_buf *b, double ns);

/** "512 B", "1.50 KiB", "64.0 MiB": powers of 1024. */
void cli_add_size(struct tch_buf *b, uint64_t bytes);

/** "950", "12.3k", "4.56M": powers of 1000. */
void cli_add_count(struct tch_buf *b, uint64_t count);

/** "12.5%" of a share of 0.125; "<0.1%" for what would read as nothing. */
void cli_add_percent(struct tch_buf *b, double share);

/** A bar of `width` columns filled to share (0 to 1), in eighths of a column; '#' without UTF-8. */
void cli_add_bar(struct tch_buf *b, const struct term *term, double share, size_t width);

/** One column a value, from the smallest to the largest; NaN leaves its column empty. */
void cli_add_spark(struct tch_buf *b, const struct term *term, const double *values, size_t count);

#endif
