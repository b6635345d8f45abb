/* Spans with explicit times, laid out in rows in which they nest. */
#include "base/fail.h"
#include "trace_output.h"

struct tch_row_item {
    struct tch_row row; /* lane not set */
    uint64_t start, end;
    size_t place; /* among the items as they came */
    uint32_t number;
};

/* Ends of the spans that are open in one lane of the track, the innermost last. */
struct lane {
    uint64_t *ends;
    size_t depth, room;
    uint32_t number; /* of its row */
};

struct layout {
    struct tch_rows *rows;
    struct lane *lanes;
    size_t lane_count, lane_room;
    size_t row_room;
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

    *dur_us = e->fixed[0] < now_us ? e->fixed[0] : now_us;
    *ts_us = now_us - *dur_us;
}

void tch_rows_times(const struct tch_recording *r, const struct tch_seen_event *e, uint64_t *start,
                    uint64_t *end)
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
        /* Microseconds past 2^64 ns are the end of time. */
        *start = ts > UINT64_MAX / 1000 ? UINT64_MAX : add_sat(origin, ts * 1000);
        *end = dur > UINT64_MAX / 1000 ? UINT64_MAX : add_sat(*start, dur * 1000);
    }
    if (*start < origin)
        *start = origin;
    if (*end < *start)
        *end = *start;
}

bool tch_rows_has(const struct tch_recording *r, const struct tch_seen_event *e)
{
    (void)r;
    return e->seen == TCH_SEEN_OTHER && e->kind >= TCH_REC_PUSH && e->kind <= TCH_REC_TRACK_INSTANT;
}

static struct tch_row row_of(const struct tch_seen_event *e)
{
    if (e->kind == TCH_REC_PUSH)
        return (struct tch_row){.kind = TCH_ROW_PUSH, .a = e->fixed[1]};
    if (e->kind == TCH_REC_PUT)
        return (struct tch_row){.kind = TCH_ROW_PUT, .a = e->fixed[2], .b = e->fixed[3]};
    return (struct tch_row){.kind = TCH_ROW_TRACK, .a = e->fixed[0]};
}

/* Collecting. */

static void *grown(void *list, size_t *room, size_t count, size_t size)
{
    void *more;

    if (count < *room)
        return list;
    more = realloc(list, (*room > 0 ? *room * 2 : 16) * size);
    if (more)
        *room = *room > 0 ? *room * 2 : 16;
    return more;
}

struct collect {
    struct tch_rows *rows;
    const struct tch_recording *r;
    tacho_error *err;
};

static int collect_item(void *ctx, const struct tch_seen_event *e)
{
    struct collect *c = ctx;
    struct tch_rows *rows = c->rows;
    struct tch_row_item *items, *item;

    if (!tch_rows_has(c->r, e))
        return 0;
    items = grown(rows->items, &rows->item_room, rows->item_count, sizeof *items);
    if (!items)
        return tch_fail(c->err, TACHO_ENOMEM, 0, "out of memory for %zu spans on tracks",
                        rows->item_count);
    rows->items = items;
    item = &items[rows->item_count];
    *item = (struct tch_row_item){.row = row_of(e), .place = rows->item_count};
    tch_rows_times(c->r, e, &item->start, &item->end);
    rows->item_count++;
    return 0;
}

/* Laying out. */

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_tracks(const struct tch_row *a, const struct tch_row *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->a != b->a ? compare(a->a, b->a) : compare(a->b, b->b);
}

/* The longer of two that start together is the outer one. */
static int by_track_and_time(const void *left, const void *right)
{
    const struct tch_row_item *a = left, *b = right;
    int order = compare_tracks(&a->row, &b->row);

    if (order == 0)
        order = compare(a->start, b->start);
    if (order == 0)
        order = compare(b->end, a->end);
    return order != 0 ? order : compare(a->place, b->place);
}

static int by_place(const void *left, const void *right)
{
    const struct tch_row_item *a = left, *b = right;

    return compare(a->place, b->place);
}

static bool takes(struct lane *lane, const struct tch_row_item *item)
{
    while (lane->depth > 0 && lane->ends[lane->depth - 1] <= item->start)
        lane->depth--;
    return lane->depth == 0 || lane->ends[lane->depth - 1] >= item->end;
}

static bool add_lane(struct layout *l, const struct tch_row *track)
{
    struct lane *lanes = grown(l->lanes, &l->lane_room, l->lane_count, sizeof *lanes);
    struct tch_row *rows;

    if (!lanes)
        return false;
    l->lanes = lanes;
    rows = grown(l->rows->rows, &l->row_room, l->rows->count, sizeof *rows);
    if (!rows)
        return false;
    l->rows->rows = rows;
    rows[l->rows->count] = *track;
    rows[l->rows->count].lane = (uint32_t)l->lane_count;
    l->lanes[l->lane_count++] = (struct lane){.number = l->rows->count++};
    return true;
}

static bool place(struct layout *l, struct tch_row_item *item)
{
    struct lane *lane;
    uint64_t *ends;
    size_t i = 0;

    while (i < l->lane_count && !takes(&l->lanes[i], item))
        i++;
    if (i == l->lane_count && !add_lane(l, &item->row))
        return false;
    lane = &l->lanes[i];
    ends = grown(lane->ends, &lane->room, lane->depth, sizeof *ends);
    if (!ends)
        return false;
    lane->ends = ends;
    lane->ends[lane->depth++] = item->end;
    item->number = lane->number;
    return true;
}

static void forget_lanes(struct layout *l)
{
    for (size_t i = 0; i < l->lane_count; i++)
        free(l->lanes[i].ends);
    l->lane_count = 0;
}

static bool lay_out(struct tch_rows *rows)
{
    struct layout l = {.rows = rows};
    struct tch_row_item *items = rows->items;
    bool ok = true;

    qsort(items, rows->item_count, sizeof *items, by_track_and_time);
    for (size_t i = 0; ok && i < rows->item_count; i++) {
        if (i > 0 && compare_tracks(&items[i - 1].row, &items[i].row) != 0)
            forget_lanes(&l);
        ok = place(&l, &items[i]);
    }
    qsort(items, rows->item_count, sizeof *items, by_place);
    forget_lanes(&l);
    free(l.lanes);
    return ok;
}

int tch_rows_lay_out(struct tch_rows *rows, struct tch_recording *r, tacho_error *err)
{
    struct collect c = {rows, r, err};
    int status;

    *rows = (struct tch_rows){0};
    if (!r->head.tracks)
        return 0;
    status = tch_recording_walk(r, collect_item, &c, err);
    if (status == 0 && rows->item_count > 0 && !lay_out(rows))
        status = tch_fail(err, TACHO_ENOMEM, 0, "out of memory for %zu spans on tracks",
                          rows->item_count);
    return status;
}

void tch_rows_release(struct tch_rows *rows)
{
    free(rows->rows);
    free(rows->items);
    *rows = (struct tch_rows){0};
}

static bool is_item(const struct tch_row_item *a, const struct tch_row_item *b)
{
    return compare_tracks(&a->row, &b->row) == 0 && a->start == b->start && a->end == b->end;
}

/* The row where a track's spans go first. */
static uint32_t first_row(const struct tch_rows *rows, const struct tch_row *track)
{
    for (uint32_t i = 0; i < rows->count; i++)
        if (rows->rows[i].lane == 0 && compare_tracks(&rows->rows[i], track) == 0)
            return i;
    return TCH_NO_ROW;
}

/* A recording that goes on may have lost chunks since it was laid out, or have one record more. */
uint32_t tch_rows_next(struct tch_rows *rows, const struct tch_recording *r,
                       const struct tch_seen_event *e)
{
    struct tch_row_item item = {.row = row_of(e)};

    tch_rows_times(r, e, &item.start, &item.end);
    for (size_t i = rows->next; i < rows->item_count; i++)
        if (is_item(&rows->items[i], &item)) {
            rows->next = i + 1;
            return rows->items[i].number;
        }
    return first_row(rows, &item.row);
}
