/*
 * Rows for events with explicit times. Viewers want the spans of one track to nest; those that
 * overlap another only partly go to rows of their own.
 */
#ifndef TCH_NESTING_ROWS_H
#define TCH_NESTING_ROWS_H

#include "recording_file.h"

enum tch_trace_row_kind {
    TCH_ROW_TRACK, /**< a: text of its name */
    TCH_ROW_PUSH,  /**< a: the track's number */
    TCH_ROW_PUT,   /**< a: pid, b: tid */
};

struct tch_trace_row {
    enum tch_trace_row_kind kind;
    uint64_t a, b;
    uint32_t lane; /**< 0 for the first of its track */
};

struct tch_trace_rows {
    struct tch_trace_row *rows;
    size_t row_room;
    uint32_t count;
    struct tch_trace_row_item *items; /* as they came */
    size_t item_count, item_room;
    size_t next; /* of the second walk */
};

/** Walks r once and lays out all that has explicit times. Nothing is allocated where there is none.
    @return 0, or a negative code; tch_trace_rows_release() in any case */
int tch_trace_rows_lay_out(struct tch_trace_rows *rows, struct tch_recording *r, tacho_error *err);
void tch_trace_rows_release(struct tch_trace_rows *rows);

#define TCH_NO_ROW UINT32_MAX

/** The number of the row of such an event; they come in the order of the walk. TCH_NO_ROW: it was
    not there, nor its track, when the rows were laid out; or the header is damaged. */
uint32_t tch_trace_rows_next(struct tch_trace_rows *rows, const struct tch_recording *r,
                             const struct tch_seen_event *e);

/** When such an event begins and ends, in CLOCK_MONOTONIC nanoseconds. */
void tch_trace_rows_times(const struct tch_recording *r, const struct tch_seen_event *e,
                          uint64_t *start, uint64_t *end);

/** When a push began, in microseconds from the start of the trace, and how long it is. One that
    began before the trace starts at 0 and keeps its duration. */
void tch_push_times(const struct tch_recording *r, const struct tch_seen_event *e, uint64_t *ts_us,
                    uint64_t *dur_us);

#endif
