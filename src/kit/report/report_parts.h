/*
 * Parts of report.html that come from other files of the folder, or from any JSON.
 */
#ifndef TCH_REPORT_PARTS_H
#define TCH_REPORT_PARTS_H

#include "report.h"

/** A picture that has a script of its own, in a frame. */
void tch_part_frame(struct tch_buf *b, const char *name, const char *svg, size_t len);

/** Each flamegraph-*.svg, as it is, in a frame of its own. */
int tch_part_flamegraphs(struct tch_buf *b, const struct tch_report_run *run, tacho_error *err);

/** Where the time went, of profile.jsonl; lines that are no events are counted, not told. */
int tch_part_events(struct tch_buf *b, const struct tch_report_run *run, tacho_error *err);

/** The spans that took most time in all, of what the program recorded. */
int tch_part_spans(struct tch_buf *b, const struct tch_report_run *run, tacho_error *err);

/** The machine, the configuration, the plan and the costs: what the receipt says, as tables. */
void tch_part_facts(struct tch_buf *b, const struct tch_receipt *r);

#endif
