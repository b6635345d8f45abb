/*
 * The charts of a run in report.html.
 */
#ifndef TCH_RUN_CHARTS_H
#define TCH_RUN_CHARTS_H

#include "report.h"

/** Runs in order, histogram and cumulative curve of the wall time, and the metrics in order. */
int tch_charts_runs(struct tch_buf *b, const struct tch_receipt *r, tacho_error *err);

/** Memory and power over time, from the folder's files; nothing where there are no rows. */
int tch_charts_timeline(struct tch_buf *b, const struct tch_report_run *run, tacho_error *err);

#endif
