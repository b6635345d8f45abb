/* Orders the points of a series and finds its shifts. */
#include "history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"

struct placed {
    struct tch_store_point point;
    long place;
    size_t number; /* in the order of time, for points of one commit */
};

static int by_place(const void *a, const void *b)
{
    const struct placed *x = a;
    const struct placed *y = b;

    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Drops points of other branches, and sorts the rest by commit. Without any point of the branch the
   order stays that of time: the repository is another one, or there is none. */
static int order_points(struct tch_history *h, const struct tch_commit_order *order,
                        tacho_error *err)
{
    struct placed *placed = calloc(h->points.count + 1, sizeof *placed);
    size_t count = 0;

    if (!placed)
        return tch_fail_memory(err);
    for (size_t i = 0; i < h->points.count; i++) {
        long place = tch_commit_place(order, h->points.items[i].commit);

        if (place >= 0) {
            placed[count] = (struct placed){h->points.items[i], place, count};
            count++;
        }
    }
    h->by_commit = count > 0;
    if (h->by_commit) {
        qsort(placed, count, sizeof *placed, by_place);
        for (size_t i = 0; i < count; i++)
            h->points.items[i] = placed[i].point;
        h->off_branch = h->points.count - count;
        h->points.count = count;
    }
    free(placed);
    return 0;
}

static void drop_dirty(struct tch_history *h)
{
    size_t kept = 0;

    for (size_t i = 0; i < h->points.count; i++)
        if (h->points.items[i].dirty != 1)
            h->points.items[kept++] = h->points.items[i];
    h->dirty = h->points.count - kept;
    h->points.count = kept;
}

/* Any change of an exact count is real, so each new value is a shift. */
static int find_exact(struct tch_history *h, tacho_error *err)
{
    const struct tch_store_point *p = h->points.items;

    for (size_t i = 1; i < h->points.count; i++) {
        double change = p[i].median - p[i - 1].median;

        if (change == 0)
            continue;
        if (tch_array_extend(&h->shifts.items, h->shifts.count) < 0)
            return tch_fail_memory(err);
        h->shifts.items[h->shifts.count++] = (struct tch_shift){.at = i,
                                                                .first = i,
                                                                .last = i,
                                                                .before = p[i - 1].median,
                                                                .after = p[i].median,
                                                                .change = change,
                                                                .low = change,
                                                                .high = change};
    }
    return 0;
}

static int find_shifts(struct tch_history *h, tacho_error *err)
{
    struct tch_shift_options options = {.alpha = TCH_HISTORY_ALPHA};
    double *y;
    int status;

    if (h->series->metric.exact)
        return find_exact(h, err);
    y = calloc(h->points.count + 1, sizeof *y);
    if (!y)
        return tch_fail_memory(err);
    h->ratios = true;
    for (size_t i = 0; i < h->points.count; i++)
        h->ratios = h->ratios && h->points.items[i].median > 0;
    for (size_t i = 0; i < h->points.count; i++)
        y[i] = h->ratios ? log(h->points.items[i].median) : h->points.items[i].median;
    if (h->ratios)
        options.min_change = log1p(TCH_HISTORY_MIN_CHANGE);
    status = tch_shifts_find(y, h->points.count, &options, &h->shifts, err);
    free(y);
    return status;
}

int tch_history_read(struct tch_history *h, struct tch_store *store,
                     const struct tch_store_series *series, const struct tch_commit_order *order,
                     const struct tch_history_options *options, tacho_error *err)
{
    int status;

    *h = (struct tch_history){.series = series};
    status = tch_store_points(store, series->id, &h->points, err);
    if (status < 0)
        return status;
    if (!options->dirty)
        drop_dirty(h);
    status = order_points(h, order, err);
    return status < 0 ? status : find_shifts(h, err);
}

void tch_history_release(struct tch_history *h)
{
    tch_store_points_release(&h->points);
    tch_shifts_release(&h->shifts);
}

struct tch_history_cause tch_history_cause(const struct tch_history *h, const struct tch_shift *s)
{
    const struct tch_store_point *before = &h->points.items[s->at - 1];
    const struct tch_store_point *after = &h->points.items[s->at];

    return (struct tch_history_cause){.environment = before->environment != after->environment,
                                      .same_program = *before->program &&
                                                      strcmp(before->program, after->program) == 0};
}

int tch_history_direction(const struct tch_history *h, const struct tch_shift *s)
{
    int sign = s->change > 0 ? 1 : -1;

    switch (h->series->metric.better) {
    case TCH_BETTER_LOWER:
        return sign;
    case TCH_BETTER_HIGHER:
        return -sign;
    case TCH_BETTER_UNKNOWN:
        break;
    }
    return 0;
}
