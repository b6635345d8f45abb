/* Sums up the spans of a trace. */
#include "trace_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/fail.h"
#include "trace_async.h"
#include "trace_lanes.h"
#include "trace_load.h"
#include "trace_tracks.h"

/* The events are not in order of time. This is a result of the sink, not an error. */
enum { UNORDERED = 1 };

struct open_span {
    int64_t ts, end; /* end: INT64_MAX while unknown */
    int64_t painted; /* time up to which the span was painted */
    uint64_t inside; /* nanoseconds of the spans inside it */
    uint64_t hidden; /* nanoseconds of inner spans of the same row, which are counted already */
    int64_t reach;   /* latest end of those inner spans */
    uint32_t name, key;
    uint32_t outer; /* 1 + index of the nearest open span of the same row; 0: none */
    bool mismatched;
};

/* State of a track while it is read. */
struct track_state {
    uint32_t number;    /* 1 + index among the tracks with spans; 0: none yet */
    int64_t ts;         /* time of the previous event */
    int64_t start, end; /* current stretch in which a span was open without a gap */
    struct open_span *open;
    size_t depth, room;
};

struct tch_trace_summary_state {
    struct track_state *tracks;
    size_t track_room;
    size_t summary_room;
    uint32_t *row_of; /* by key: 1 + index of the row */
    size_t key_room;
    uint32_t *open_of; /* by key: number of open spans, on all tracks */
    size_t open_room;
    size_t row_room;
    struct tch_async async;
    tacho_error *err;
};

/* Rows. */

static struct tch_trace_summary_row *row_of(struct tch_trace_summary *s, uint32_t key)
{
    struct tch_trace_summary_state *st = s->state;

    if (tch_array_reserve_zero(&st->row_of, &st->key_room, (size_t)key + 1) < 0)
        return NULL;
    if (st->row_of[key] > 0)
        return &s->rows[st->row_of[key] - 1];
    if (tch_array_reserve(&s->rows, &st->row_room, s->row_count + 1) < 0)
        return NULL;
    s->rows[s->row_count] = (struct tch_trace_summary_row){.key = key, .min = UINT64_MAX};
    st->row_of[key] = (uint32_t)++s->row_count;
    return &s->rows[s->row_count - 1];
}

/* Adds a span to its row. `counted` is the part of its nanoseconds that no other span of the row
   covers. */
static int add_span(struct tch_trace_summary *s, const struct open_span *span, uint64_t counted)
{
    struct tch_trace_summary_row *row = row_of(s, span->key);
    uint64_t dur = (uint64_t)(span->end - span->ts);

    if (!row)
        return tch_fail_memory(s->state->err);
    if (row->count < TCH_SUMMARY_FEW) {
        row->few[row->count] = dur;
    } else {
        if (!row->more) {
            if (tacho_histogram_new(&row->more, NULL) < 0)
                return tch_fail_memory(s->state->err);
            tacho_histogram_record_all(row->more, row->few, TCH_SUMMARY_FEW);
        }
        tacho_histogram_record(row->more, dur);
    }
    row->count++;
    row->mismatched += span->mismatched;
    row->total += counted;
    row->sum += dur;
    row->self += dur > span->inside ? dur - span->inside : 0;
    if (dur < row->min)
        row->min = dur;
    if (dur > row->max || row->count == 1) {
        row->max = dur;
        row->max_ts = span->ts;
    }
    s->spans++;
    return 0;
}

/* Tracks. */

static void keep_longest(struct tch_stretch list[TCH_SUMMARY_LONGEST], int64_t ts, int64_t dur)
{
    size_t i = TCH_SUMMARY_LONGEST;

    if (dur <= list[TCH_SUMMARY_LONGEST - 1].dur)
        return;
    for (; i > 1 && list[i - 2].dur < dur; i--)
        list[i - 1] = list[i - 2];
    list[i - 1] = (struct tch_stretch){ts, dur};
}

static int start_track(struct tch_trace_summary *s, struct track_state *t, const struct tch_ev *ev)
{
    if (tch_array_reserve(&s->tracks, &s->state->summary_room, s->track_count + 1) < 0 ||
        tch_lanes_add(&s->lanes) < 0)
        return tch_fail_memory(s->state->err);
    s->tracks[s->track_count++] =
        (struct tch_trace_summary_track){.track = ev->track, .first = ev->ts, .last = ev->ts};
    t->number = (uint32_t)s->track_count;
    t->start = t->end = ev->ts;
    return 0;
}

static void end_stretch(struct tch_trace_summary *s, struct track_state *t)
{
    struct tch_trace_summary_track *out = &s->tracks[t->number - 1];

    out->busy += (uint64_t)(t->end - t->start);
    keep_longest(out->busiest, t->start, t->end - t->start);
}

/* Paints the time up to ts, in which the innermost span ran. */
static void paint(struct tch_trace_summary *s, struct track_state *t, int64_t ts)
{
    struct open_span *top = &t->open[t->depth - 1];

    if (ts > top->painted) {
        tch_lanes_paint(&s->lanes, t->number - 1, top->name, top->painted, ts);
        top->painted = ts;
    }
}

/* Returns the time that the innermost span adds to its row. Nested spans of one row count once:
   inner ones count fully, an outer one adds the rest of its time. */
static uint64_t count_once(struct track_state *t, const struct open_span *span)
{
    uint64_t dur = (uint64_t)(span->end - span->ts);
    int64_t reach = span->reach > span->end ? span->reach : span->end;

    if (span->outer > 0) {
        struct open_span *outer = &t->open[span->outer - 1];

        if (reach > outer->reach)
            outer->reach = reach;
        outer->hidden += (uint64_t)((reach < outer->end ? reach : outer->end) - span->ts);
    }
    return dur > span->hidden ? dur - span->hidden : 0;
}

/* Removes the innermost span, which never ended and has no length. */
static void drop_top(struct tch_trace_summary *s, struct track_state *t)
{
    struct open_span span = t->open[--t->depth];

    s->unfinished++;
    s->state->open_of[span.key]--;
    if (span.outer > 0)
        t->open[span.outer - 1].hidden += span.hidden;
    if (t->ts > t->end)
        t->end = t->ts;
}

/* Closes the innermost span. */
static int close_top(struct tch_trace_summary *s, struct track_state *t)
{
    struct open_span span = t->open[t->depth - 1];
    int status;

    paint(s, t, span.end);
    t->depth--;
    if (span.end > t->end)
        t->end = span.end;
    s->state->open_of[span.key]--;
    status = add_span(s, &span, count_once(t, &span));
    s->tracks[t->number - 1].spans++;
    if (t->depth > 0) {
        struct open_span *outer = &t->open[t->depth - 1];
        int64_t end = span.end < outer->end ? span.end : outer->end;

        outer->inside += (uint64_t)(end - span.ts);
        if (end > outer->painted)
            outer->painted = end;
    }
    return status;
}

static uint32_t key_of(const struct tch_trace_summary *s, const struct tch_ev *ev)
{
    return s->by == TCH_BY_NAME ? ev->name : s->by == TCH_BY_CATEGORY ? ev->category : ev->track;
}

/* Returns 1 + the index of the nearest open span of a row; 0: none. */
static uint32_t find_outer(const struct tch_trace_summary *s, const struct track_state *t,
                           uint32_t key)
{
    size_t i = s->state->open_of[key] > 0 ? t->depth : 0;

    while (i > 0 && t->open[i - 1].key != key)
        i--;
    return (uint32_t)i;
}

static int open_span(struct tch_trace_summary *s, struct track_state *t, const struct tch_ev *ev)
{
    uint32_t key = key_of(s, ev), outer;
    int64_t end = ev->kind == TCH_EV_BEGIN ? INT64_MAX : ev->ts + ev->dur;
    struct open_span *open;

    if (tch_array_reserve(&t->open, &t->room, t->depth + 1) < 0 ||
        tch_array_reserve_zero(&s->state->open_of, &s->state->open_room, (size_t)key + 1) < 0)
        return tch_fail_memory(s->state->err);
    open = t->open;
    if (t->depth == 0 && ev->ts > t->end) {
        /* Nothing ran since the last stretch. */
        end_stretch(s, t);
        keep_longest(s->tracks[t->number - 1].gaps, t->end, ev->ts - t->end);
        t->start = ev->ts;
    } else if (t->depth > 0) {
        /* If two spans begin together, the outer one must come first. */
        if (open[t->depth - 1].ts == ev->ts && open[t->depth - 1].end < end && !s->sorted)
            return UNORDERED;
        s->overlaps += open[t->depth - 1].end < end && end != INT64_MAX;
        paint(s, t, ev->ts);
    }
    outer = find_outer(s, t, key);
    s->state->open_of[key]++;
    open[t->depth++] = (struct open_span){.ts = ev->ts,
                                          .end = end,
                                          .painted = ev->ts,
                                          .name = ev->name,
                                          .key = key,
                                          .outer = outer,
                                          .mismatched = (ev->flags & TCH_EV_MISMATCHED) != 0};
    return 0;
}

/* Handles an end event. It closes the innermost begin, or the innermost one with its name if it has
   a name. */
static int end_span(struct tch_trace_summary *s, struct track_state *t, const struct tch_ev *ev)
{
    size_t depth = t->depth;
    int status = 0;

    while (depth > 0 && (t->open[depth - 1].end != INT64_MAX ||
                         (ev->name != 0 && t->open[depth - 1].name != ev->name)))
        depth--;
    if (depth == 0) {
        s->lone_ends++;
        return 0;
    }
    t->open[depth - 1].mismatched |= (ev->flags & TCH_EV_MISMATCHED) != 0;
    while (status == 0 && t->depth >= depth) {
        struct open_span *top = &t->open[t->depth - 1];

        if (top->end == INT64_MAX)
            top->end = ev->ts;
        else
            s->overlaps++;
        status = close_top(s, t);
    }
    return status;
}

/* Adds async spans. They belong to ids instead of tracks: they have rows, but do not count as work
   of a track. */

static int keep_async(struct tch_trace_summary *s, const struct tch_ev *given)
{
    struct tch_ev ev = *given;

    if (s->by == TCH_BY_TRACK)
        return 0;
    if (!s->sorted && !tch_kind_has_offsets(s->model.kind))
        ev.offset = s->model.events;
    return tch_async_add(&s->state->async, &s->model, &ev, s->state->err);
}

static int add_async(void *ctx, const struct tch_ev *ev, uint64_t counted)
{
    struct tch_trace_summary *s = ctx;

    return add_span(
        s, &(struct open_span){.ts = ev->ts, .end = ev->ts + ev->dur, .key = key_of(s, ev)},
        counted);
}

static int add_asyncs(struct tch_trace_summary *s)
{
    struct tch_async *async = &s->state->async;
    int status = tch_async_each(async, add_async, s, s->state->err);

    s->unfinished += async->unfinished;
    s->lone_ends += async->lone_ends;
    return status;
}

static int add_event(void *ctx, const struct tch_ev *ev)
{
    struct tch_trace_summary *s = ctx;
    struct tch_trace_summary_state *st = s->state;
    struct track_state *t;
    int status = 0;

    if (s->model.events == 1 || ev->ts < s->first)
        s->first = ev->ts;
    if (ev->ts + ev->dur > s->last || s->model.events == 1)
        s->last = ev->ts + ev->dur;
    if (ev->kind > TCH_EV_END)
        return ev->kind == TCH_EV_ASYNC ? keep_async(s, ev) : 0;
    if (tch_array_reserve_zero(&st->tracks, &st->track_room, (size_t)ev->track + 1) < 0)
        return tch_fail_memory(st->err);
    t = &st->tracks[ev->track];
    if (t->number == 0 && ev->kind != TCH_EV_END) {
        status = start_track(s, t, ev);
        if (status < 0)
            return status;
    } else if (ev->ts < t->ts) {
        return UNORDERED;
    }
    t->ts = ev->ts;
    /* Close whole spans whose end time has come. Begins are closed by end events. */
    while (status == 0 && t->depth > 0 && t->open[t->depth - 1].end <= ev->ts)
        status = close_top(s, t);
    if (status != 0)
        return status;
    return ev->kind == TCH_EV_END ? end_span(s, t, ev) : open_span(s, t, ev);
}

/* Counts spans that never ended as unfinished, not as spans. */
static int finish_tracks(struct tch_trace_summary *s)
{
    int status = 0;

    for (size_t i = 0; status == 0 && i < s->state->track_room; i++) {
        struct track_state *t = &s->state->tracks[i];

        while (status == 0 && t->depth > 0) {
            bool finished = t->open[t->depth - 1].end != INT64_MAX;

            if (finished)
                status = close_top(s, t);
            else
                drop_top(s, t);
        }
        if (t->number > 0) {
            end_stretch(s, t);
            s->tracks[t->number - 1].last = t->end;
        }
    }
    return status;
}

/* Percentiles. */

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static uint64_t nearest(const uint64_t *sorted, uint64_t n, double q)
{
    uint64_t rank = (uint64_t)ceil(q * (double)n);

    return sorted[rank > 0 ? rank - 1 : 0];
}

static void set_percentiles(struct tch_trace_summary_row *row)
{
    if (row->more) {
        row->p50 = tacho_histogram_percentile(row->more, 50);
        row->p95 = tacho_histogram_percentile(row->more, 95);
        row->p99 = tacho_histogram_percentile(row->more, 99);
        tacho_histogram_free(row->more);
        row->more = NULL;
        return;
    }
    qsort(row->few, row->count, sizeof row->few[0], by_value);
    row->p50 = nearest(row->few, row->count, 0.50);
    row->p95 = nearest(row->few, row->count, 0.95);
    row->p99 = nearest(row->few, row->count, 0.99);
}

static int by_total(const void *left, const void *right)
{
    const struct tch_trace_summary_row *a = left, *b = right;

    if (a->total != b->total)
        return a->total > b->total ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

static void free_state(struct tch_trace_summary *s)
{
    for (size_t i = 0; s->state && i < s->state->track_room; i++)
        free(s->state->tracks[i].open);
    if (s->state) {
        free(s->state->tracks);
        free(s->state->row_of);
        free(s->state->open_of);
        tch_async_release(&s->state->async);
        free(s->state);
    }
    s->state = NULL;
}

void tch_trace_summary_release(struct tch_trace_summary *s)
{
    free_state(s);
    for (size_t i = 0; i < s->row_count; i++)
        tacho_histogram_free(s->rows[i].more);
    free(s->rows);
    free(s->tracks);
    tch_lanes_release(&s->lanes);
    tch_model_release(&s->model);
    *s = (struct tch_trace_summary){0};
}

static int init(struct tch_trace_summary *s, enum tch_trace_summary_by by, tacho_error *err)
{
    *s = (struct tch_trace_summary){.by = by, .state = calloc(1, sizeof *s->state)};
    tch_model_init(&s->model);
    tch_lanes_init(&s->lanes);
    if (!s->state)
        return tch_fail_memory(err);
    s->state->err = err;
    tch_async_init(&s->state->async,
                   by == TCH_BY_CATEGORY ? TCH_ASYNC_BY_CATEGORY : TCH_ASYNC_BY_NAME);
    return 0;
}

/* Makes the summary again from sorted events. */
static int make_sorted(struct tch_trace_summary *s, const char *path,
                       const struct tch_trace_read_options *options, tacho_error *err)
{
    struct tch_trace_load load;
    struct tch_ev ev;
    int more = 0, status = tch_trace_load_open(&load, path, options, tch_by_track_and_time, err);

    s->sorted = true;
    s->model = load.model;
    tch_model_init(&load.model);
    s->disordered = load.disordered;
    s->lone_ends = load.lone_ends.count;
    s->model.events = 0;
    while (status == 0 && (more = tch_trace_load_next(&load, &ev, err)) > 0) {
        s->model.events++;
        status = add_event(s, &ev);
    }
    tch_trace_load_close(&load);
    return status != 0 ? status : more;
}

int tch_trace_summary_make(struct tch_trace_summary *s, const char *path,
                           enum tch_trace_summary_by by,
                           const struct tch_trace_read_options *options, tacho_error *err)
{
    int status = init(s, by, err);

    if (status < 0)
        goto out;
    status = strcmp(path, "-") == 0 ? UNORDERED /* a pipe cannot be read twice */
                                    : tch_model_read(&s->model, path, options, add_event, s, err);
    if (status == UNORDERED) {
        tch_trace_summary_release(s);
        status = init(s, by, err);
        if (status < 0)
            goto out;
        status = make_sorted(s, path, options, err);
    }
    if (status != 0)
        goto out;
    status = tch_trace_number_tracks(&s->model, err);
    if (status < 0)
        goto out;
    status = finish_tracks(s);
    if (status < 0)
        goto out;
    status = s->lanes.failed ? tch_fail_memory(err) : add_asyncs(s);
    if (status < 0)
        goto out;
    for (size_t i = 0; i < s->row_count; i++)
        set_percentiles(&s->rows[i]);
    if (s->row_count > 0)
        qsort(s->rows, s->row_count, sizeof *s->rows, by_total);
out:
    free_state(s);
    return status;
}

void tch_trace_summary_add_key(const struct tch_trace_summary *s,
                               const struct tch_trace_summary_row *row, struct tch_buf *b)
{
    if (s->by == TCH_BY_TRACK)
        tch_model_add_track_name(&s->model, row->key, b);
    else
        tch_buf_add(b, tch_intern_text(&s->model.texts, row->key),
                    tch_intern_len(&s->model.texts, row->key));
}
