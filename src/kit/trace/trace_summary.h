/*
 * Sums up where the time of a trace went: spans by name, category or track; per track, busy time
 * and gaps; and a picture. Async spans count by name and category.
 *
 * A file in order of time is read once, with memory for its names, tracks and open spans only. Any
 * other file is sorted first, through a temporary file.
 */
#ifndef TCH_TRACE_SUMMARY_H
#define TCH_TRACE_SUMMARY_H

#include <tacho/latency.h>

#include "trace_lanes.h"
#include "trace_read.h"

enum tch_trace_summary_by { TCH_BY_NAME, TCH_BY_CATEGORY, TCH_BY_TRACK };

enum {
    TCH_SUMMARY_FEW = 32,   /* durations that are kept before a histogram is made */
    TCH_SUMMARY_LONGEST = 3 /* longest stretches and gaps kept per track */
};

/** All spans of one name, category or track. */
struct tch_trace_summary_row {
    uint32_t key; /**< number of a text or a track */
    uint64_t count;
    uint64_t mismatched; /**< spans closed by the end of a span around them */
    uint64_t total;      /**< nanoseconds; nested spans of the row on one track count once */
    uint64_t sum;        /**< nanoseconds of all spans, for the mean */
    uint64_t self;       /**< nanoseconds without the spans inside */
    uint64_t min, max;
    int64_t max_ts; /**< start time of the longest span */
    uint64_t p50, p95, p99;
    uint64_t few[TCH_SUMMARY_FEW];
    tacho_histogram *more; /* NULL while `few` suffices */
};

struct tch_stretch {
    int64_t ts;
    int64_t dur;
};

struct tch_trace_summary_track {
    uint32_t track;
    uint64_t spans;
    uint64_t busy; /**< nanoseconds in which at least one span was open */
    int64_t first, last;
    struct tch_stretch busiest[TCH_SUMMARY_LONGEST]; /**< longest first; dur 0: none */
    struct tch_stretch gaps[TCH_SUMMARY_LONGEST];
};

/** A summary. The caller may read the documented fields. */
struct tch_trace_summary {
    struct tch_model model;
    enum tch_trace_summary_by by;
    struct tch_trace_summary_row *rows; /**< by total, largest first */
    size_t row_count;
    /** Tracks with spans, in the order of their first span. */
    struct tch_trace_summary_track *tracks;
    size_t track_count;
    struct tch_lanes lanes; /**< by index in tracks */
    bool sorted;            /**< the file was not in order of time and was sorted */
    bool disordered;        /**< its tracks are not in the order of begins or of ends either */
    uint64_t spans;
    uint64_t unfinished; /**< begins without an end */
    uint64_t lone_ends;
    uint64_t overlaps; /**< spans that begin inside another one and end outside it */
    int64_t first, last;

    struct tch_trace_summary_state *state; /* exists only while the summary is made */
};

/** Makes a summary. @return 0 or a negative code; release s in any case */
int tch_trace_summary_make(struct tch_trace_summary *s, const char *path,
                           enum tch_trace_summary_by by,
                           const struct tch_trace_read_options *options, tacho_error *err);
void tch_trace_summary_release(struct tch_trace_summary *s);

/** Adds the name of the row to b. */
void tch_trace_summary_add_key(const struct tch_trace_summary *s,
                               const struct tch_trace_summary_row *row, struct tch_buf *b);

#endif
