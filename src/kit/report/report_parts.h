/*
 * Parts of report.html: its frame, its charts, and the parts read from other files of the folder.
 */
#ifndef TCH_REPORT_PARTS_H
#define TCH_REPORT_PARTS_H

#include "report.h"

/* The style and the script of the page, which the build embeds. */
extern const char tch_report_css[];
extern const size_t tch_report_css_len;
extern const char tch_report_js[];
extern const size_t tch_report_js_len;

/** Add the page up to its content, and the rest after it. `from` says what the page was made
    from. */
void tch_page_open(struct tch_buf *b, const char *title);
void tch_page_close(struct tch_buf *b, const char *from);

/** Adds charts: the runs in order, the histogram and the cumulative curve of the wall time, and the
    metrics in order. */
int tch_charts_runs(struct tch_buf *b, const struct tch_result *r, tacho_error *err);

/** Adds memory and power over time from the folder's files, if these have rows. */
int tch_charts_timeline(struct tch_buf *b, const struct tch_report_run *run, tacho_error *err);

/** Adds statistics and charts of the latencies that the program recorded, if any. */
int tch_part_latencies(struct tch_buf *b, const struct tch_report_run *run, tacho_error *err);

/** Adds the peaks of the program's memory categories, if any. */
int tch_part_categories(struct tch_buf *b, const struct tch_report_run *run, tacho_error *err);

/** Adds a picture with a script of its own, in a frame that cannot access the page, because the
    picture may come from somebody else. */
void tch_part_frame(struct tch_buf *b, const char *name, const char *svg, size_t len);

/** Adds each flamegraph-*.svg unchanged, in a frame of its own. */
int tch_part_flamegraphs(struct tch_buf *b, const struct tch_report_run *run, tacho_error *err);

/** Adds the stages of profile.jsonl. Lines that are not events are counted, not listed. */
int tch_part_events(struct tch_buf *b, const struct tch_report_run *run, tacho_error *err);

/** Adds the recorded spans with the largest total time. */
int tch_part_spans(struct tch_buf *b, const struct tch_report_run *run, tacho_error *err);

/** Adds a text as code. Of a hash, with or without quotes, it shows the first digits; all are in
   the tooltip. */
void tch_part_code(struct tch_buf *b, const char *text, size_t len);

/** Adds the result's machine, configuration, plan and costs as tables. */
void tch_part_facts(struct tch_buf *b, const struct tch_result *r);

#endif
