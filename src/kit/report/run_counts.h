/*
 * Exact counts in reports of runs: their values, whether they are exact, and the tool that counted.
 */
#ifndef TCH_RUN_COUNTS_H
#define TCH_RUN_COUNTS_H

#include "kit/text/table_forms.h"
#include "report.h"

/** Returns the median of the counted runs; NAN without any. */
double tch_count_median(const struct tch_count *c);

/** Returns whether a run has counts, or tried to make some. */
bool tch_report_has_counts(const struct tch_result *r);

/** Adds the counts as a table, in every form. Adds nothing without counts. */
void tch_counts_table(struct tch_buf *b, struct tch_table_form form, const struct tch_result *r);

/** Adds the same as a section of report.html. */
void tch_part_counts(struct tch_buf *b, const struct tch_result *r);

#endif
