/*
 * The readers of traces, one file a format; trace_model.c chooses.
 */
#ifndef TCH_TRACE_READERS_H
#define TCH_TRACE_READERS_H

#include "trace_read.h"
#include "trace_source.h"

struct tch_trace_reading {
    struct tch_model *m;
    struct tch_trace_read_options options;
    tch_ev_sink *sink;
    void *ctx;
    tacho_error *err;
};

/** Times past this, 73 years to either side, are not believed: sums of them must not overflow. */
#define TCH_TIME_MAX (INT64_C(1) << 61)

/** Counts the event and hands it on. */
static inline int tch_trace_reading_give(struct tch_trace_reading *r, const struct tch_ev *ev)
{
    if (ev->ts > TCH_TIME_MAX || ev->ts < -TCH_TIME_MAX || ev->dur > TCH_TIME_MAX) {
        tch_trace_places_add(&r->m->bad, ev->offset);
        return 0;
    }
    r->m->events++;
    r->m->by_kind[ev->kind]++;
    return r->sink(r->ctx, ev);
}

/** Each returns 0, also when the file is damaged and that was noted in the model; a negative code;
    or what the sink returned. */
int tch_read_babeltrace(struct tch_trace_reading *r, struct tch_trace_source *s);
int tch_read_chrome(struct tch_trace_reading *r, struct tch_trace_source *s);
int tch_read_csv(struct tch_trace_reading *r, struct tch_trace_source *s);
int tch_read_stacks(struct tch_trace_reading *r, struct tch_trace_source *s);
int tch_read_perfetto(struct tch_trace_reading *r, struct tch_trace_source *s);
int tch_read_recording(struct tch_trace_reading *r, struct tch_trace_source *s);

/** Does the content look like that? */
bool tch_is_babeltrace(const struct tch_trace_source *s);
bool tch_is_stacks(const struct tch_trace_source *s);

#endif
