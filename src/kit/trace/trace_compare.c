/* Compares two traces name by name. */
#include "trace_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "trace_async.h"
#include "trace_load.h"

/* Adds a value to a uniform random sample of bounded size (reservoir sampling) with a fixed
   seed. */
static void add_to_sample(struct tch_compare_side *side, double value)
{
    uint64_t x = side->count * UINT64_C(0x9E3779B97F4A7C15), place;

    if (side->sample_count < TCH_COMPARE_SAMPLE) {
        side->sample[side->sample_count++] = value;
        return;
    }
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    place = (x ^ x >> 31) % side->count;
    if (place < TCH_COMPARE_SAMPLE)
        side->sample[place] = value;
}

static struct tch_compare_row *row_of(struct tch_trace_comparison *c, const char *name, size_t len)
{
    uint32_t number = tch_intern_add(&c->texts, name, len);

    if (number == TCH_INTERN_NONE || tch_array_reserve(&c->rows, &c->room, (size_t)number + 1) < 0)
        return NULL;
    if (number == c->count) {
        c->rows[number] = (struct tch_compare_row){.name = number};
        c->count++;
    }
    return &c->rows[number];
}

struct reading {
    struct tch_trace_comparison *c;
    int which;
    const struct tch_model *m;
    tacho_error *err;
};

/* Adds a span. `counted` is the part of its nanoseconds that no other span of its name covers. */
static int add_span(void *ctx, const struct tch_ev *ev, uint64_t counted)
{
    struct reading *r = ctx;
    struct tch_compare_row *row = row_of(r->c, tch_intern_text(&r->m->texts, ev->name),
                                         tch_intern_len(&r->m->texts, ev->name));

    if (!row)
        return tch_fail_memory(r->err);
    row->side[r->which].count++;
    row->side[r->which].total += counted;
    r->c->spans[r->which]++;
    /* Ratios need positive values, so a duration of 0 counts as half a nanosecond. */
    add_to_sample(&row->side[r->which], ev->dur > 0 ? (double)ev->dur : 0.5);
    return 0;
}

/* The time up to which spans of a name have covered their track. */
struct covered {
    uint32_t track; /* 1 + track */
    int64_t until;
};

/* Returns the time that a span adds to its name. Spans come in order of track and time. */
static uint64_t count_once(struct covered *name, const struct tch_ev *ev)
{
    int64_t from = ev->ts, end = ev->ts + ev->dur;

    if (name->track == ev->track + 1 && name->until > from)
        from = name->until;
    name->track = ev->track + 1;
    name->until = end > from ? end : from;
    return end > from ? (uint64_t)(end - from) : 0;
}

static int read_events(struct reading *r, struct tch_trace_load *load, struct tch_async *async)
{
    struct covered *names = NULL;
    size_t room = 0;
    struct tch_ev ev;
    int more = 0, status = 0;

    while (status == 0 && (more = tch_trace_load_next(load, &ev, r->err)) > 0) {
        if (ev.kind == TCH_EV_ASYNC)
            status = tch_async_add(async, &load->model, &ev, r->err);
        if (ev.kind != TCH_EV_SPAN)
            continue;
        if (tch_array_reserve_zero(&names, &room, (size_t)ev.name + 1) < 0)
            status = tch_fail_memory(r->err);
        else
            status = add_span(r, &ev, count_once(&names[ev.name], &ev));
    }
    free(names);
    return status != 0 ? status : more;
}

static int read_side(struct tch_trace_comparison *c, int which, const char *path, tacho_error *err)
{
    static const struct tch_trace_read_options plain = {.args = false};
    struct tch_trace_load load;
    struct tch_async async;
    struct reading r = {.c = c, .which = which, .m = &load.model, .err = err};
    int status = tch_trace_load_open(&load, path, &plain, tch_by_track_and_time, err);

    tch_async_init(&async, false);
    if (status == 0)
        status = read_events(&r, &load, &async);
    if (status == 0)
        status = tch_async_each(&async, add_span, &r, err);
    tch_async_release(&async);
    c->models[which] = load.model;
    tch_model_init(&load.model);
    tch_trace_load_close(&load);
    return status < 0 ? tch_name_trace(err, status, path) : status;
}

static double change_of(const struct tch_compare_row *row)
{
    return fabs((double)row->side[1].total - (double)row->side[0].total);
}

static int by_change(const void *left, const void *right)
{
    const struct tch_compare_row *a = left, *b = right;
    double x = change_of(a), y = change_of(b);

    if (x != y)
        return x > y ? -1 : 1;
    return a->name < b->name ? -1 : a->name > b->name;
}

int tch_trace_compare(struct tch_trace_comparison *c, const char *a, const char *b,
                      tacho_error *err)
{
    int status;

    *c = (struct tch_trace_comparison){0};
    status = read_side(c, 0, a, err);
    if (status == 0)
        status = read_side(c, 1, b, err);
    for (size_t i = 0; status == 0 && i < c->count; i++) {
        struct tch_compare_side *x = &c->rows[i].side[0], *y = &c->rows[i].side[1];

        if (x->count > 0 && y->count > 0)
            status = tch_ratio_unpaired(x->sample, x->sample_count, y->sample, y->sample_count,
                                        0.05, 1.0, &c->rows[i].ratio, err);
    }
    if (status == 0 && c->count > 0)
        qsort(c->rows, c->count, sizeof *c->rows, by_change);
    return status;
}

void tch_trace_comparison_release(struct tch_trace_comparison *c)
{
    tch_intern_release(&c->texts);
    tch_model_release(&c->models[0]);
    tch_model_release(&c->models[1]);
    free(c->rows);
    *c = (struct tch_trace_comparison){0};
}
