/* Two traces, name by name. */
#include "trace_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "trace_load.h"

/* A fair sample of any number of values, always the same one. */
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

/* Spans of one name that are inside another of their track count once. They come by track and by
   time. */
static void count_once(struct tch_compare_row *row, struct tch_compare_side *side,
                       const struct tch_ev *ev)
{
    int64_t end = ev->ts + ev->dur;

    if (row->track != ev->track + 1)
        row->covered = INT64_MIN;
    row->track = ev->track + 1;
    if (end <= row->covered)
        return;
    side->total += (uint64_t)(end - (row->covered > ev->ts ? row->covered : ev->ts));
    row->covered = end;
}

static int read_side(struct tch_trace_comparison *c, int which, const char *path, tacho_error *err)
{
    static const struct tch_trace_read_options plain = {.args = false};
    struct tch_trace_load load;
    struct tch_ev ev;
    int more = 0, status = tch_trace_load_open(&load, path, &plain, tch_by_track_and_time, err);

    while (status == 0 && (more = tch_trace_load_next(&load, &ev, err)) > 0) {
        struct tch_compare_row *row;

        if (ev.kind != TCH_EV_SPAN)
            continue;
        row = row_of(c, tch_intern_text(&load.model.texts, ev.name),
                     tch_intern_len(&load.model.texts, ev.name));
        if (!row) {
            status = tch_fail_memory(err);
            break;
        }
        row->side[which].count++;
        count_once(row, &row->side[which], &ev);
        c->spans[which]++;
        /* Ratios need positive values: what took no time took less than a nanosecond. */
        add_to_sample(&row->side[which], ev.dur > 0 ? (double)ev.dur : 0.5);
    }
    for (size_t i = 0; i < c->count; i++)
        c->rows[i].track = 0;
    c->models[which] = load.model;
    tch_model_init(&load.model);
    tch_trace_load_close(&load);
    if (status == 0)
        status = more;
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
