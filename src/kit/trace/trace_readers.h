/*
 * The readers of traces, one file per format. trace_read.c chooses one.
 */
#ifndef TCH_TRACE_READERS_H
#define TCH_TRACE_READERS_H

#include "trace_read.h"
#include "trace_source.h"

/** State that all readers share. */
struct tch_trace_reading {
    struct tch_model *m;
    struct tch_trace_read_options options;
    tch_ev_sink *sink;
    void *ctx;
    tacho_error *err;
};

/** Limit of times, 73 years to either side, so that sums cannot overflow. Times beyond it are
    treated as errors. */
#define TCH_TIME_MAX (INT64_C(1) << 61)

/** Returns TCH_EV_MISMATCHED if the arguments, as JSON or as bytes of Perfetto, have that mark. */
static inline uint8_t tch_trace_args_flags(const void *args, size_t len)
{
    return memmem(args, len, TCH_MISMATCH, sizeof TCH_MISMATCH - 1) ? TCH_EV_MISMATCHED : 0;
}

/** Adds what the recorder reports about itself, by an instant of category "tacho", to the model:
    dropped records, invalid JSON, clock faults. args is a JSON object. */
void tch_trace_reading_note(struct tch_trace_reading *r, uint32_t name, uint32_t category,
                            const char *args, size_t len);

/** Counts the event and passes it to the sink. */
static inline int tch_trace_reading_give(struct tch_trace_reading *r, const struct tch_ev *ev)
{
    if (ev->ts > TCH_TIME_MAX || ev->ts < -TCH_TIME_MAX || ev->dur > TCH_TIME_MAX) {
        tch_trace_places_add(&r->m->bad, ev->offset);
        return 0;
    }
    r->m->events++;
    r->m->mismatched += (ev->flags & TCH_EV_MISMATCHED) != 0;
    r->m->by_kind[ev->kind]++;
    return r->sink(r->ctx, ev);
}

/** Each reader returns 0, even for a damaged file, which it notes in the model; a negative code; or
    the result of the sink. */
int tch_read_babeltrace(struct tch_trace_reading *r, struct tch_trace_source *s);
int tch_read_chrome(struct tch_trace_reading *r, struct tch_trace_source *s);
int tch_read_csv(struct tch_trace_reading *r, struct tch_trace_source *s);
int tch_read_stacks(struct tch_trace_reading *r, struct tch_trace_source *s);
int tch_read_perfetto(struct tch_trace_reading *r, struct tch_trace_source *s);
int tch_read_recording(struct tch_trace_reading *r, struct tch_trace_source *s);

/** Return whether the content looks like this format. */
bool tch_is_babeltrace(const struct tch_trace_source *s);
bool tch_is_stacks(const struct tch_trace_source *s);

#endif
