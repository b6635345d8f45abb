/*
 * Reports of runs: everything is drawn from the run folder, so that it can be drawn again.
 */
#ifndef TCH_REPORT_H
#define TCH_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "kit/run/run.h"

enum { TCH_REPORT_MAX = 1 << 30, TCH_REPORT_RUNS = 64 };

/** A run and where its files are. */
struct tch_report_run {
    struct tch_receipt receipt;
    const char *folder;
    enum tch_run_life life;
};

struct tch_report_format {
    const char *name;
    const char *file; /**< what it is called in the run folder; NULL: not kept there */
    int (*write)(struct tch_buf *b, const struct tch_report_run *runs, size_t count,
                 tacho_error *err);
};

extern const struct tch_report_format tch_report_html;
extern const struct tch_report_format tch_report_md;
extern const struct tch_report_format tch_report_json;
extern const struct tch_report_format tch_report_csv;
extern const struct tch_report_format tch_report_raw_csv; /* names as they are; not in the list */
extern const struct tch_report_format tch_report_junit;
extern const struct tch_report_format tch_report_prometheus;

/** NULL-ended. */
extern const struct tch_report_format *const tch_report_formats[];

/** Reads a run folder and writes nothing; see tch_run_load(). tch_report_close() in any case. */
int tch_report_open(struct tch_report_run *run, const char *folder, tacho_error *err);
void tch_report_close(struct tch_report_run *run);

/** Writes report.html and report.md of one run into its folder. */
int tch_report_save(const struct tch_receipt *r, const char *folder, tacho_error *err);

/** How b compares with a in wall time: paired where both are of one group. */
struct tch_ratio;
int tch_report_compare(const struct tch_receipt *a, const struct tch_receipt *b,
                       struct tch_ratio *ret, tacho_error *err);

/** Returns why a run has no statistics, in words; NULL if it has. */
const char *tch_report_nothing(const struct tch_receipt *r);

/** Says where the energy of the runs comes from, what it is worth and what the machine drew idle;
    nothing for runs of earlier versions. */
void tch_report_add_energy(struct tch_buf *b, const struct tch_receipt *r);

/** Says what looking at memory and power while runs went on cost; nothing where nobody looked. */
void tch_report_add_costs(struct tch_buf *b, const struct tch_receipt *r);

/** Adds how much layouts differ, as tch_layout_spread_describe() says it. false: there are none. */
bool tch_report_add_layouts(struct tch_buf *b, const struct tch_receipt *r);

/** Adds what recording for the metrics cost, as tch_recording_cost_describe() says it. */
void tch_report_add_recording(struct tch_buf *b, const struct tch_receipt *r);

/** Adds a line with the percentiles of the latencies that the program recorded; nothing where there
    are none. */
void tch_report_add_latencies(struct tch_buf *b, const struct tch_receipt *r);

#endif
