/*
 * Reads a recording as events of a model.
 */
#ifndef TCH_RECORDING_EVENTS_H
#define TCH_RECORDING_EVENTS_H

#include <tacho/trace.h>

#include "nesting_rows.h"
#include "record_words.h"
#include "recording_file.h"
#include "recording_walk.h"
#include "trace_model.h"

/** The purpose of the events, which decides their form. */
enum tch_rec_form {
    TCH_REC_FOR_TOOLS,   /**< whole spans; arguments are JSON; thread names come first */
    TCH_REC_FOR_CHROME,  /**< whole spans; arguments are values; events of ferrum's Chrome
                            trace keep their form (TCH_EV_PUT); only threads and processes with
                            events get a track and a name */
    TCH_REC_FOR_PERFETTO /**< begins and ends; arguments are values; events with explicit times are
                              on rows in which they nest */
};

struct tch_recording_source {
    struct tch_recording *r;
    struct tch_model *m; /**< receives the names; may already have those of other recordings */
    enum tch_rec_form form;
    bool no_args;     /**< leave out arguments */
    uint64_t origin;  /**< CLOCK_MONOTONIC nanoseconds, time 0 of the events */
    uint64_t put_pid; /**< pid for spans of tacho_trace_push(), which have no process, for Chrome */
    uint64_t flow_scope; /**< 0, or a number that distinguishes flows from those of another scope
                            with equal ids */
};

/** Walks the recording and passes its events to the sink. A span comes when it ends.
    @return 0, a negative code, or the result of the sink */
int tch_recording_events(const struct tch_recording_source *source, tch_ev_sink *sink, void *ctx,
                         tacho_error *err);

/** Adds the reasons why records were dropped, such as "limit, disk". */
void tch_add_reasons(struct tch_buf *b, uint64_t reasons);

/* Shared by recording_events.c and recording_timed_events.c. */

enum { TCH_REC_EVENT_ARGS = 2 * TACHO_ARGS_MAX };

/* The texts of a site in the model. */
struct tch_rec_site_texts {
    uint32_t name; /* 1 + the text; 0: not known yet */
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
    struct tch_ev plain; /* fields that all spans without arguments share */

    /* The current thread. */
    uint64_t pid, tid;
    uint32_t track; /* TCH_INTERN_NONE: it has no events yet */
    uint32_t name;  /* the name that it gave itself, a text of the model; 0: none */
    char comm[17];
    bool own; /* a thread or track of the program has events */

    uint32_t ended_by; /* ended_by of the current span, as in struct tch_seen_event */
    char mismatch[128];
    struct tch_rec_arg values[TCH_REC_EVENT_ARGS + 1];
    uint32_t value_count;
    struct tch_buf json;
};

static inline int64_t tch_rec_from_origin(const struct tch_rec_events *s, uint64_t ns)
{
    return ns > s->given->origin ? (int64_t)(ns - s->given->origin) : 0;
}

/** Adds a text to the model and returns its number. */
int tch_rec_add_text(struct tch_rec_events *s, const char *text, size_t len, uint32_t *ret);

/** Sets the track of an event that is not on the track of its thread. */
int tch_rec_set_track(struct tch_rec_events *s, struct tch_ev *ev, uint64_t pid, uint64_t tid);

/** Sends an event to the sink. Its kind, phase, track and times must be set; site and arguments
    are added. */
int tch_rec_emit(struct tch_rec_events *s, uint32_t site, struct tch_ev *ev,
                 struct tch_rec_args args, struct tch_rec_args more);

/** Sends an event with explicit times to the sink. For Perfetto, a span is sent as a begin and
    an end. */
int tch_rec_timed_event(struct tch_rec_events *s, const struct tch_seen_event *e);

#endif
