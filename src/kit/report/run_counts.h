/*
 * Exact counts in reports of runs: their numbers, whether they are exact, and what counted them.
 */
#ifndef TCH_RUN_COUNTS_H
#define TCH_RUN_COUNTS_H

#include "report.h"

/** Adds the value, every digit of it: "1,234,567", "513,596 B"; a range where runs differ; "-" for
    what cannot be counted. */
void tch_count_add_value(struct tch_buf *b, enum tch_count_kind kind, const struct tch_count *c);

/** Adds "exact", "differs between runs" or "not countable". */
void tch_count_add_state(struct tch_buf *b, const struct tch_count *c);

/** Adds what counted it and what that cost, or why it cannot be counted. */
void tch_count_add_source(struct tch_buf *b, const struct tch_receipt *r,
                          const struct tch_count *c);

/** Returns the median of the counted runs; NAN where there are none. */
double tch_count_median(const struct tch_count *c);

/** Says whether a run has counts, or tried to make some. */
bool tch_report_has_counts(const struct tch_receipt *r);

/** Adds the counts as a section of report.html, and of Markdown. Nothing where there are none. */
void tch_part_counts(struct tch_buf *b, const struct tch_receipt *r);
void tch_counts_add_md(struct tch_buf *b, const struct tch_receipt *r);

#endif
