/* The runs and columns of a result, and their summary. result_json.c stores them. */
#include "result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/array.h"
#include "base/fail.h"
#include "kit/stats/order_stats.h"
#include "process/exit_text.h"
#include "result_aggregate.h"

/* --- A column --- */

static void release_column(struct tch_column *c, size_t runs)
{
    for (size_t i = 0; c->all && i < runs; i++)
        tch_values_release(&c->all[i]);
    free(c->all);
    if (c->aggregate)
        tch_json_fields_release(tch_aggregate_fields, c->aggregate);
    free(c->aggregate);
    free(c->unit);
    free(c->expression);
    free(c->value);
    free(c->p95);
    free(c->p99);
}

/* Grows an array of numbers to `room`. */
static int grow(double **list, size_t room)
{
    double *more = realloc(*list, room * sizeof *more);

    if (!more)
        return TACHO_ENOMEM;
    *list = more;
    return 0;
}

static int grow_lists(struct tch_values **list, size_t had, size_t room)
{
    struct tch_values *more = realloc(*list, room * sizeof *more);

    if (!more)
        return TACHO_ENOMEM;
    memset(more + had, 0, (room - had) * sizeof *more);
    *list = more;
    return 0;
}

/* Makes room for the values of more runs. A column whose growth failed has the room that it had. */
static int grow_column(struct tch_column *c, size_t had, size_t room)
{
    if (tch_metric_keeps_lists(&c->metric) && grow_lists(&c->all, had, room) < 0)
        return TACHO_ENOMEM;
    if (c->metric.asked && c->metric.several)
        return 0;
    if (grow(&c->value, room) < 0)
        return TACHO_ENOMEM;
    if (!tch_metric_keeps_quantiles(&c->metric))
        return 0;
    return grow(&c->p95, room) < 0 || grow(&c->p99, room) < 0 ? TACHO_ENOMEM : 0;
}

/* Says that a run has no value yet. */
static void clear_value(struct tch_column *c, size_t run)
{
    if (c->all)
        c->all[run].n = 0;
    if (c->value)
        c->value[run] = NAN;
    if (c->p95)
        c->p95[run] = c->p99[run] = NAN;
}

int tch_result_keep_values(struct tch_result *r, size_t column, tacho_error *err)
{
    struct tch_column *c = &r->columns[column];

    if (c->all)
        return 0;
    if (r->run_room > 0 && grow_lists(&c->all, 0, r->run_room) < 0)
        return tch_fail_memory(err);
    c->metric.several = true;
    return 0;
}

/* Turns the lists of a column into one value per run. */
static int drop_lists(struct tch_column *c, const struct tch_result *r)
{
    if (c->metric.asked && grow(&c->value, r->run_room) < 0)
        return TACHO_ENOMEM;
    for (size_t i = 0; i < r->run_room; i++) {
        if (i < r->run_count)
            c->value[i] = c->all[i].n > 0 ? c->all[i].v[0] : NAN;
        tch_values_release(&c->all[i]);
    }
    free(c->all);
    c->all = NULL;
    c->metric.several = false;
    return 0;
}

static int reduce_values(struct tch_column *c, const struct tch_result *r, tacho_error *err)
{
    size_t most = 0;

    for (size_t i = 0; i < r->run_count; i++)
        most = c->all[i].n > most ? c->all[i].n : most;
    if (most <= 1)
        return drop_lists(c, r) < 0 ? tch_fail_memory(err) : 0;
    for (size_t i = 0; i < r->run_count && c->value; i++) {
        struct tch_summary s;

        if (tch_summary_of(c->all[i].v, c->all[i].n, r->alpha, &s, err) < 0)
            return TACHO_ENOMEM;
        c->value[i] = c->all[i].n > 0 ? s.median : NAN;
    }
    return 0;
}

int tch_result_reduce_values(struct tch_result *r, tacho_error *err)
{
    int status = 0;

    for (size_t i = 0; i < r->column_count && status == 0; i++)
        if (r->columns[i].all)
            status = reduce_values(&r->columns[i], r, err);
    return status;
}

bool tch_result_one_process(const struct tch_result *r)
{
    return r->run_count == 1 && strcmp(r->repetition, TCH_IN_PROCESS) == 0;
}

int tch_column_add(struct tch_column *c, size_t run, double value, tacho_error *err)
{
    if (c->all)
        return tch_values_add(&c->all[run], value, err);
    c->value[run] = value;
    return 0;
}

/* --- Columns --- */

/* Returns where a new column belongs. Columns that were asked for come before those that programs
   recorded unasked, which is the order of tables. */
static size_t place_for(const struct tch_result *r, const struct tch_metric *metric)
{
    size_t at = r->column_count;

    while (metric->asked && at > TCH_FIELDS && !r->columns[at - 1].metric.asked)
        at--;
    return at;
}

int tch_result_add_column(struct tch_result *r, const struct tch_metric *metric, tacho_error *err)
{
    struct tch_column c = {.metric = *metric};
    size_t at = place_for(r, metric);

    if (r->run_room > 0 && grow_column(&c, 0, r->run_room) < 0) {
        release_column(&c, 0);
        return tch_fail_memory(err);
    }
    if (tch_array_extend(&r->columns, r->column_count) < 0) {
        release_column(&c, 0);
        return tch_fail_memory(err);
    }
    for (size_t i = 0; i < r->run_count; i++)
        clear_value(&c, i);
    memmove(&r->columns[at + 1], &r->columns[at], (r->column_count - at) * sizeof c);
    r->columns[at] = c;
    r->column_count++;
    for (size_t i = at; i < r->column_count; i++)
        r->columns[i].metric.number = i;
    return (int)at;
}

static int find_column(const struct tch_result *r, size_t from, bool asked, const char *key)
{
    for (size_t i = from; i < r->column_count; i++)
        if (r->columns[i].metric.asked == asked && strcmp(r->columns[i].metric.key, key) == 0)
            return (int)i;
    return -1;
}

int tch_result_asked(const struct tch_result *r, const char *name)
{
    return find_column(r, TCH_FIELDS, true, name);
}

int tch_result_recorded(const struct tch_result *r, const char *name)
{
    return find_column(r, TCH_FIELDS, false, name);
}

int tch_result_column(const struct tch_result *r, const char *key)
{
    for (int i = 0; i < TCH_FIELDS; i++)
        if (strcmp(r->columns[i].metric.key, key) == 0)
            return i;
    return tch_result_asked(r, key);
}

int tch_result_init(struct tch_result *r, tacho_error *err)
{
    *r = (struct tch_result){
        .plan = {.precision = NAN},
        .vcs = {.dirty = -1},
        .work = {.amount = NAN},
        .alpha = TCH_RESULT_ALPHA,
        .costs = {.tacho_cpu_ns = NAN,
                  .polls_cpu_ns = NAN,
                  .recordings_per_run = NAN,
                  .recording_cost_ns = NAN,
                  .spans_per_run = NAN,
                  .span_cost_ns = NAN,
                  .events_per_run = NAN,
                  .event_cost_ns = NAN,
                  .latencies_per_run = NAN,
                  .latency_cost_ns = NAN},
        .server = {.ready_s = NAN, .energy_j = NAN},
        .power = TCH_POWER_ORIGIN_NONE,
        .latency = {.wall = TACHO_LATENCY_STATS_INIT, .kernel = TACHO_LATENCY_STATS_INIT},
    };
    for (int i = 0; i < TCH_FIELDS; i++) {
        int status = tch_result_add_column(r, tch_field_metric((enum tch_field)i), err);

        if (status < 0)
            return status;
    }
    return 0;
}

void tch_result_release(struct tch_result *r)
{
    for (size_t i = 0; i < r->column_count; i++)
        release_column(&r->columns[i], r->run_room);
    free(r->columns);
    free(r->runs);
    free(r->rows);
    tch_counts_release(&r->counts);
    tch_json_others_release(&r->others);
    tch_json_fields_release(tch_result_fields, r);
    *r = (struct tch_result){0};
}

/* --- Runs --- */

static int make_room(struct tch_result *r)
{
    size_t room = r->run_room;

    if (r->run_count < room)
        return 0;
    /* The runs grow last: their room is what all columns have. */
    room = room > 0 ? 2 * room : 16;
    for (size_t i = 0; i < r->column_count; i++)
        if (grow_column(&r->columns[i], r->run_room, room) < 0)
            return TACHO_ENOMEM;
    return tch_array_reserve(&r->runs, &r->run_room, room);
}

int tch_result_add_run(struct tch_result *r, const struct tch_result_run *run, tacho_error *err)
{
    if (make_room(r) < 0)
        return tch_fail_memory(err);
    r->runs[r->run_count] = *run;
    for (size_t i = 0; i < r->column_count; i++)
        clear_value(&r->columns[i], r->run_count);
    r->run_count++;
    return 0;
}

void tch_result_drop_run(struct tch_result *r)
{
    r->run_count--;
}

void tch_result_set_fields(struct tch_result *r, const double field[TCH_FIELDS])
{
    for (size_t i = 0; i < TCH_FIELDS; i++)
        r->columns[i].value[r->run_count - 1] = field[i];
}

static int add_recorded(struct tch_result *r, const char *name, tacho_error *err)
{
    struct tch_metric metric;
    size_t recorded = 0;

    for (size_t i = TCH_FIELDS; i < r->column_count; i++)
        recorded += !r->columns[i].metric.asked;
    if (recorded == TCH_RECORDED_MOST || strlen(name) >= TCH_METRIC_TEXT)
        return -1;
    if (!tch_metric_describe_recorded(&metric, name)) {
        /* "latency", "kv_cache": known by name. A name of a later version is kept as it is. */
        tch_metric_describe(&metric, name, false);
        for (size_t i = 0; i < tch_known_metric_count; i++)
            if (tch_metric_keeps_quantiles(&tch_known_metrics[i]) &&
                strcmp(tch_known_metrics[i].key, name) == 0)
                metric = tch_known_metrics[i];
        metric.asked = false;
        if (!tch_metric_keeps_quantiles(&metric))
            metric.source = TCH_FROM_MEMORY;
    }
    return tch_result_add_column(r, &metric, err);
}

int tch_result_set_recorded(struct tch_result *r, size_t run, const char *name, double p50,
                            double p95, double p99, tacho_error *err)
{
    int i = tch_result_recorded(r, name);

    if (!isfinite(p50) || !isfinite(p95) || !isfinite(p99))
        return 0; /* JSON has no infinity and no NaN */
    if (i < 0) {
        i = add_recorded(r, name, err);
        if (i == -1)
            return 0;
        if (i < 0)
            return i;
    }
    r->columns[i].value[run] = p50;
    r->columns[i].p95[run] = p95;
    r->columns[i].p99[run] = p99;
    return 0;
}

bool tch_result_run_ok(const struct tch_result_run *run)
{
    return WIFEXITED(run->status) && WEXITSTATUS(run->status) == 0 && !run->timed_out;
}

int tch_result_run_exit(const struct tch_result_run *run)
{
    return tch_exit_code(run->status);
}

double tch_result_value(const struct tch_result *r, enum tch_field field, size_t run)
{
    return r->columns[field].value[run];
}

bool tch_result_by_layout(const struct tch_result *r)
{
    return r->run_count > 0 && r->runs[0].layout > 0;
}

size_t tch_result_field(const struct tch_result *r, enum tch_field field, double *values)
{
    size_t n = 0;

    for (size_t i = 0; i < r->run_count; i++)
        if (tch_result_run_ok(&r->runs[i]) && !isnan(tch_result_value(r, field, i)))
            values[n++] = tch_result_value(r, field, i);
    return n;
}

int tch_result_tail(const struct tch_result *r, size_t from, struct tch_result *view,
                    tacho_error *err)
{
    struct tch_column *columns = malloc(r->column_count * sizeof *columns);

    if (!columns)
        return tch_fail_memory(err);
    *view = *r;
    view->columns = columns;
    view->runs = r->runs + from;
    view->run_count = r->run_count - from;
    for (size_t i = 0; i < r->column_count; i++) {
        struct tch_column *c = &columns[i];

        *c = r->columns[i];
        c->value = c->value ? c->value + from : NULL;
        c->p95 = c->p95 ? c->p95 + from : NULL;
        c->p99 = c->p99 ? c->p99 + from : NULL;
        c->all = c->all ? c->all + from : NULL;
    }
    return 0;
}

/* --- The summary --- */

int tch_column_values(const struct tch_result *r, const struct tch_column *c,
                      struct tch_values *values, tacho_error *err)
{
    int status = 0;

    for (size_t i = 0; i < r->run_count && status == 0; i++) {
        if (!tch_result_run_ok(&r->runs[i]))
            continue;
        for (size_t k = 0; c->all && k < c->all[i].n && status == 0; k++)
            status = tch_values_add(values, c->all[i].v[k], err);
        if (!c->all && !isnan(c->value[i]))
            status = tch_values_add(values, c->value[i], err);
    }
    return status;
}

/* Summarises the medians of the runs of a metric that has several values per run. */
static int sum_by_run(const struct tch_result *r, const struct tch_column *c, struct tch_summary *s,
                      tacho_error *err)
{
    struct tch_values medians = {0};
    struct tch_summary units;
    int status = 0;

    for (size_t i = 0; i < r->run_count && status == 0; i++) {
        if (c->all[i].n == 0 || !tch_result_run_ok(&r->runs[i]))
            continue;
        status = tch_summary_of(c->all[i].v, c->all[i].n, r->alpha, &units, err);
        if (status == 0)
            status = tch_values_add(&medians, units.median, err);
    }
    if (status == 0)
        status = tch_summary_of(medians.v, medians.n, r->alpha, &units, err);
    if (status == 0)
        tch_summary_by_units(s, &units);
    tch_values_release(&medians);
    return status;
}

/* Summarises the medians of layouts, because runs of one layout depend on each other. `value` has
   one number per run. */
static int sum_by_layout(const struct tch_result *r, const double *value, struct tch_summary *s,
                         tacho_error *err)
{
    double *kept = malloc((r->run_count + 1) * sizeof *kept);
    uint64_t *layout = malloc((r->run_count + 1) * sizeof *layout);
    struct tch_summary units;
    int status;
    size_t n = 0;

    if (!kept || !layout) {
        free(kept);
        free(layout);
        return tch_fail_memory(err);
    }
    for (size_t i = 0; i < r->run_count; i++)
        if (tch_result_run_ok(&r->runs[i]) && !isnan(value[i])) {
            kept[n] = value[i];
            layout[n++] = r->runs[i].layout;
        }
    n = tch_layout_medians(kept, layout, n);
    status = tch_summary_of(kept, n, r->alpha, &units, err);
    if (status == 0)
        tch_summary_by_units(s, &units);
    free(kept);
    free(layout);
    return status;
}

/* Adds a row for a statistic of all runs, which no run has a value of. */
static int add_aggregate_row(struct tch_result *r, const struct tch_column *c, tacho_error *err)
{
    struct tch_row row = {.metric = c->metric};
    int status = tch_summary_of(&c->aggregate->value, 1, r->alpha, &row.summary, err);

    if (status == 0 && tch_array_extend(&r->rows, r->row_count) < 0)
        return tch_fail_memory(err);
    if (status == 0)
        r->rows[r->row_count++] = row;
    return status;
}

/* Adds a row for a column, unless it has no values. */
static int add_row(struct tch_result *r, const struct tch_column *c, tacho_error *err)
{
    struct tch_row row = {.metric = c->metric};
    struct tch_values values = {0};
    int status = tch_column_values(r, c, &values, err);

    if (status == 0 && values.n > 0)
        status = tch_summary_of(values.v, values.n, r->alpha, &row.summary, err);
    if (status == 0 && values.n > 0 && c->all)
        status = sum_by_run(r, c, &row.summary, err);
    else if (status == 0 && values.n > 0 && tch_result_by_layout(r))
        status = sum_by_layout(r, c->value, &row.summary, err);
    if (status == 0 && values.n > 0) {
        if (tch_array_extend(&r->rows, r->row_count) == 0)
            r->rows[r->row_count++] = row;
        else
            status = tch_fail_memory(err);
    }
    tch_values_release(&values);
    return status;
}

/* Adds the row of the throughput. A run of no time would have an infinite one; it counts as one of
   a nanosecond. */
static int add_throughput(struct tch_result *r, tacho_error *err)
{
    struct tch_column c = {.value = malloc((r->run_count + 1) * sizeof *c.value)};
    int status;

    if (!c.value)
        return tch_fail_memory(err);
    (void)tch_metric_find("throughput", &c.metric);
    for (size_t i = 0; i < r->run_count; i++) {
        double wall = tch_result_value(r, TCH_WALL, i);

        c.value[i] = isnan(wall) ? NAN : r->work.amount / (wall > 0 ? wall : 1) * 1e9;
    }
    status = add_row(r, &c, err);
    free(c.value);
    return status;
}

/* Adds to the title of the energy whether it was measured or estimated, and to that of the tree's
   memory in how many runs it was seen: the tree is polled, so short children are often missed. */
static void complete_titles(struct tch_result *r)
{
    size_t good = 0;

    for (size_t i = 0; i < r->run_count; i++)
        good += tch_result_run_ok(&r->runs[i]);
    for (size_t i = 0; i < r->row_count; i++) {
        struct tch_row *row = &r->rows[i];

        if (row->metric.source == TCH_FROM_POWER && r->power.status[0])
            snprintf(row->metric.title, TCH_METRIC_TEXT, "energy, %s",
                     strcmp(r->power.status, "measured") == 0 ? "measured" : "estimated");
        if (row->metric.source == TCH_FROM_TREE && row->summary.n < good)
            snprintf(row->metric.title, TCH_METRIC_TEXT,
                     "peak memory of the tree, seen in %llu of %zu runs",
                     (unsigned long long)row->summary.n, good);
    }
}

int tch_result_sum(struct tch_result *r, tacho_error *err)
{
    int status = 0;

    r->row_count = 0;
    for (size_t i = 0; i < r->column_count && status == 0; i++)
        if (r->columns[i].aggregate && !isnan(r->columns[i].aggregate->value))
            status = add_aggregate_row(r, &r->columns[i], err);
        else if (!tch_metric_keeps_quantiles(&r->columns[i].metric))
            status = add_row(r, &r->columns[i], err);
    if (status == 0 && r->work.amount > 0)
        status = add_throughput(r, err);
    complete_titles(r);
    return status;
}

const struct tch_row *tch_result_row(const struct tch_result *r, const char *key)
{
    for (size_t i = 0; i < r->row_count; i++)
        if (strcmp(r->rows[i].metric.key, key) == 0)
            return &r->rows[i];
    return NULL;
}

double tch_result_wall(const struct tch_result *r)
{
    const struct tch_row *wall = tch_result_row(r, tch_field_metric(TCH_WALL)->key);

    return wall ? wall->summary.median : NAN;
}

void tch_result_commit(const struct tch_result *r, char *out, size_t size)
{
    snprintf(out, size, "%.12s%s", r->commit, r->commit[0] && r->vcs.dirty == 1 ? "-dirty" : "");
}
