/* Reads a trace and writes it to another file. */
#include "trace_rewrite.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "trace_async.h"

#define LARGE_NS (INT64_C(1) << 53) /* viewers round times beyond this */

enum { SMALL_ID = 0x70000000 }; /* the first replacement for an id that was too large */

struct rewrite {
    struct tch_trace_load load;
    struct tch_async async; /* with a part: begins and ends of async spans */
    struct tch_trace_writer writer;
    struct tch_rewritten *ret;
    const struct tch_rewrite_part *part;
    int64_t from, to;
    uint8_t *tracks; /* by track: 1 keep, 2 leave out, 0 not checked yet */
    size_t track_room;
    uint8_t *names; /* by name: 1 keep, 2 leave out, 0 not checked yet */
    size_t name_room;
};

static bool matches_track(struct rewrite *w, uint32_t track)
{
    struct tch_buf text;
    char tid[24];
    bool kept;

    tch_buf_init(&text, 1 << 20);
    tch_model_add_track_name(&w->load.model, track, &text);
    snprintf(tid, sizeof tid, "%llu", (unsigned long long)w->load.model.tracks[track].tid);
    kept =
        strcmp(w->part->track, tid) == 0 || fnmatch(w->part->track, text.data, 0) == 0 ||
        (w->load.model.tracks[track].name &&
         fnmatch(w->part->track,
                 tch_intern_text(&w->load.model.texts, w->load.model.tracks[track].name), 0) == 0);
    tch_buf_release(&text);
    return kept;
}

static bool keeps_track(struct rewrite *w, uint32_t track)
{
    if (!w->part->track)
        return true;
    if (w->tracks[track] == 0)
        w->tracks[track] = matches_track(w, track) ? 1 : 2;
    return w->tracks[track] == 1;
}

static bool keeps_name(struct rewrite *w, uint32_t name)
{
    if (!w->part->name)
        return true;
    if (w->names[name] == 0)
        w->names[name] =
            fnmatch(w->part->name, tch_intern_text(&w->load.model.texts, name), 0) == 0 ? 1 : 2;
    return w->names[name] == 1;
}

/* Async spans. Their begins and ends have to be joined before one can say whether they belong to
   the part, so they are held back while the trace is read. */

static int load_event(void *ctx, const struct tch_ev *given)
{
    struct rewrite *w = ctx;
    struct tch_ev ev = *given;

    tch_trace_load_number(&w->load, &ev);
    if (!w->part || ev.kind != TCH_EV_ASYNC || ev.phase == 'n')
        return tch_trace_load_add(&w->load, &ev);
    tch_trace_load_note_time(&w->load, &ev);
    return tch_async_add(&w->async, &w->load.model, &ev, w->load.err);
}

/* Adds a begin or an end, clipped to the part. Events that are clipped to the same time must keep
   their order, whatever their offsets. `dur`, which async events do not use, is the second key of
   that order, the larger one first: a begin gets the time by which it moved to the right, an end
   the time by which it moved to the left, with a minus. keeps() clears it. */
static int add_clipped(struct rewrite *w, struct tch_ev ev)
{
    int64_t ts = ev.ts < w->from ? w->from : ev.ts > w->to ? w->to : ev.ts;

    ev.kind = TCH_EV_ASYNC;
    ev.dur = 0;
    ev.lane = 0;
    ev.flags &= (uint8_t)~TCH_EV_LONE;
    if (!w->part->whole) {
        ev.dur = ts - ev.ts;
        ev.ts = ts;
    }
    return tch_spool_add(&w->load.all, &ev, w->load.err);
}

/* Keeps an async span if its begin has the requested track and name and its time overlaps the part,
   like a span of a thread. A begin without an end lasts to the end of the trace. An end without a
   begin is kept where it is. */
static int keep_async(void *ctx, const struct tch_ev *span, uint64_t counted)
{
    struct rewrite *w = ctx;
    bool lone = (span->flags & TCH_EV_LONE) != 0;
    int64_t end = lone ? INT64_MAX : span->ts + span->dur;
    bool kept = lone && span->phase == 'e'
                    ? span->ts >= w->from && span->ts < w->to
                    : span->ts < w->to && (end > w->from || span->ts >= w->from);
    int status;

    (void)counted;
    w->ret->read += lone ? 1 : 2;
    if (!kept || !keeps_track(w, span->track) || !keeps_name(w, span->name))
        return 0;
    w->ret->read -= lone ? 1 : 2; /* they are counted when they are written */
    if (!w->part->whole && (span->ts < w->from || (!lone && end > w->to)))
        w->ret->cut++;
    status = add_clipped(w, *span);
    return status < 0 || lone ? status : add_clipped(w, w->async.end);
}

/* Returns whether the event belongs to the requested part. May clip a span to it. */
static bool keeps(struct rewrite *w, struct tch_ev *ev)
{
    int64_t end = ev->ts + ev->dur;

    if (!w->part)
        return true;
    if (ev->kind == TCH_EV_ASYNC && ev->phase != 'n') {
        ev->dur = 0;
        return true; /* keep_async() has decided */
    }
    if (ev->ts >= w->to || (ev->kind == TCH_EV_SPAN    ? end <= w->from && ev->ts < w->from
                            : ev->kind == TCH_EV_BEGIN ? false
                                                       : ev->ts < w->from))
        return false;
    if (!keeps_track(w, ev->track) || !keeps_name(w, ev->name))
        return false;
    if (!w->part->whole && (ev->ts < w->from || end > w->to)) {
        int64_t start = ev->ts < w->from ? w->from : ev->ts;

        w->ret->cut++;
        ev->ts = start;
        ev->dur = ev->kind == TCH_EV_SPAN ? (end > w->to ? w->to : end) - start : 0;
    }
    return true;
}

static int64_t add_sat(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Replaces ids above 32 bits, which viewers do not support. */
static void shrink_ids(struct tch_model *m)
{
    for (uint32_t i = 0; i < tch_model_process_count(m); i++)
        if (m->processes[i].pid > UINT32_MAX)
            m->processes[i].pid = SMALL_ID + i;
    for (uint32_t i = 0; i < tch_model_track_count(m); i++)
        if (m->tracks[i].tid > UINT32_MAX)
            m->tracks[i].tid = SMALL_ID + i;
}

static uint32_t count_labels(const struct tch_model *m)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < tch_model_process_count(m); i++)
        count += m->processes[i].labels != 0 || m->processes[i].sorted;
    for (uint32_t i = 0; i < tch_model_track_count(m); i++)
        count += m->tracks[i].sorted;
    return count;
}

static int write_out(struct rewrite *w, const char *out, struct tch_write_options writing,
                     tacho_error *err)
{
    struct tch_ev ev;
    int more = 0, status;

    /* Viewers drop events before 0. */
    if (w->load.first < 0 || (writing.fix && w->load.last > LARGE_NS))
        writing.shift = -w->load.first;
    if (writing.fix)
        shrink_ids(&w->load.model);
    w->ret->shift = writing.shift;
    if (!tch_write_format_of(out)->labels)
        w->ret->unlabelled = count_labels(&w->load.model);
    status = tch_trace_writer_open(&w->writer, out, &w->load.model, &writing, err);
    if (status < 0)
        return status;
    while (status == 0 && (more = tch_trace_load_next(&w->load, &ev, err)) > 0) {
        w->ret->read++;
        if (keeps(w, &ev)) {
            w->ret->kept++;
            status = tch_trace_writer_add(&w->writer, &ev);
        }
    }
    if (status == 0)
        status = more;
    if (status == 0)
        status = tch_trace_writer_close(&w->writer);
    else
        tch_trace_writer_abort(&w->writer);
    w->ret->left_out = w->writer.left_out;
    w->ret->moved = w->writer.moved;
    w->ret->changed = w->writer.changed;
    return status;
}

/* Finds the times of the part when the first event is known, and the async spans in it. */
static int find_part(struct rewrite *w, tacho_error *err)
{
    const struct tch_rewrite_part *part = w->part;

    w->from = part->from == INT64_MIN ? INT64_MIN : add_sat(w->load.first, part->from);
    w->to = part->to == INT64_MAX ? INT64_MAX : add_sat(w->load.first, part->to);
    w->tracks = calloc((size_t)tch_model_track_count(&w->load.model) + 1, 1);
    w->names = calloc((size_t)w->load.model.texts.count + 1, 1);
    if (!w->tracks || !w->names)
        return tch_fail_memory(err);
    return tch_async_each(&w->async, keep_async, w, err);
}

int tch_rewrite(struct tch_rewritten *ret, const char *in, const char *out,
                const struct tch_trace_read_options *reading,
                const struct tch_write_options *writing, const struct tch_rewrite_part *part,
                tacho_error *err)
{
    struct rewrite w = {.ret = ret, .part = part};
    int status;

    *ret = (struct tch_rewritten){0};
    tch_model_init(&ret->model);
    if (!tch_write_format_of(out))
        return tch_fail(err, TACHO_EINVAL, 0, TCH_WRITE_ENDINGS);
    tch_trace_load_begin(&w.load, tch_by_track_and_time, err);
    tch_async_init(&w.async, TCH_ASYNC_WHOLE);
    status = tch_model_read(&w.load.model, in, reading, load_event, &w, err);
    if (status == 0 && part)
        status = find_part(&w, err);
    tch_async_release(&w.async);
    if (status == 0)
        status = tch_trace_load_finish(&w.load);
    if (status == 0)
        status = write_out(&w, out, *writing, err);
    ret->lone_begins = w.load.lone_begins;
    ret->lone_ends = w.load.lone_ends.count;
    ret->model = w.load.model;
    tch_model_init(&w.load.model);
    tch_trace_load_close(&w.load);
    free(w.tracks);
    free(w.names);
    return status;
}

void tch_rewritten_release(struct tch_rewritten *r)
{
    tch_model_release(&r->model);
}
