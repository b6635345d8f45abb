/* Sorts the events of a file by time and joins begins and ends to spans. */
#include "trace_load.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"

enum { ARGS_LIMIT = 64 << 20 };

/*
 * The order of whole spans in the file. Some programs write a span when it begins, or sort the
 * spans by their begin: then the outer one of two comes first. Others write it when it ends: then
 * the inner one comes first. Spans with different times show what a track does, and that decides
 * about those with equal times. Files of tacho say that the outer one comes first, as viewers
 * assume, although their other spans are in the order of their ends.
 */

struct tch_trace_load_track {
    bool any; /* has a whole span; `ts` and `end` are those of the last one */
    int64_t ts, end;
    int64_t inner_first; /* pairs with the inner span first, minus those with the outer one first */

    bool seen; /* has a span, or a part of one, which began and ended then: */
    int64_t last_begin, last_end;
    bool begins_back, ends_back; /* one began, or ended, before the one before it in the file */
};

/* Notes whether the file is in an order that a program writes: on each track that of the begins or
   that of the ends. */
static int note_disorder(struct tch_trace_load *l, const struct tch_ev *ev)
{
    struct tch_trace_load_track *t;
    int64_t end = ev->ts + (ev->kind == TCH_EV_SPAN ? ev->dur : 0);

    if (tch_array_reserve_zero(&l->tracks, &l->track_room, (size_t)ev->track + 1) < 0)
        return -1;
    t = &l->tracks[ev->track];
    t->begins_back |= t->seen && ev->ts < t->last_begin;
    t->ends_back |= t->seen && end < t->last_end;
    l->disordered |= t->begins_back && t->ends_back;
    t->seen = true;
    t->last_begin = ev->ts;
    t->last_end = end;
    return 0;
}

static int note_order(struct tch_trace_load *l, const struct tch_ev *ev)
{
    struct tch_trace_load_track *t;
    int64_t end = ev->ts + ev->dur;

    if (tch_array_reserve_zero(&l->tracks, &l->track_room, (size_t)ev->track + 1) < 0)
        return -1;
    t = &l->tracks[ev->track];
    if (t->any && (t->ts != ev->ts || t->end != end)) {
        t->inner_first += ev->ts <= t->ts && end >= t->end;
        t->inner_first -= ev->ts >= t->ts && end <= t->end;
    }
    t->any = true;
    t->ts = ev->ts;
    t->end = end;
    return 0;
}

/* Returns whether equal whole spans of the track are in the order of their ends. */
static bool is_inner_first(const struct tch_trace_load *l, uint32_t track)
{
    return track < l->track_room && l->tracks[track].inner_first > 0;
}

void tch_trace_load_note_time(struct tch_trace_load *l, const struct tch_ev *ev)
{
    if (!l->any || ev->ts < l->first)
        l->first = ev->ts;
    if (!l->any || ev->ts + ev->dur > l->last)
        l->last = ev->ts + ev->dur;
    l->any = true;
}

int tch_trace_load_add(struct tch_trace_load *l, const struct tch_ev *ev)
{
    bool pairs = ev->kind == TCH_EV_BEGIN || ev->kind == TCH_EV_END;

    tch_trace_load_note_time(l, ev);
    if ((pairs || ev->kind == TCH_EV_SPAN) && note_disorder(l, ev) < 0)
        return tch_fail_memory(l->err);
    if (ev->kind == TCH_EV_SPAN && ev->closed == 0 && note_order(l, ev) < 0)
        return tch_fail_memory(l->err);
    return tch_spool_add(pairs ? &l->pairs : &l->all, ev, l->err);
}

void tch_trace_load_number(const struct tch_trace_load *l, struct tch_ev *ev)
{
    if (tch_trace_is_counted(l->model.kind))
        ev->offset = l->model.events; /* the order in which they were read */
}

static int load_event(void *ctx, const struct tch_ev *given)
{
    struct tch_ev ev = *given;

    tch_trace_load_number(ctx, &ev);
    return tch_trace_load_add(ctx, &ev);
}

/* Joining begins and ends. */

static int push(struct tch_trace_load *l, const struct tch_ev *ev)
{
    if (tch_array_reserve(&l->open, &l->open_room, l->depth + 1) < 0)
        return tch_fail_memory(l->err);
    l->open[l->depth++] = *ev;
    return 0;
}

/* Joins {"a":1} and {"b":2} to {"a":1,"b":2}. */
static int join_args(struct tch_trace_load *l, struct tch_ev *span, const struct tch_ev *end)
{
    if (end->args_len <= 2)
        return 0;
    if (span->args_len <= 2) {
        span->args = end->args;
        span->args_len = end->args_len;
        return 0;
    }
    tch_buf_clear(&l->args);
    tch_buf_add(&l->args, span->args, span->args_len - 1);
    tch_buf_addc(&l->args, ',');
    tch_buf_add(&l->args, end->args + 1, end->args_len - 1);
    if (l->args.failed)
        return tch_fail_memory(l->err);
    span->args = l->args.data;
    span->args_len = (uint32_t)l->args.len;
    return 0;
}

/* Handles an end. With a name, it closes the innermost begin of that name and all spans inside it;
   without a name, the innermost begin. */
static int meet_end(struct tch_trace_load *l, const struct tch_ev *end)
{
    size_t depth = l->depth;
    int status = 0;

    if (end->name != 0)
        while (depth > 0 && l->open[depth - 1].name != end->name)
            depth--;
    if (depth == 0) {
        tch_trace_places_add(&l->lone_ends, end->offset);
        return 0;
    }
    while (status == 0 && l->depth >= depth) {
        struct tch_ev span = l->open[--l->depth];

        span.kind = TCH_EV_SPAN;
        span.phase = 'X';
        span.dur = end->ts - span.ts;
        /* With whole spans on the same track, the order in the file does not say what contains
           what, so the times decide. */
        span.closed = span.track < l->track_room && l->tracks[span.track].any ? 0 : end->offset;
        span.flags = (uint8_t)((span.flags & TCH_EV_MISMATCHED) | TCH_EV_PAIRED);
        if (l->depth == depth - 1)
            span.flags |= end->flags & TCH_EV_MISMATCHED;
        if (l->depth == depth - 1)
            status = join_args(l, &span, end);
        if (status == 0)
            status = tch_spool_add(&l->all, &span, l->err);
    }
    return status;
}

static int leave_track(struct tch_trace_load *l)
{
    int status = 0;

    while (status == 0 && l->depth > 0) {
        struct tch_ev begin = l->open[--l->depth];

        begin.flags = TCH_EV_LONE;
        l->lone_begins++;
        status = tch_spool_add(&l->all, &begin, l->err);
    }
    return status;
}

static int pair_up(struct tch_trace_load *l)
{
    struct tch_ev ev;
    uint32_t track = 0;
    int more, status = tch_spool_sort(&l->pairs, l->err);

    if (status < 0)
        return status;
    while ((more = tch_spool_next(&l->pairs, &ev, l->err)) > 0) {
        if (ev.track != track)
            status = leave_track(l);
        track = ev.track;
        if (status == 0)
            status = ev.kind == TCH_EV_BEGIN ? push(l, &ev) : meet_end(l, &ev);
        if (status < 0)
            return status;
    }
    return more < 0 ? more : leave_track(l);
}

void tch_trace_load_begin(struct tch_trace_load *l, tch_ev_order *order, tacho_error *err)
{
    *l = (struct tch_trace_load){.err = err};
    tch_model_init(&l->model);
    tch_spool_init(&l->all, order);
    tch_spool_init(&l->pairs, tch_by_track_as_in_file);
    tch_buf_init(&l->args, ARGS_LIMIT);
}

int tch_trace_load_finish(struct tch_trace_load *l)
{
    int status = pair_up(l);

    for (uint32_t i = 0; i < tch_model_track_count(&l->model) && i < l->track_room; i++)
        if (l->model.tracks[i].outer_first)
            l->tracks[i].inner_first = 0;
    tch_spool_release(&l->pairs);
    return status < 0 ? status : tch_spool_sort(&l->all, l->err);
}

int tch_trace_load_open(struct tch_trace_load *l, const char *path,
                        const struct tch_trace_read_options *options, tch_ev_order *order,
                        tacho_error *err)
{
    int status;

    tch_trace_load_begin(l, order, err);
    status = tch_model_read(&l->model, path, options, load_event, l, err);
    return status != 0 ? status : tch_trace_load_finish(l);
}

void tch_trace_load_close(struct tch_trace_load *l)
{
    tch_model_release(&l->model);
    tch_spool_release(&l->all);
    tch_spool_release(&l->pairs);
    tch_buf_release(&l->args);
    free(l->open);
    free(l->tracks);
    free(l->ties);
    *l = (struct tch_trace_load){0};
    tch_spool_init(&l->all, NULL);
    tch_spool_init(&l->pairs, NULL);
}

/* Returns whether b is a whole span with the times of a. */
static bool is_tie(const struct tch_ev *a, const struct tch_ev *b)
{
    return b->kind == TCH_EV_SPAN && b->closed == 0 && !(b->flags & TCH_EV_PAIRED) &&
           a->track == b->track && a->ts == b->ts && a->dur == b->dur;
}

/* Reads the spans that have the same times as ev, which are handed out from the last to the first.
 */
static int gather_ties(struct tch_trace_load *l, const struct tch_ev *ev, tacho_error *err)
{
    int more = 1;

    l->tie_count = 0;
    l->ahead = *ev;
    l->has_ahead = true;
    while (more > 0 && is_tie(ev, &l->ahead) && l->tie_count < TCH_SPOOL_ROWS) {
        if (tch_array_reserve(&l->ties, &l->tie_room, l->tie_count + 1) < 0)
            return tch_fail_memory(err);
        l->ties[l->tie_count++] = l->ahead;
        more = tch_spool_next(&l->all, &l->ahead, err);
        l->has_ahead = more > 0;
    }
    return more < 0 ? more : 0;
}

int tch_trace_load_next(struct tch_trace_load *l, struct tch_ev *ev, tacho_error *err)
{
    int more = 1;

    if (l->tie_count > 0) {
        *ev = l->ties[--l->tie_count];
        return 1;
    }
    if (l->has_ahead)
        *ev = l->ahead;
    else
        more = tch_spool_next(&l->all, ev, err);
    l->has_ahead = false;
    if (more <= 0 || !is_tie(ev, ev) || !is_inner_first(l, ev->track))
        return more;
    more = gather_ties(l, ev, err);
    if (more < 0)
        return more;
    *ev = l->ties[--l->tie_count];
    return 1;
}
