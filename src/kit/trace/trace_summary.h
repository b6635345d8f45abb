/*
 * Where the time of a trace went: spans by name, category or track; per track what was busy and
 * where nothing ran; a picture of it. Async spans count by name and category.
 *
 * A file in order of time is read once, in memory bounded by names, tracks and open spans. Any
 * other is sorted first, through a temporary file.
 */
#ifndef TCH_TRACE_SUMMARY_H
#define TCH_TRACE_SUMMARY_H

#include <tacho/latency.h>

#include "trace_read.h"

/*
 * What cost most, when, on each track: a row of cells over the whole time. The time need not be
 * known beforehand: when it grows past the cells, two become one.
 */

enum {
    TCH_LANE_CELLS = 512,
    TCH_CELL_NAMES = 4, /* candidates for what cost most */
};

struct tch_cell {
    uint32_t name[TCH_CELL_NAMES];
    uint64_t ns[TCH_CELL_NAMES]; /* 0: free */
    uint64_t busy;               /* all of it */
};

/** Read the fields. */
struct tch_lanes {
    struct tch_cell **lanes; /**< TCH_LANE_CELLS each */
    size_t count;
    bool started;
    int64_t start; /* of cell 0 */
    int shift;     /* a cell is 2^shift nanoseconds */
};

void tch_lanes_init(struct tch_lanes *l);
void tch_lanes_release(struct tch_lanes *l);

/** One more lane. 0 or -1 when memory ran out. */
int tch_lanes_add(struct tch_lanes *l);

/** From `from` to `to` this lane did `name` itself. */
void tch_lanes_paint(struct tch_lanes *l, size_t lane, uint32_t name, int64_t from, int64_t to);

/** Cells from the first, of `columns` that are to show [first, last]: what cost most in the column,
    or UINT32_MAX where nothing ran; *share is how much of it was busy, 0 to 1. */
uint32_t tch_lanes_column(const struct tch_lanes *l, size_t lane, int64_t first, int64_t last,
                          size_t column, size_t columns, double *share);

/* The summary. */

enum tch_trace_summary_by { TCH_BY_NAME, TCH_BY_CATEGORY, TCH_BY_TRACK };

enum {
    TCH_SUMMARY_FEW = 32,   /* durations that are kept as they are, before there is a histogram */
    TCH_SUMMARY_LONGEST = 3 /* stretches and gaps of a track */
};

/** All spans of one name, category or track. */
struct tch_trace_summary_row {
    uint32_t key; /**< text, or track */
    uint64_t count;
    uint64_t mismatched; /**< of these: ended by the end of a span around them */
    uint64_t total; /**< nanoseconds; on one track, spans of the row inside others count once */
    uint64_t sum;   /**< ... of all spans, for the mean */
    uint64_t self;  /**< ... without the spans inside */
    uint64_t min, max;
    int64_t max_ts; /**< when the longest began */
    uint64_t p50, p95, p99;
    uint64_t few[TCH_SUMMARY_FEW];
    tacho_histogram *more; /* once there are more */
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

/** Read the fields. */
struct tch_trace_summary {
    struct tch_model model;
    enum tch_trace_summary_by by;
    struct tch_trace_summary_row *rows; /**< by total, falling */
    size_t row_count;
    struct tch_trace_summary_track *tracks; /**< that have spans, as they first came */
    size_t track_count;
    struct tch_lanes lanes; /**< by track of the list above */
    bool sorted;            /**< the file was not in order of time */
    uint64_t spans;
    uint64_t unfinished; /**< begins without an end */
    uint64_t lone_ends;
    uint64_t overlaps; /**< spans that begin inside another and end outside of it */
    int64_t first, last;

    struct tch_trace_summary_state *state; /* while it is made */
};

/** @return 0 or a negative code; release in any case */
int tch_trace_summary_make(struct tch_trace_summary *s, const char *path,
                           enum tch_trace_summary_by by,
                           const struct tch_trace_read_options *options, tacho_error *err);
void tch_trace_summary_release(struct tch_trace_summary *s);

/** What the row is about, added to b. */
void tch_trace_summary_add_key(const struct tch_trace_summary *s,
                               const struct tch_trace_summary_row *row, struct tch_buf *b);

#endif
