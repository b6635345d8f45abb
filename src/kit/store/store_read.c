/* Lists series, and reads their points and values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "db.h"
#include "sample_pack.h"
#include "store.h"

static void copy_text(char *to, size_t size, const struct tch_db_value *v)
{
    snprintf(to, size, "%s", v->kind == TCH_DB_TEXT ? (const char *)v->data : "");
}

static char *dup_text(const struct tch_db_value *v)
{
    return strdup(v->kind == TCH_DB_TEXT ? v->data : "");
}

static double real_of(const struct tch_db_value *v)
{
    return v->kind == TCH_DB_NULL ? NAN : v->f;
}

/* A store may have been changed by hand, so numbers of an enum are checked. */
static bool take_metric(const struct tch_db_value *c, struct tch_metric *m)
{
    struct tch_metric known;

    if (c[4].i < 0 || c[4].i > TCH_RATE || c[5].i < 0 || c[5].i >= TCH_METRIC_SOURCES ||
        c[6].i < 0 || c[6].i > TCH_BETTER_HIGHER)
        return false;
    *m = (struct tch_metric){.unit = (enum tch_unit)c[4].i,
                             .source = (enum tch_metric_source)c[5].i,
                             .better = (enum tch_better)c[6].i,
                             .exact = c[7].i != 0,
                             .scale = c[8].f,
                             .number = SIZE_MAX};
    copy_text(m->name, sizeof m->name, &c[1]);
    copy_text(m->key, sizeof m->key, &c[2]);
    copy_text(m->title, sizeof m->title, &c[3]);
    m->gated = tch_metric_find(m->name, &known) && known.gated;
    return true;
}

static int take_series(void *ctx, const struct tch_db_value *c, size_t count, tacho_error *err)
{
    struct tch_store_list *list = ctx;
    struct tch_store_series series = {.id = c[11].i, .points = c[12].i};

    (void)count;
    if (!take_metric(c, &series.metric))
        return tch_fail(err, TACHO_EPARSE, 0, "series %lld of the store is damaged",
                        (long long)series.id);
    series.bench = dup_text(&c[0]);
    series.machine_class = dup_text(&c[9]);
    series.settings = dup_text(&c[10]);
    if (!series.bench || !series.machine_class || !series.settings ||
        tch_array_extend(&list->items, list->count) < 0) {
        free(series.bench);
        free(series.machine_class);
        free(series.settings);
        return tch_fail_memory(err);
    }
    list->items[list->count++] = series;
    return 0;
}

int tch_store_list(struct tch_store *s, const struct tch_store_filter *filter,
                   struct tch_store_list *ret, tacho_error *err)
{
    *ret = (struct tch_store_list){0};
    return tch_db_query(
        s->db,
        "SELECT bench, metric, metric_key, title, unit, source, better, exact, scale,"
        " machine_class, settings, id,"
        " (SELECT COUNT(*) FROM point WHERE series_id = series.id)"
        " FROM series WHERE ($1 = '' OR bench = $1) AND ($2 = '' OR metric = $2)"
        " AND ($3 = '' OR machine_class = $3)"
        " ORDER BY bench, id, machine_class, settings",
        TCH_DB_VALUES(tch_db_text(filter->bench ? filter->bench : ""),
                      tch_db_text(filter->metric ? filter->metric : ""),
                      tch_db_text(filter->machine_class ? filter->machine_class : "")),
        take_series, ret, err);
}

void tch_store_list_release(struct tch_store_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].bench);
        free(list->items[i].machine_class);
        free(list->items[i].settings);
    }
    free(list->items);
    *list = (struct tch_store_list){0};
}

static int take_point(void *ctx, const struct tch_db_value *c, size_t count, tacho_error *err)
{
    struct tch_store_points *points = ctx;
    struct tch_store_point *p;

    (void)count;
    if (tch_array_reserve(&points->items, &points->room, points->count + 1) < 0)
        return tch_fail_memory(err);
    p = &points->items[points->count++];
    *p = (struct tch_store_point){.run = c[0].i,
                                  .started_ns = c[1].i,
                                  .environment = c[3].i,
                                  .dirty = (int)c[4].i,
                                  .n = c[6].i,
                                  .median = c[7].f,
                                  .low = real_of(&c[8]),
                                  .high = real_of(&c[9])};
    copy_text(p->commit, sizeof p->commit, &c[2]);
    copy_text(p->program, sizeof p->program, &c[5]);
    return 0;
}

int tch_store_points(struct tch_store *s, int64_t series, struct tch_store_points *ret,
                     tacho_error *err)
{
    *ret = (struct tch_store_points){0};
    return tch_db_query(s->db,
                        "SELECT run.id, run.started_ns, vcommit.sha, run.env_id, run.dirty,"
                        " run.program, point.n, point.median, point.low, point.high"
                        " FROM point JOIN run ON run.id = point.run_id"
                        " LEFT JOIN vcommit ON vcommit.id = run.commit_id"
                        " WHERE point.series_id = $1 ORDER BY run.started_ns, run.id",
                        TCH_DB_VALUES(tch_db_int(series)), take_point, ret, err);
}

void tch_store_points_release(struct tch_store_points *points)
{
    free(points->items);
    *points = (struct tch_store_points){0};
}

static int take_values(void *ctx, const struct tch_db_value *c, size_t count, tacho_error *err)
{
    (void)count;
    return tch_sample_unpack(c[0].i, c[1].data, c[1].len, ctx, err);
}

int tch_store_values(struct tch_store *s, int64_t series, int64_t run, struct tch_values *ret,
                     tacho_error *err)
{
    return tch_db_query(s->db,
                        "SELECT codec, data FROM sample WHERE series_id = $1 AND run_id = $2",
                        TCH_DB_VALUES(tch_db_int(series), tch_db_int(run)), take_values, ret, err);
}
