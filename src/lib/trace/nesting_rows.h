/*
 * Rows for events with explicit times. Viewers require that the spans of one track nest, so a span
 * that overlaps another only partly goes to a row of its own.
 */
#ifndef TCH_NESTING_ROWS_H
#define TCH_NESTING_ROWS_H

#include "recording_file.h"
#include "recording_walk.h"

enum tch_trace_row_kind {
    TCH_ROW_TRACK, /**< a: text number of its name */
    TCH_ROW_PUSH,  /**< a: the track's number */
    TCH_ROW_PUT,   /**< a: pid, b: tid */
};

struct tch_trace_row {
    enum tch_trace_row_kind kind;
    uint64_t a, b;
    uint32_t lane; /**< 0 for the first row of its track */
};

struct tch_trace_rows {
    struct tch_trace_row *rows;
    size_t row_room;
    uint32_t count;
    struct tch_trace_row_item *items; /* in the order of the recording */
    size_t item_count, item_room;
    size_t next; /* item that the second walk expects next */
};

/** Walks r once and lays out all events with explicit times. Allocates nothing when there are
    none.
    @return 0, or a negative code; call tch_trace_rows_release() in either case */
int tch_trace_rows_lay_out(struct tch_trace_rows *rows, struct tch_recording *r, tacho_error *err);
void tch_trace_rows_release(struct tch_trace_rows *rows);

#define TCH_NO_ROW UINT32_MAX

/** Returns the number of the row of such an event. Events must come in the order of the walk.
    Returns TCH_NO_ROW when neither the event nor its track existed when the rows were laid out,
    or when the header is damaged. */
uint32_t tch_trace_rows_next(struct tch_trace_rows *rows, const struct tch_recording *r,
                             const struct tch_seen_event *e);

/** Returns when such an event begins and ends, in CLOCK_MONOTONIC nanoseconds. */
void tch_trace_rows_times(const struct tch_recording *r, const struct tch_seen_event *e,
                          uint64_t *start, uint64_t *end);

/** Returns the start of a pushed event, in microseconds from the start of the trace, and its
    duration. One that began before the trace starts at 0 and keeps its duration. */
void tch_push_times(const struct tch_recording *r, const struct tch_seen_event *e, uint64_t *ts_us,
                    uint64_t *dur_us);

#endif
