/*
 * A recording as events of a model.
 */
#ifndef TCH_RECORDING_EVENTS_H
#define TCH_RECORDING_EVENTS_H

#include <tacho/trace.h>

#include "nesting_rows.h"
#include "recording_file.h"
#include "trace_model.h"

/** What the events are for, and so which form they have. */
enum tch_rec_form {
    TCH_REC_FOR_TOOLS,   /**< whole spans; arguments are JSON; thread names come first */
    TCH_REC_FOR_CHROME,  /**< whole spans; arguments are values; what was put keeps its form
                              (TCH_EV_PUT); only what has events gets a track and a name */
    TCH_REC_FOR_PERFETTO /**< begins and ends; arguments are values; events with explicit times are
                              on rows in which they nest */
};

struct tch_recording_source {
    struct tch_recording *r;
    struct tch_model *m; /**< gets the names; may have those of other recordings */
    enum tch_rec_form form;
    bool no_args;        /**< leave out arguments */
    uint64_t origin;     /**< CLOCK_MONOTONIC nanoseconds, time 0 of the events */
    uint64_t put_pid;    /**< in Chrome's form: of spans that were put without a process */
    uint64_t flow_scope; /**< 0, or what sets flows apart from equal ids of another scope */
};

/** Walks the recording and gives its events to the sink. Spans come when they end.
    @return 0, a negative code, or what the sink returned */
int tch_recording_events(const struct tch_recording_source *source, tch_ev_sink *sink, void *ctx,
                         tacho_error *err);

/** Adds the reasons why records were dropped, such as "limit, disk". */
void tch_add_reasons(struct tch_buf *b, uint64_t reasons);

/* What recording_events.c and recording_timed_events.c share. */

enum { TCH_REC_EVENT_ARGS = 2 * TACHO_ARGS_MAX };

/* The texts of a site in the model. */
struct tch_rec_site_texts {
    uint32_t name; /* plus 1; 0: not known yet */
    uint32_t category;
};

struct tch_rec_events {
    const struct tch_recording_source *given;
    struct tch_recording *r;
    struct tch_model *m;
    tch_ev_sink *sink;
    void *ctx;
    tacho_error *err;
    struct tch_trace_rows rows;
    struct tch_rec_site_texts *sites;
    struct tch_ev plain; /* a span without arguments */

    /* Of the thread. */
    uint64_t pid, tid;
    uint32_t track; /* TCH_INTERN_NONE: it has no events yet */
    uint32_t name;  /* that it gave itself; a text of the model, 0: none */
    char comm[17];
    bool own; /* a thread or track of the program has events */

    uint32_t ended_by; /* of the span: as in struct tch_seen_event */
    char mismatch[128];
    struct tch_rec_arg values[TCH_REC_EVENT_ARGS + 1];
    uint32_t value_count;
    struct tch_buf json;
};

static inline int64_t tch_rec_from_origin(const struct tch_rec_events *s, uint64_t ns)
{
    return ns > s->given->origin ? (int64_t)(ns - s->given->origin) : 0;
}

/** Sets a text of the model. */
int tch_rec_add_text(struct tch_rec_events *s, const char *text, size_t len, uint32_t *ret);

/** Sets the track of an event that is not on its thread's. */
int tch_rec_set_track(struct tch_rec_events *s, struct tch_ev *ev, uint64_t pid, uint64_t tid);

/** Gives an event whose kind, phase, track and times are set, with these arguments. */
int tch_rec_emit(struct tch_rec_events *s, uint32_t site, struct tch_ev *ev,
                 struct tch_rec_args args, struct tch_rec_args more);

/** Gives an event with explicit times; of a span for Perfetto its two ends. */
int tch_rec_timed_event(struct tch_rec_events *s, const struct tch_seen_event *e);

#endif
