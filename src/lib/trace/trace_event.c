/* Records all events except for the thread's own spans: those of ferrum's Chrome trace,
   instants, counters, flows, asynchronous spans, names, and the program's own tracks. */
#include <string.h>

#include "record_put.h"
#include "trace_names.h"
#include "trace_start.h"

/* Events of ferrum's Chrome trace. Their first one reads the environment, as ferrum's does. Spans
   do not, because they are inline and may begin in a signal handler. */

static bool begin_ferrum(struct tch_put_event *e, enum tch_rec_kind kind, const char *name,
                         const char *category)
{
    if (!tacho_trace_is_on())
        tch_trace_first_push();
    return tch_put_begin(e, kind, name, category);
}

uint64_t tacho_trace_duration_us(double duration_ms)
{
    double us = duration_ms * 1000.0;
    uint64_t whole;

    if (!(us > 0))
        return 0; /* also for NaN */
    if (us >= 18446744073709551616.0)
        return UINT64_MAX;
    whole = (uint64_t)us;
    return us - (double)whole >= 0.5 ? whole + 1 : whole;
}

void(tacho_trace_push_args)(const char *name, const char *category, double duration_ms,
                            uint32_t track, tacho_fields args)
{
    struct tch_put_event e;

    if (!begin_ferrum(&e, TCH_REC_PUSH, name, category))
        return;
    e.fixed[0] = tacho_trace_duration_us(duration_ms);
    e.fixed[1] = track;
    tch_put(&e, args);
}

void(tacho_trace_push)(const char *name, const char *category, double duration_ms, uint32_t track)
{
    (tacho_trace_push_args)(name, category, duration_ms, track, TACHO_NO_FIELDS);
}

void(tacho_trace_push_event)(const tacho_trace_event *event)
{
    struct tch_put_event e;

    if (!begin_ferrum(&e, TCH_REC_PUT, event->name, event->category))
        return;
    e.fixed[0] = event->ts_us;
    e.fixed[1] = event->dur_us;
    e.fixed[2] = event->pid;
    e.fixed[3] = event->tid;
    e.fixed[4] = tch_trace_text(event->phase);
    if (e.fixed[4] == 0) {
        tch_recorder_drop(1, 0);
        return;
    }
    tch_put(&e, event->args);
}

/* Other events of this thread. */

void(tacho_instant)(const char *name, const char *category, enum tacho_scope scope,
                    tacho_fields args)
{
    struct tch_put_event e;

    if (!tch_put_begin(&e, TCH_REC_INSTANT, name, category))
        return;
    e.fixed[0] = (uint64_t)scope;
    tch_put(&e, args);
}

static void put_counter(const char *name, enum tacho_field_type type, uint64_t value)
{
    struct tch_put_event e;

    if (!tch_put_begin(&e, TCH_REC_COUNTER, name, ""))
        return;
    e.fixed[0] = (uint64_t)type;
    e.fixed[1] = value;
    tch_put(&e, TACHO_NO_FIELDS);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

void(tacho_counter_i64)(const char *name, int64_t value)
{
    put_counter(name, TACHO_FIELD_I64, (uint64_t)value);
}

void(tacho_counter_f64)(const char *name, double value)
{
    put_counter(name, TACHO_FIELD_F64, bits_of(value));
}

void(tacho_flow)(const char *name, const char *category, enum tacho_phase phase, uint64_t id)
{
    struct tch_put_event e;

    if (!tch_put_begin(&e, TCH_REC_FLOW, name, category))
        return;
    e.fixed[0] = (uint64_t)phase;
    e.fixed[1] = id;
    tch_put(&e, TACHO_NO_FIELDS);
}

void(tacho_async)(const char *name, const char *category, enum tacho_phase phase, uint64_t id,
                  tacho_fields args)
{
    struct tch_put_event e;

    if (!tch_put_begin(&e, TCH_REC_ASYNC, name, category))
        return;
    e.fixed[0] = (uint64_t)phase;
    e.fixed[1] = id;
    tch_put(&e, args);
}

static uint32_t put_name(enum tch_rec_kind kind, const char *name)
{
    uint32_t text;

    if (!tacho_trace_is_on())
        return 0;
    text = tch_trace_text(name);
    if (text != 0)
        tch_put(&(struct tch_put_event){.kind = kind, .id = text, .ticks = tch_ticks()},
                TACHO_NO_FIELDS);
    else
        tch_recorder_drop(1, 0);
    return text;
}

void(tacho_thread_name)(const char *name)
{
    uint32_t text = put_name(TCH_REC_THREAD_NAME, name);

    if (text != 0)
        tacho_trace_cursor.name = text;
}

void(tacho_process_name)(const char *name)
{
    put_name(TCH_REC_PROCESS_NAME, name);
}

/* Tracks that the program makes. */

uint64_t tacho_trace_now_ns(void)
{
    return tch_now_ns();
}

uint32_t(tacho_track)(const char *name)
{
    return tacho_trace_is_on() ? tch_trace_text(name) : 0;
}

/* Starts an event on a track. Nothing is recorded on track 0, which is the number of a track
   that was made while no trace was on, or without room for its name. */
static bool begin_on_track(struct tch_put_event *e, enum tch_rec_kind kind, uint32_t track,
                           const char *name, const char *category)
{
    if (track == 0) {
        if (tacho_trace_is_on())
            tch_recorder_drop(1, 0);
        return false;
    }
    if (!tch_put_begin(e, kind, name, category))
        return false;
    e->fixed[0] = track;
    return true;
}

void(tacho_track_span)(uint32_t track, const char *name, const char *category, uint64_t start_ns,
                       uint64_t end_ns, tacho_fields args)
{
    struct tch_put_event e;

    if (!begin_on_track(&e, TCH_REC_TRACK_SPAN, track, name, category))
        return;
    e.fixed[1] = start_ns;
    e.fixed[2] = end_ns;
    tch_put(&e, args);
}

void(tacho_track_instant)(uint32_t track, const char *name, const char *category, uint64_t at_ns,
                          tacho_fields args)
{
    struct tch_put_event e;

    if (!begin_on_track(&e, TCH_REC_TRACK_INSTANT, track, name, category))
        return;
    e.fixed[1] = at_ns;
    tch_put(&e, args);
}

void(tacho_track_counter)(uint32_t track, const char *name, uint64_t at_ns, double value)
{
    struct tch_put_event e;

    if (!begin_on_track(&e, TCH_REC_TRACK_COUNTER, track, name, ""))
        return;
    e.fixed[1] = at_ns;
    e.fixed[2] = bits_of(value);
    tch_put(&e, TACHO_NO_FIELDS);
}
