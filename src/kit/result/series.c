/* Finds the metrics of a result, and one value of each per run. */
#include "series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "kit/stats/order_stats.h"

/* --- Metrics --- */

/* Adds the origin of energy to the title: ", measured by rapl (package-0)", ", 20 W given x time".
 */
static void describe_origin(const struct tch_result *r, struct tch_metric *m)
{
    const struct tch_power_origin *o = &r->power;
    size_t len = strlen(m->title);

    if (!o->status || !o->status[0] || strcmp(o->status, "unavailable") == 0)
        return;
    if (o->given_watts > 0)
        snprintf(m->title + len, sizeof m->title - len, ", %.4g W given x time", o->given_watts);
    else
        snprintf(m->title + len, sizeof m->title - len, ", %s by %.40s (%.60s)", o->status,
                 o->source, o->domain);
}

/* Describes a known metric as this result has it. */
static void describe_known(const struct tch_result *r, const struct tch_metric *known,
                           struct tch_metric *ret)
{
    *ret = *known;
    if (tch_metric_keeps_quantiles(known)) {
        int column = tch_result_recorded(r, known->key);

        ret->number = column < 0 ? SIZE_MAX : (size_t)column;
    }
    if (strcmp(known->name, "throughput") == 0 && r->work.unit && r->work.unit[0])
        snprintf(ret->title, sizeof ret->title, "%.60s/s", r->work.unit);
    if (known->source == TCH_FROM_POWER)
        describe_origin(r, ret);
}

/* Returns whether a known metric stands back for another of its name: instructions are those of the
   counted runs if there are any, otherwise those of the timed runs. */
static bool stands_back(const struct tch_result *r, const struct tch_metric *known)
{
    bool counted = r->counts.of[TCH_COUNT_INSTRUCTIONS].asked;

    /* Another tool wrote this metric itself: CPU time without its two parts, a throughput. */
    if (r->imported.format && known->source == TCH_FROM_OTHERS)
        return tch_result_asked(r, known->name) >= 0;
    if (known->source == TCH_FROM_COUNTS)
        return known->number == TCH_COUNT_INSTRUCTIONS && !counted;
    return known->source == TCH_FROM_KERNEL && known->number == TCH_INSTRUCTIONS && counted;
}

/* Finds a metric that the user asked for. */
static bool find_asked(const struct tch_result *r, const char *name, struct tch_metric *ret)
{
    int column = tch_result_asked(r, name);

    if (column >= 0)
        *ret = r->columns[column].metric;
    return column >= 0;
}

static bool find_recorded(const struct tch_result *r, const char *name, struct tch_metric *ret)
{
    int column = tch_result_recorded(r, name);

    if (!tch_metric_describe_recorded(ret, name))
        return false;
    if (column >= 0)
        ret->number = (size_t)column;
    return true;
}

/* Order of precedence: measured metrics, then those of the user, then values that a program records
   under the name, then counts that were not made. */
bool tch_result_metric(const struct tch_result *r, const char *name, struct tch_metric *ret)
{
    struct tch_metric any;

    for (size_t i = 0; i < tch_known_metric_count; i++) {
        const struct tch_metric *known = &tch_known_metrics[i];

        if (stands_back(r, known) || !tch_metric_is(known, name))
            continue;
        if (tch_metric_keeps_quantiles(known) ||
            (known->source == TCH_FROM_COUNTS && !r->counts.of[known->number].asked))
            if (find_asked(r, name, ret))
                return true;
        describe_known(r, known, ret);
        return true;
    }
    if (find_asked(r, name, ret))
        return true;
    if (!tch_metric_find(name, &any))
        return false;
    if (!any.asked)
        return find_recorded(r, name, ret);
    if (!find_asked(r, any.name, ret))
        *ret = any;
    return true;
}

/* Metrics are of one kind when the same code collects their values. */
static bool is_same_kind(const struct tch_metric *a, const struct tch_metric *b)
{
    return a->asked == b->asked && tch_metric_is_field(a) == tch_metric_is_field(b) &&
           tch_metric_keeps_quantiles(a) == tch_metric_keeps_quantiles(b) &&
           (a->source == TCH_FROM_COUNTS) == (b->source == TCH_FROM_COUNTS);
}

bool tch_result_metric_like(const struct tch_result *r, const struct tch_metric *of,
                            struct tch_metric *ret)
{
    bool found = of->asked ? find_asked(r, of->name, ret) : tch_result_metric(r, of->name, ret);

    return found && is_same_kind(of, ret);
}

bool tch_metric_has_quantile(const struct tch_metric *m, double quantile)
{
    return !m->several || !tch_metric_keeps_quantiles(m) || quantile == 0.5 || quantile == 0.95 ||
           quantile == 0.99;
}

bool tch_series_is_extreme(const struct tch_result *r, const struct tch_metric *m, double quantile)
{
    const struct tch_column *c = m->number < r->column_count ? &r->columns[m->number] : NULL;

    for (size_t i = 0; c && m->asked && c->all && i < r->run_count; i++)
        if (tch_result_run_ok(&r->runs[i]) && c->all[i].n > 0 &&
            tch_nearest_rank(c->all[i].n, quantile) == (quantile > 0.5 ? c->all[i].n - 1 : 0))
            return true;
    return false;
}

/* --- Values --- */

/* Returns the quantile of several values; NAN if there are none, or no memory. */
static double quantile_of(const struct tch_values *all, double quantile, struct tch_values *room,
                          tacho_error *err)
{
    room->n = 0;
    for (size_t i = 0; i < all->n; i++)
        if (tch_values_add(room, all->v[i], err) < 0)
            return NAN;
    if (room->n == 0)
        return NAN;
    if (quantile == 0.5)
        return tch_median(room->v, room->n);
    tch_sort(room->v, room->n);
    return tch_quantile_nearest(room->v, room->n, quantile);
}

static double kept_quantile(const struct tch_column *c, size_t run, double quantile)
{
    return c->metric.scale * (quantile == 0.5    ? c->value[run]
                              : quantile == 0.95 ? c->p95[run]
                              : quantile == 0.99 ? c->p99[run]
                                                 : NAN);
}

/* Computes the metrics that are made of others. */
static double derived(const struct tch_result *r, const struct tch_metric *m, size_t run)
{
    double wall = tch_result_value(r, TCH_WALL, run);

    if (m->unit == TCH_NS)
        return tch_result_value(r, TCH_USER, run) + tch_result_value(r, TCH_SYSTEM, run);
    return r->work.amount > 0 && wall > 0 ? r->work.amount / wall * 1e9 : NAN;
}

/* Returns a statistic of all runs that another tool computed; NAN if there is none. */
static double aggregate_of(const struct tch_result *r, const struct tch_metric *m)
{
    const struct tch_column *c =
        m->number < r->column_count && m->source != TCH_FROM_COUNTS && m->source != TCH_FROM_OTHERS
            ? &r->columns[m->number]
            : NULL;

    return c && c->aggregate ? c->aggregate->value : NAN;
}

/* Returns the value of a run; NAN if there is none. */
static double value_of(const struct tch_result *r, const struct tch_metric *m, size_t run,
                       double quantile, struct tch_values *room, tacho_error *err)
{
    const struct tch_column *c;

    if (m->source == TCH_FROM_OTHERS)
        return derived(r, m, run);
    if (m->source == TCH_FROM_COUNTS || m->number >= r->column_count)
        return NAN; /* timed runs have no counts */
    c = &r->columns[m->number];
    if (tch_metric_keeps_quantiles(&c->metric))
        return kept_quantile(c, run, quantile);
    return c->all ? quantile_of(&c->all[run], quantile, room, err) : c->value[run];
}

size_t tch_result_units(const struct tch_result *r)
{
    size_t units = 0;

    for (size_t i = 0; i < r->run_count; i++)
        units += !tch_result_by_layout(r) || i == 0 || r->runs[i].layout != r->runs[i - 1].layout;
    return units;
}

static int make_room(struct tch_series *s, size_t count, tacho_error *err)
{
    *s = (struct tch_series){.value = malloc((count + 1) * sizeof *s->value),
                             .pair = malloc((count + 1) * sizeof *s->pair)};
    return s->value && s->pair ? 0 : tch_fail_memory(err);
}

/* Collects values that belong to no round. */
static int values_series(const struct tch_values *values, struct tch_series *ret, tacho_error *err)
{
    if (make_room(ret, values->n, err) < 0)
        return TACHO_ENOMEM;
    for (; ret->count < values->n; ret->count++) {
        ret->value[ret->count] = values->v[ret->count];
        ret->pair[ret->count] = ret->count + 1;
    }
    return 0;
}

/* Returns all values of a single process. The process is a session, as the runs of a command on one
   occasion are, and the comparison allows for sessions that differ. Returns NULL if it does not
   apply. */
static const struct tch_values *session_of(const struct tch_result *r, const struct tch_metric *m,
                                           double quantile)
{
    if (!tch_result_one_process(r) || quantile != 0.5 || m->source == TCH_FROM_OTHERS ||
        m->number >= r->column_count || !r->columns[m->number].all)
        return NULL;
    return &r->columns[m->number].all[0];
}

int tch_series_of(const struct tch_result *r, const struct tch_metric *m, double quantile,
                  struct tch_series *ret, tacho_error *err)
{
    struct tch_values room = {0};

    if (m->source == TCH_FROM_COUNTS)
        return values_series(&r->counts.of[m->number].values, ret, err);
    if (session_of(r, m, quantile))
        return values_series(session_of(r, m, quantile), ret, err);
    if (make_room(ret, r->run_count + 1, err) < 0)
        return TACHO_ENOMEM;
    for (size_t i = 0; i < r->run_count; i++) {
        double value = value_of(r, m, i, quantile, &room, err);

        if (!tch_result_run_ok(&r->runs[i]) || isnan(value))
            continue;
        ret->value[ret->count] = value;
        ret->pair[ret->count++] = tch_result_by_layout(r) ? r->runs[i].layout : r->runs[i].pair;
    }
    tch_values_release(&room);
    if (ret->count == 0 && !isnan(aggregate_of(r, m))) {
        ret->value[0] = aggregate_of(r, m);
        ret->pair[ret->count++] = 1;
    }
    if (tch_result_by_layout(r))
        ret->count = tch_layout_medians(ret->value, ret->pair, ret->count);
    return 0;
}

void tch_series_release(struct tch_series *s)
{
    free(s->value);
    free(s->pair);
    *s = (struct tch_series){0};
}

void tch_series_match(struct tch_series *a, struct tch_series *b)
{
    size_t n = 0;

    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        uint64_t p = a->pair[i];
        uint64_t q = b->pair[j];

        if (p == q) {
            a->value[n] = a->value[i];
            b->value[n] = b->value[j];
            a->pair[n] = b->pair[n] = p;
            n++;
        }
        i += p <= q;
        j += q <= p;
    }
    a->count = b->count = n;
}

bool tch_results_paired(const struct tch_result *a, const struct tch_result *b)
{
    return a->group[0] && strcmp(a->group, b->group) == 0;
}

/* --- All metrics of a result --- */

static bool has_value(const struct tch_result *r, const struct tch_metric *m)
{
    struct tch_values room = {0};
    bool found = (m->source == TCH_FROM_COUNTS && r->counts.of[m->number].values.n > 0) ||
                 !isnan(aggregate_of(r, m));

    for (size_t i = 0; i < r->run_count && !found; i++)
        found = !isnan(value_of(r, m, i, 0.5, &room, NULL));
    tch_values_release(&room);
    return found;
}

/* Describes the i-th candidate: known metrics, then the columns that every run may lack. Returns
   false if it is not to be listed. */
static bool describe_next(const struct tch_result *r, size_t i, struct tch_metric *ret)
{
    const struct tch_metric *m;

    if (i < tch_known_metric_count) {
        if (stands_back(r, &tch_known_metrics[i]))
            return false;
        describe_known(r, &tch_known_metrics[i], ret);
        return true;
    }
    m = &r->columns[i - tch_known_metric_count + TCH_FIELDS].metric;
    *ret = *m;
    /* A known recorded value, such as "latency", had its turn among the known metrics. */
    return m->asked || tch_metric_describe_recorded(&(struct tch_metric){0}, m->name);
}

bool tch_result_next_metric(const struct tch_result *r, size_t *at, struct tch_metric *ret)
{
    while (*at < tch_known_metric_count + r->column_count - TCH_FIELDS)
        if (describe_next(r, (*at)++, ret) && has_value(r, ret))
            return true;
    return false;
}
