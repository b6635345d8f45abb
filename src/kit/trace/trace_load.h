/*
 * Reads a trace, joins begins and ends to spans, and sorts the events by track and time.
 *
 *     tch_trace_load_open(&l, path, &options, &err);
 *     while ((more = tch_trace_load_next(&l, &ev, &err)) > 0) ...
 *     tch_trace_load_close(&l);
 */
#ifndef TCH_TRACE_LOAD_H
#define TCH_TRACE_LOAD_H

#include "base/buf.h"
#include "trace_read.h"
#include "trace_spool.h"

/** State of reading a trace. The caller may read the documented fields. */
struct tch_trace_load {
    struct tch_model model;
    /* All events except begins and ends; later also the spans made from those. */
    struct tch_spool all;
    struct tch_spool pairs; /* begins and ends */
    struct tch_ev *open;    /* begins of one track whose end was not found yet */
    size_t depth, open_room;
    struct tch_trace_load_track *tracks; /* by track: what its whole spans say about their order */
    size_t track_room;
    struct tch_ev *ties; /* spans with the same times that are handed out in reverse */
    size_t tie_count, tie_room;
    struct tch_ev ahead; /* the event after them */
    bool has_ahead;
    struct tch_buf args; /* joined arguments of a begin and its end */
    uint64_t lone_begins;
    struct tch_trace_places lone_ends;
    bool disordered;     /**< a track is neither in the order of its begins nor of its ends */
    bool any;            /* first and last are set */
    int64_t first, last; /**< times of the first and last event */
    tacho_error *err;
};

/** Opens a trace and sorts it by track and time, or by time alone. @return 0 or a negative code;
    close in any case */
int tch_trace_load_open(struct tch_trace_load *l, const char *path,
                        const struct tch_trace_read_options *options, tch_ev_order *order,
                        tacho_error *err);
void tch_trace_load_close(struct tch_trace_load *l);

/** Returns whether the events of this kind of file are counted in the order in which they are read,
    because their reader does not set `offset`. */
static inline bool tch_trace_is_counted(enum tch_trace_kind kind)
{
    return !tch_kind_has_offsets(kind) && kind != TCH_KIND_RECORDING;
}

/*
 * The steps of tch_trace_load_open(), for callers that change events or read several files: begin,
 * fill the model, add every event, finish. Adding notes the time of an event; a caller that holds
 * events back does so itself. The offset of an event must say where it is in the input;
 * tch_trace_load_number() sets it for formats without byte offsets.
 */
void tch_trace_load_begin(struct tch_trace_load *l, tch_ev_order *order, tacho_error *err);
void tch_trace_load_number(const struct tch_trace_load *l, struct tch_ev *ev);
void tch_trace_load_note_time(struct tch_trace_load *l, const struct tch_ev *ev);
int tch_trace_load_add(struct tch_trace_load *l, const struct tch_ev *ev);
int tch_trace_load_finish(struct tch_trace_load *l);

/** Reads the next event. Returns 1, 0 after the last, or a negative code. */
int tch_trace_load_next(struct tch_trace_load *l, struct tch_ev *ev, tacho_error *err);

#endif
