/* Converts events whose times the program gave: those on a track of the program's own, and those
   in the format of ferrum's Chrome trace. */
#include <stdio.h>

#include "base/fail.h"
#include "recording_events.h"
#include "recording_walk.h"

enum { ROW_TID = 0x40000000 }; /* the first tid of a row; no thread has one that high */

/* Puts an event on a row of its own, with a tid that no thread has. */
static int set_row(struct tch_rec_events *s, struct tch_ev *ev, uint32_t number)
{
    const struct tch_trace_row *row = &s->rows.rows[number];
    const struct tch_rec_name *text;
    struct tch_trace_track *t;
    char name[64];
    int len;

    s->own = true;
    if (tch_rec_set_track(s, ev, s->r->head.pid, (uint64_t)ROW_TID + number) < 0)
        return TACHO_ENOMEM;
    t = &s->m->tracks[ev->track];
    if (t->made_up)
        return 0;
    t->made_up = true;
    t->apart = row->kind != TCH_ROW_TRACK;
    if (row->kind == TCH_ROW_TRACK) {
        text = tch_rec_text(s->r, (uint32_t)row->a);
        return tch_rec_add_text(s, text->name, text->name_len, &t->name);
    }
    len = row->kind == TCH_ROW_PUSH
              ? snprintf(name, sizeof name, "track %llu", (unsigned long long)row->a)
              : snprintf(name, sizeof name, "process %llu, thread %llu", (unsigned long long)row->a,
                         (unsigned long long)row->b);
    return tch_rec_add_text(s, name, (size_t)len, &t->name);
}

/* Emits an event of ferrum's Chrome trace. It has whole microseconds from the start of the
   recording, and any phase. */
static int put_event(struct tch_rec_events *s, const struct tch_seen_event *e)
{
    struct tch_ev ev = {.kind = TCH_EV_SPAN, .phase = 'X', .flags = TCH_EV_PUT};
    uint64_t ts = e->fixed[0], dur = e->fixed[1], pid = 0, tid = e->fixed[1];
    const struct tch_rec_name *phase;
    uint32_t text = 0;

    if (e->kind == TCH_REC_PUSH) {
        tch_push_times(s->r, e, &ts, &dur);
    } else {
        pid = e->fixed[2];
        tid = e->fixed[3];
        phase = tch_rec_text(s->r, (uint32_t)e->fixed[4]);
        if (phase->name_len != 1 || phase->name[0] != 'X') {
            if (tch_rec_add_text(s, phase->name, phase->name_len, &text) < 0)
                return TACHO_ENOMEM;
            ev.id = text;
            ev.phase = '\0';
        }
    }
    ev.ts = (int64_t)(ts + (uint64_t)tch_rec_from_origin(s, s->r->clock.first.ns) / 1000);
    ev.dur = (int64_t)dur;
    if (tch_rec_set_track(s, &ev, pid ? pid : s->given->put_pid, tid) < 0)
        return TACHO_ENOMEM;
    return tch_rec_emit(s, e->id, &ev, e->args, e->end_args);
}

static bool is_put(const struct tch_seen_event *e)
{
    return e->kind == TCH_REC_PUSH || e->kind == TCH_REC_PUT;
}

/* Returns whether the event is shown as a span. An event of tacho_trace_push_event() whose phase is
   not that of a span is shown as an instant. */
static bool is_span(const struct tch_rec_events *s, const struct tch_seen_event *e)
{
    const struct tch_rec_name *phase;

    if (e->kind != TCH_REC_PUT)
        return e->kind != TCH_REC_TRACK_INSTANT;
    phase = tch_rec_text(s->r, (uint32_t)e->fixed[4]);
    return phase->name_len == 1 && phase->name[0] == 'X';
}

/* Sets the track of the event. For Perfetto, all events are on rows. For other formats, events
   of ferrum's Chrome trace keep the track that the program gave. */
static int set_place(struct tch_rec_events *s, const struct tch_seen_event *e, uint32_t row,
                     struct tch_ev *ev)
{
    if (s->given->form == TCH_REC_FOR_PERFETTO || !is_put(e))
        return set_row(s, ev, row);
    if (e->kind == TCH_REC_PUSH)
        return tch_rec_set_track(s, ev, 0, e->fixed[1]);
    return tch_rec_set_track(s, ev, e->fixed[2], e->fixed[3]);
}

static int emit_edges(struct tch_rec_events *s, const struct tch_seen_event *e, struct tch_ev *ev,
                      int64_t end)
{
    static const struct tch_rec_args none;
    int status;

    ev->kind = TCH_EV_BEGIN;
    ev->phase = 'B';
    status = tch_rec_emit(s, e->id, ev, e->args, e->end_args);
    if (status != 0)
        return status;
    ev->kind = TCH_EV_END;
    ev->phase = 'E';
    ev->ts = end;
    ev->args_len = 0;
    return tch_rec_emit(s, e->id, ev, none, none);
}

int tch_rec_timed_event(struct tch_rec_events *s, const struct tch_seen_event *e)
{
    bool edges = s->given->form == TCH_REC_FOR_PERFETTO;
    uint32_t row = tch_trace_rows_next(&s->rows, s->r, e);
    struct tch_ev ev = {.kind = TCH_EV_INSTANT,
                        .phase = 'i',
                        .scope = 't',
                        .offset = e->order,
                        .flags = edges ? TCH_EV_ASIDE : 0};
    uint64_t start, end;

    if (is_put(e) && s->given->form == TCH_REC_FOR_CHROME)
        return put_event(s, e);
    if (row == TCH_NO_ROW) {
        s->r->damaged++;
        return 0;
    }
    tch_trace_rows_times(s->r, e, &start, &end);
    ev.ts = tch_rec_from_origin(s, start);
    if (set_place(s, e, row, &ev) < 0)
        return TACHO_ENOMEM;
    if (is_span(s, e) && edges)
        return emit_edges(s, e, &ev, tch_rec_from_origin(s, end));
    if (is_span(s, e)) {
        ev.kind = TCH_EV_SPAN;
        ev.phase = 'X';
        ev.dur = (int64_t)(end - start);
    }
    return tch_rec_emit(s, e->id, &ev, e->args, e->end_args);
}
