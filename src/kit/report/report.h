/*
 * Reports of runs. Everything is drawn from the run folder, so it can be drawn again.
 */
#ifndef TCH_REPORT_H
#define TCH_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "kit/recorded/recorded_load.h"
#include "kit/result/result.h"

enum { TCH_REPORT_MAX = 1 << 30, TCH_REPORT_RUNS = 64 };

/** A run and where its files are. */
struct tch_report_run {
    struct tch_result result;
    const char *folder;
    enum tch_run_life life;
};

struct tch_report_format {
    const char *name;
    const char *file; /**< its file name in the run folder; NULL: it is not kept there */
    int (*write)(struct tch_buf *b, const struct tch_report_run *runs, size_t count,
                 tacho_error *err);
};

extern const struct tch_report_format tch_report_html;
extern const struct tch_report_format tch_report_md;
extern const struct tch_report_format tch_report_json;
extern const struct tch_report_format tch_report_csv;
/* does not escape names; not in tch_report_formats */
extern const struct tch_report_format tch_report_raw_csv;
extern const struct tch_report_format tch_report_junit;
extern const struct tch_report_format tch_report_prometheus;
extern const struct tch_report_format tch_report_hyperfine;
extern const struct tch_report_format tch_report_bmf;    /* Bencher Metric Format */
extern const struct tch_report_format tch_report_github; /* github-action-benchmark */

/** All formats, terminated by NULL. */
extern const struct tch_report_format *const tch_report_formats[];

/** Reads a run folder and writes nothing; see tch_recorded_load(). Call tch_report_close() even
   after a failure. */
int tch_report_open(struct tch_report_run *run, const char *folder, tacho_error *err);
void tch_report_close(struct tch_report_run *run);

/** Writes report.html and report.md of one run into its folder. */
int tch_report_save(const struct tch_result *r, const char *folder, tacho_error *err);

/** Returns why a run has no statistics, in words; NULL if it has statistics. */
const char *tch_report_nothing(const struct tch_result *r);

/** Adds where the energy of the runs comes from, how reliable it is and what the machine drew when
    idle. Adds nothing for runs of earlier versions. */
void tch_report_add_energy(struct tch_buf *b, const struct tch_result *r);

/** Adds the cost of polling memory and power during the runs. Adds nothing without polls. */
void tch_report_add_costs(struct tch_buf *b, const struct tch_result *r);

/** Adds how much layouts differ, in the words of tch_layout_spread_describe(), if there are any. */
void tch_report_add_layouts(struct tch_buf *b, const struct tch_result *r);

/** Adds what recording for the metrics cost, in the words of tch_recording_cost_describe(). */
void tch_report_add_recording(struct tch_buf *b, const struct tch_result *r);

/** Adds a line with the percentiles of the latencies that the program recorded, if there are
    any. */
void tch_report_add_latencies(struct tch_buf *b, const struct tch_result *r);

#endif
