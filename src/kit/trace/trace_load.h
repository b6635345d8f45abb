/*
 * A trace in order: read, begins and ends put together to spans, sorted by track and time.
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

/** Read the fields. */
struct tch_trace_load {
    struct tch_model model;
    struct tch_spool all;   /* everything but begins and ends; then also the spans made of them */
    struct tch_spool pairs; /* begins and ends */
    struct tch_ev *open;    /* begins without an end yet, of one track */
    size_t depth, open_room;
    struct tch_buf args; /* of a begin and its end together */
    uint64_t lone_begins;
    struct tch_trace_places lone_ends;
    int64_t first, last; /**< of all events */
    tacho_error *err;
};

/** By track and time; or by time alone. @return 0 or a negative code; close in any case */
int tch_trace_load_open(struct tch_trace_load *l, const char *path,
                        const struct tch_trace_read_options *options, tch_ev_order *order,
                        tacho_error *err);
void tch_trace_load_close(struct tch_trace_load *l);

/*
 * The same piece by piece, for events that come from several files: begin, the model filled by the
 * caller, every event added, finish.
 */
void tch_trace_load_begin(struct tch_trace_load *l, tch_ev_order *order, tacho_error *err);
int tch_trace_load_add(struct tch_trace_load *l, const struct tch_ev *ev);
int tch_trace_load_finish(struct tch_trace_load *l);

/** 1, 0 after the last, or a negative code. */
int tch_trace_load_next(struct tch_trace_load *l, struct tch_ev *ev, tacho_error *err);

#endif
