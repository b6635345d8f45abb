/* Lays out spans with explicit times in rows in which they nest. */
#include "nesting_rows.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/fail.h"
#include "nesting_lanes.h"
#include "recording_walk.h"

struct tch_trace_row_item {
    struct tch_trace_row row; /* row.lane is not set yet */
    uint64_t start, end;
    size_t place; /* its place in the order of the recording */
    uint32_t number;
};

/* Times. */

static uint64_t add_sat(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

void tch_push_times(const struct tch_recording *r, const struct tch_seen_event *e, uint64_t *ts_us,
                    uint64_t *dur_us)
{
    uint64_t origin = r->clock.first.ns;
    uint64_t now_us = e->ns > origin ? (e->ns - origin) / 1000 : 0;

    *dur_us = e->fixed[0];
    *ts_us = now_us > *dur_us ? now_us - *dur_us : 0;
}

/* An event that began before the trace is moved to the start of the trace and keeps its
   duration. */
void tch_trace_rows_times(const struct tch_recording *r, const struct tch_seen_event *e,
                          uint64_t *start, uint64_t *end)
{
    uint64_t origin = r->clock.first.ns, ts, dur;

    switch (e->kind) {
    case TCH_REC_TRACK_SPAN:
        *start = e->fixed[1];
        *end = e->fixed[2];
        break;
    case TCH_REC_TRACK_INSTANT:
        *start = *end = e->fixed[1];
        break;
    default:
        ts = e->fixed[0];
        dur = e->fixed[1];
        if (e->kind == TCH_REC_PUSH)
            tch_push_times(r, e, &ts, &dur);
        /* Microseconds that do not fit 64 bits of nanoseconds become the largest time. */
        *start = ts > UINT64_MAX / 1000 ? UINT64_MAX : add_sat(origin, ts * 1000);
        *end = dur > UINT64_MAX / 1000 ? UINT64_MAX : add_sat(*start, dur * 1000);
    }
    if (*end < *start)
        *end = *start;
    if (*start < origin) {
        *end = add_sat(origin, *end - *start);
        *start = origin;
    }
}

static struct tch_trace_row row_of(const struct tch_seen_event *e)
{
    if (e->kind == TCH_REC_PUSH)
        return (struct tch_trace_row){.kind = TCH_ROW_PUSH, .a = e->fixed[1]};
    if (e->kind == TCH_REC_PUT)
        return (struct tch_trace_row){.kind = TCH_ROW_PUT, .a = e->fixed[2], .b = e->fixed[3]};
    return (struct tch_trace_row){.kind = TCH_ROW_TRACK, .a = e->fixed[0]};
}

/* Collecting events. */

struct collect {
    struct tch_trace_rows *rows;
    const struct tch_recording *r;
    tacho_error *err;
};

static int collect_item(void *ctx, const struct tch_seen_event *e)
{
    struct collect *c = ctx;
    struct tch_trace_rows *rows = c->rows;
    struct tch_trace_row_item *item;

    if (e->seen != TCH_SEEN_OTHER || e->kind < TCH_REC_PUSH || e->kind > TCH_REC_TRACK_INSTANT)
        return 0;
    if (tch_array_reserve(&rows->items, &rows->item_room, rows->item_count + 1) < 0)
        return tch_fail_memory(c->err);
    item = &rows->items[rows->item_count];
    *item = (struct tch_trace_row_item){.row = row_of(e), .place = rows->item_count};
    tch_trace_rows_times(c->r, e, &item->start, &item->end);
    rows->item_count++;
    return 0;
}

/* Laying them out. */

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_tracks(const struct tch_trace_row *a, const struct tch_trace_row *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->a != b->a ? compare(a->a, b->a) : compare(a->b, b->b);
}

/* Orders items by track and start. Of two that start together the longer one comes first,
   because it is the outer one. */
static int by_track_and_time(const void *left, const void *right)
{
    const struct tch_trace_row_item *a = left, *b = right;
    int order = compare_tracks(&a->row, &b->row);

    if (order == 0)
        order = compare(a->start, b->start);
    if (order == 0)
        order = compare(b->end, a->end);
    return order != 0 ? order : compare(a->place, b->place);
}

static int by_place(const void *left, const void *right)
{
    const struct tch_trace_row_item *a = left, *b = right;

    return compare(a->place, b->place);
}

static int64_t bounded(uint64_t ns)
{
    return ns < INT64_MAX ? (int64_t)ns : INT64_MAX;
}

/* Assigns rows to the items, which are in the order of track and time. */
static int place_items(struct tch_trace_rows *rows, struct tch_nest *nest)
{
    uint32_t first = 0; /* first row of the track */

    for (size_t i = 0; i < rows->item_count; i++) {
        struct tch_trace_row_item *item = &rows->items[i];
        int64_t lane;

        if (i > 0 && compare_tracks(&item[-1].row, &item->row) != 0) {
            tch_nest_clear(nest);
            first = rows->count;
        }
        lane = tch_nest_push(
            nest, &(struct tch_nest_span){.ts = bounded(item->start), .end = bounded(item->end)});
        if (lane < 0 ||
            tch_array_reserve(&rows->rows, &rows->row_room, (size_t)rows->count + 1) < 0)
            return TACHO_ENOMEM;
        item->number = first + (uint32_t)lane;
        if (item->number == rows->count) {
            rows->rows[rows->count] = item->row;
            rows->rows[rows->count++].lane = (uint32_t)lane;
        }
    }
    return 0;
}

int tch_trace_rows_lay_out(struct tch_trace_rows *rows, struct tch_recording *r, tacho_error *err)
{
    struct collect c = {rows, r, err};
    struct tch_nest nest = {0};
    int status;

    *rows = (struct tch_trace_rows){0};
    if (!r->head.tracks)
        return 0;
    status = tch_recording_walk(r, collect_item, &c, err);
    if (status != 0 || rows->item_count == 0)
        return status;
    qsort(rows->items, rows->item_count, sizeof *rows->items, by_track_and_time);
    status = place_items(rows, &nest);
    tch_nest_release(&nest);
    qsort(rows->items, rows->item_count, sizeof *rows->items, by_place);
    return status < 0 ? tch_fail_memory(err) : 0;
}

void tch_trace_rows_release(struct tch_trace_rows *rows)
{
    free(rows->rows);
    free(rows->items);
    *rows = (struct tch_trace_rows){0};
}

static bool is_item(const struct tch_trace_row_item *a, const struct tch_trace_row_item *b)
{
    return compare_tracks(&a->row, &b->row) == 0 && a->start == b->start && a->end == b->end;
}

/* Returns the first row of a track. */
static uint32_t first_row(const struct tch_trace_rows *rows, const struct tch_trace_row *track)
{
    for (uint32_t i = 0; i < rows->count; i++)
        if (rows->rows[i].lane == 0 && compare_tracks(&rows->rows[i], track) == 0)
            return i;
    return TCH_NO_ROW;
}

/* Searches from the last item found. A recording that is still being written may have lost
   chunks, or gained a record, since it was laid out. */
uint32_t tch_trace_rows_next(struct tch_trace_rows *rows, const struct tch_recording *r,
                             const struct tch_seen_event *e)
{
    struct tch_trace_row_item item = {.row = row_of(e)};

    tch_trace_rows_times(r, e, &item.start, &item.end);
    for (size_t i = rows->next; i < rows->item_count; i++)
        if (is_item(&rows->items[i], &item)) {
            rows->next = i + 1;
            return rows->items[i].number;
        }
    return first_row(rows, &item.row);
}
