/*
 * Exact counts in reports of runs: their values, whether they are exact, and the tool that counted.
 */
#ifndef TCH_RUN_COUNTS_H
#define TCH_RUN_COUNTS_H

#include "report.h"

/** Adds the value with all digits: "1,234,567", "513,596 B". Adds a range if runs differ, and "-"
    if the value cannot be counted. */
void tch_count_add_value(struct tch_buf *b, enum tch_count_kind kind, const struct tch_count *c);

/** Adds "exact", "differs between runs" or "not countable". */
void tch_count_add_state(struct tch_buf *b, const struct tch_count *c);

/** Returns the median of the counted runs; NAN without any. */
double tch_count_median(const struct tch_count *c);

/** Returns whether a run has counts, or tried to make some. */
bool tch_report_has_counts(const struct tch_result *r);

/** Add the counts as a section of report.html, and of Markdown. They add nothing without counts. */
void tch_part_counts(struct tch_buf *b, const struct tch_result *r);
void tch_counts_add_md(struct tch_buf *b, const struct tch_result *r);

#endif
