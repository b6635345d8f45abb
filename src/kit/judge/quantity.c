/* The table of quantities, and one value of each per run. */
#include "quantity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "kit/event/event_stages.h"
#include "kit/run/recorded_metric.h"
#include "kit/stats/order_stats.h"
#include "kit/stats/session.h"

/* `spread` is the session spread assumed until occasions are known, as the standard deviation of
   the logarithm of the ratio of two sessions. Clocks and neighbours change times by a few percent,
   memory and instructions hardly at all. */
static const struct known {
    const char *name;
    const char *title;
    enum tch_unit unit;
    enum tch_quantity_kind kind;
    size_t index;
    bool gated;
    double spread;
} known[] = {
    {"wall", "wall time", TCH_NS, TCH_QUANTITY_FIELD, TCH_WALL, true, TCH_SESSION_SPREAD},
    {"cpu", "CPU time", TCH_NS, TCH_QUANTITY_CPU, 0, true, TCH_SESSION_SPREAD},
    {"user", "user CPU", TCH_NS, TCH_QUANTITY_FIELD, TCH_USER, false, TCH_SESSION_SPREAD},
    {"system", "system CPU", TCH_NS, TCH_QUANTITY_FIELD, TCH_SYSTEM, false, 0.065},
    {"memory", "peak memory", TCH_BYTES, TCH_QUANTITY_FIELD, TCH_MAX_RSS, true, 0.0065},
    {"tree_memory", "peak memory of the tree", TCH_BYTES, TCH_QUANTITY_FIELD, TCH_TREE_RSS, false,
     0.0065},
    {"kv_cache", "peak key-value cache", TCH_BYTES, TCH_QUANTITY_RECORDED, 0, true, 0.0065},
    {"activation", "peak activations", TCH_BYTES, TCH_QUANTITY_RECORDED, 0, true, 0.0065},
    {"temp_buffer", "peak temporary buffers", TCH_BYTES, TCH_QUANTITY_RECORDED, 0, true, 0.0065},
    {TCH_RECORDED_LATENCY, "latency", TCH_NS, TCH_QUANTITY_RECORDED, 0, true, TCH_SESSION_SPREAD},
    {TCH_RECORDED_LATENCY_KERNEL, "latency in the kernel", TCH_NS, TCH_QUANTITY_RECORDED, 0, true,
     TCH_SESSION_SPREAD},
    {"energy", "energy", TCH_JOULES, TCH_QUANTITY_FIELD, TCH_ENERGY, true, 0.039},
    {"throughput", "throughput", TCH_RATE, TCH_QUANTITY_THROUGHPUT, 0, true, TCH_SESSION_SPREAD},
    {"instructions", "instructions", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_INSTRUCTIONS, true, 0.0065},
    {"syscalls", "system calls", TCH_COUNT, TCH_QUANTITY_COUNT, TCH_COUNT_SYSCALLS, true, 0.0065},
    {"allocations", "allocations", TCH_COUNT, TCH_QUANTITY_COUNT, TCH_COUNT_ALLOCATIONS, true,
     0.0065},
    {"allocated_bytes", "allocated bytes", TCH_BYTES, TCH_QUANTITY_COUNT, TCH_COUNT_ALLOCATED_BYTES,
     true, 0.0065},
    {"faults", "page faults", TCH_COUNT, TCH_QUANTITY_COUNT, TCH_COUNT_FAULTS, false, 0.013},
    {"cycles", "CPU cycles", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_CYCLES, false, TCH_SESSION_SPREAD},
    {"branches", "branches", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_BRANCHES, false, 0.0065},
    {"branch_misses", "branch misses", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_BRANCH_MISSES, false,
     0.065},
    {"cache_references", "cache references", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_CACHE_REFERENCES,
     false, 0.065},
    {"cache_misses", "cache misses", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_CACHE_MISSES, false, 0.065},
    {"minor_faults", "minor page faults", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_MINOR_FAULTS, false,
     0.013},
    {"major_faults", "major page faults", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_MAJOR_FAULTS, false,
     0.065},
    {"voluntary_switches", "waits (context switches)", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_VOLUNTARY,
     false, 0.065},
    {"involuntary_switches", "preemptions", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_INVOLUNTARY, false,
     0.065},
    {"block_reads", "blocks read", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_BLOCK_READS, false, 0.065},
    {"block_writes", "blocks written", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_BLOCK_WRITES, false,
     0.065},
};

enum { KNOWN = sizeof known / sizeof known[0] };

/* --- Quantities --- */

static size_t recorded_index(const struct tch_receipt *r, const char *name)
{
    return r ? tch_recorded_find(&r->samples, name) : SIZE_MAX;
}

/* Adds the origin of energy to the title: ", measured by rapl (package-0)". */
static void describe_origin(const struct tch_receipt *r, struct tch_quantity *ret)
{
    struct tch_power_origin o;
    size_t len = strlen(ret->title);

    tch_receipt_power(r, &o);
    if (o.status[0] && strcmp(o.status, "unavailable") != 0)
        snprintf(ret->title + len, sizeof ret->title - len, ", %s by %.40s (%.60s)", o.status,
                 o.source, o.domain);
}

static void describe(const struct tch_receipt *r, size_t i, struct tch_quantity *ret)
{
    const struct known *k = &known[i];
    bool recorded = k->kind == TCH_QUANTITY_RECORDED;

    *ret = (struct tch_quantity){.unit = k->unit,
                                 .kind = k->kind,
                                 .index = recorded ? recorded_index(r, k->name) : k->index,
                                 .several = recorded && k->unit == TCH_NS,
                                 .higher = k->kind == TCH_QUANTITY_THROUGHPUT,
                                 .directed = true,
                                 .gated = k->gated,
                                 .spread = k->spread};
    if (k->kind == TCH_QUANTITY_FIELD && k->index == TCH_INSTRUCTIONS && r &&
        r->counts.of[TCH_COUNT_INSTRUCTIONS].asked) { /* preferred to those of the timed runs */
        ret->kind = TCH_QUANTITY_COUNT;
        ret->index = TCH_COUNT_INSTRUCTIONS;
    }
    snprintf(ret->name, sizeof ret->name, "%s", k->name);
    if (k->kind == TCH_QUANTITY_THROUGHPUT && r && r->work_unit[0])
        snprintf(ret->title, sizeof ret->title, "%.60s/s", r->work_unit);
    else
        snprintf(ret->title, sizeof ret->title, "%s", k->title);
    if (k->unit == TCH_JOULES && r)
        describe_origin(r, ret);
}

/* Describes a metric. Less is better for a recorded time. For all others the user has to give the
   direction. */
static void describe_metric(const char *name, bool all, size_t i, struct tch_quantity *ret)
{
    enum tch_unit unit = tch_metric_unit(name);

    *ret = (struct tch_quantity){.unit = unit,
                                 .kind = TCH_QUANTITY_METRIC,
                                 .index = i,
                                 .several = all,
                                 .directed = unit == TCH_NS,
                                 .gated = unit == TCH_NS,
                                 .spread = TCH_SESSION_SPREAD};
    snprintf(ret->name, sizeof ret->name, "%s", name);
    snprintf(ret->title, sizeof ret->title, "%s", name);
}

/* Describes a category or a stage, whose names the program chose. Returns false if the name is
   neither. */
static bool describe_recorded(const char *name, size_t i, struct tch_quantity *ret)
{
    bool stage =
        strncmp(name, TCH_RECORDED_STAGE, strlen(TCH_RECORDED_STAGE)) == 0 && strchr(name, '.');
    bool memory = strncmp(name, TCH_RECORDED_MEMORY, strlen(TCH_RECORDED_MEMORY)) == 0 &&
                  name[strlen(TCH_RECORDED_MEMORY)];
    bool count = stage && tch_stage_is_count(name, strlen(name));

    if ((!stage && !memory) || strlen(name) >= TCH_RECORDED_TEXT)
        return false;
    *ret = (struct tch_quantity){.unit = count   ? TCH_COUNT
                                         : stage ? TCH_NS
                                                 : TCH_BYTES,
                                 .kind = TCH_QUANTITY_RECORDED,
                                 .index = i,
                                 .several = stage,
                                 .directed = !count,
                                 .gated = !count,
                                 .spread = stage ? TCH_SESSION_SPREAD : 0.0065};
    snprintf(ret->name, sizeof ret->name, "%s", name);
    snprintf(ret->title, sizeof ret->title, "%s%.100s", stage ? "stage " : "peak ",
             name + strlen(stage ? TCH_RECORDED_STAGE : TCH_RECORDED_MEMORY));
    return true;
}

static bool is_called(const struct known *k, const char *name)
{
    size_t prefix = strlen(TCH_RECORDED_MEMORY);

    if (k->kind == TCH_QUANTITY_RECORDED && k->unit == TCH_BYTES &&
        strncmp(name, TCH_RECORDED_MEMORY, prefix) == 0)
        name += prefix;
    if (k->kind == TCH_QUANTITY_COUNT) {
        enum tch_count_kind kind;

        return tch_count_find(name, strlen(name), &kind) && (size_t)kind == k->index;
    }
    return strcmp(k->name, name) == 0 ||
           (k->kind == TCH_QUANTITY_FIELD && strcmp(tch_fields[k->index].name, name) == 0);
}

static bool find_metric(const struct tch_receipt *r, const char *name, struct tch_quantity *ret)
{
    for (size_t i = 0; r && i < r->samples.metric_count; i++)
        if (strcmp(r->samples.metrics[i].name, name) == 0) {
            describe_metric(name, r->samples.metrics[i].all, i, ret);
            return true;
        }
    return false;
}

/* Finds a metric of recorded values. A stage without a statistic is not one: see
   describe_recorded(). */
static bool find_recorded_metric(const struct tch_receipt *r, const char *name,
                                 struct tch_quantity *ret)
{
    char whole[TCH_RECORDED_METRIC_TEXT];

    if (!tch_recorded_metric_name(name, whole) ||
        (tch_metric_source_of(name) == TCH_METRIC_STAGE && !tch_recorded_metric_complete(name)))
        return false;
    if (!find_metric(r, whole, ret))
        describe_metric(whole, false, SIZE_MAX, ret);
    return true;
}

bool tch_quantity_is_reserved(const char *name)
{
    for (size_t i = 0; i < KNOWN; i++)
        if (is_called(&known[i], name))
            return known[i].kind != TCH_QUANTITY_RECORDED && known[i].kind != TCH_QUANTITY_COUNT;
    return false;
}

/* Order of precedence: measured quantities, then metrics, then values that a program records under
   the name, then counts that were not made. */
bool tch_quantity_find(const struct tch_receipt *r, const char *name, struct tch_quantity *ret)
{
    for (size_t i = 0; i < KNOWN; i++)
        if (is_called(&known[i], name)) {
            bool metric_first =
                known[i].kind == TCH_QUANTITY_RECORDED ||
                (known[i].kind == TCH_QUANTITY_COUNT && !(r && r->counts.of[known[i].index].asked));

            if (!metric_first || !find_metric(r, name, ret))
                describe(r, i, ret);
            return true;
        }
    return find_metric(r, name, ret) || find_recorded_metric(r, name, ret) ||
           describe_recorded(name, recorded_index(r, name), ret);
}

int tch_quantity_check(const struct tch_run_plan *plan, const char *name, tacho_error *err)
{
    struct tch_quantity q;

    for (size_t i = 0; i < plan->metric_count; i++)
        if (strcmp(plan->metrics[i].id.name, name) == 0)
            return 0;
    if (tch_quantity_find(NULL, name, &q))
        return 0;
    return tch_fail(err, TACHO_EINVAL, 0,
                    "there is no metric '%.60s'; there are wall, cpu, memory, energy, throughput "
                    "and so on, span:NAME, stage:EVENT.STAGE, latency:NAME, and metrics of yours",
                    name);
}

bool tch_quantity_same(const struct tch_receipt *r, const struct tch_quantity *of,
                       struct tch_quantity *ret)
{
    bool found = of->kind == TCH_QUANTITY_METRIC ? find_metric(r, of->name, ret)
                                                 : tch_quantity_find(r, of->name, ret);

    return found && ret->kind == of->kind;
}

/* --- Values --- */

static double of_metric(const struct tch_values *values, double quantile, struct tch_values *room,
                        tacho_error *err)
{
    room->n = 0;
    for (size_t i = 0; i < values->n; i++)
        if (tch_values_add(room, values->v[i], err) < 0)
            return NAN;
    if (room->n == 0)
        return NAN;
    if (quantile == 0.5)
        return tch_median(room->v, room->n);
    tch_sort(room->v, room->n);
    return tch_quantile_nearest(room->v, room->n, quantile);
}

/* Returns a recorded value. Stage times are recorded in microseconds, but quantities that are times
   are in nanoseconds. */
static double of_recorded(const struct tch_run_sample *s, const struct tch_quantity *q,
                          double quantile)
{
    bool stage = strncmp(q->name, TCH_RECORDED_STAGE, strlen(TCH_RECORDED_STAGE)) == 0;
    const struct tch_recorded *v;

    if (q->index >= s->recorded_count)
        return NAN;
    v = &s->recorded[q->index];
    return (stage && q->unit == TCH_NS ? 1e3 : 1) * (quantile == 0.5    ? v->p50
                                                     : quantile == 0.95 ? v->p95
                                                     : quantile == 0.99 ? v->p99
                                                                        : NAN);
}

bool tch_quantity_has_quantile(const struct tch_quantity *q, double quantile)
{
    return !q->several || q->kind != TCH_QUANTITY_RECORDED || quantile == 0.5 || quantile == 0.95 ||
           quantile == 0.99;
}

bool tch_quantity_is_extreme(const struct tch_receipt *r, const struct tch_quantity *q,
                             double quantile)
{
    bool counted = q->several && q->kind == TCH_QUANTITY_METRIC;

    for (size_t i = 0; i < r->samples.count && counted; i++) {
        const struct tch_run_sample *s = &r->samples.items[i];
        size_t n = s->metrics[q->index].n;

        if (tch_run_sample_ok(s) && n > 0 &&
            tch_nearest_rank(n, quantile) == (quantile > 0.5 ? n - 1 : 0))
            return true;
    }
    return false;
}

/* Returns the value of run i; NAN if there is none. */
static double value_of(const struct tch_receipt *r, const struct tch_quantity *q, size_t i,
                       double quantile, struct tch_values *room, tacho_error *err)
{
    const struct tch_run_sample *s = &r->samples.items[i];

    switch (q->kind) {
    case TCH_QUANTITY_FIELD:
        return s->field[q->index];
    case TCH_QUANTITY_CPU:
        return s->field[TCH_USER] + s->field[TCH_SYSTEM];
    case TCH_QUANTITY_RECORDED:
        return of_recorded(s, q, quantile);
    case TCH_QUANTITY_METRIC:
        return q->index < r->samples.metric_count
                   ? of_metric(&s->metrics[q->index], quantile, room, err)
                   : NAN;
    case TCH_QUANTITY_THROUGHPUT:
        return r->work > 0 && s->field[TCH_WALL] > 0 ? r->work / s->field[TCH_WALL] * 1e9 : NAN;
    case TCH_QUANTITY_COUNT: /* timed runs have no value of it */
        break;
    }
    return NAN;
}

bool tch_quantity_by_layout(const struct tch_receipt *r)
{
    return r->samples.count > 0 && r->samples.items[0].layout > 0;
}

size_t tch_quantity_units(const struct tch_receipt *r)
{
    const struct tch_run_samples *s = &r->samples;
    size_t units = 0;

    for (size_t i = 0; i < s->count; i++)
        units +=
            !tch_quantity_by_layout(r) || i == 0 || s->items[i].layout != s->items[i - 1].layout;
    return units;
}

/* Collects counts. They come from extra runs, which belong to no round. */
static int count_series(const struct tch_count *c, struct tch_quantity_series *ret,
                        tacho_error *err)
{
    *ret = (struct tch_quantity_series){.value = malloc((c->values.n + 1) * sizeof *ret->value),
                                        .pair = malloc((c->values.n + 1) * sizeof *ret->pair)};
    if (!ret->value || !ret->pair)
        return tch_fail_memory(err);
    for (; ret->count < c->values.n; ret->count++) {
        ret->value[ret->count] = c->values.v[ret->count];
        ret->pair[ret->count] = ret->count + 1;
    }
    return 0;
}

int tch_quantity_series_of(const struct tch_receipt *r, const struct tch_quantity *q,
                           double quantile, struct tch_quantity_series *ret, tacho_error *err)
{
    size_t count = r->samples.count;
    struct tch_values room = {0};

    if (q->kind == TCH_QUANTITY_COUNT)
        return count_series(&r->counts.of[q->index], ret, err);
    *ret = (struct tch_quantity_series){.value = malloc((count + 1) * sizeof *ret->value),
                                        .pair = malloc((count + 1) * sizeof *ret->pair)};
    if (!ret->value || !ret->pair)
        return tch_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const struct tch_run_sample *sample = &r->samples.items[i];
        double value = value_of(r, q, i, quantile, &room, err);

        if (!tch_run_sample_ok(sample) || isnan(value))
            continue;
        ret->value[ret->count] = value;
        ret->pair[ret->count++] = tch_quantity_by_layout(r) ? sample->layout : sample->pair;
    }
    tch_values_release(&room);
    if (tch_quantity_by_layout(r))
        ret->count = tch_run_layout_medians(ret->value, ret->pair, ret->count);
    return 0;
}

void tch_quantity_series_release(struct tch_quantity_series *s)
{
    free(s->value);
    free(s->pair);
    *s = (struct tch_quantity_series){0};
}

void tch_quantity_series_match(struct tch_quantity_series *a, struct tch_quantity_series *b)
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

bool tch_runs_paired(const struct tch_receipt *a, const struct tch_receipt *b)
{
    return a->group[0] && strcmp(a->group, b->group) == 0;
}

static bool has_value(const struct tch_receipt *r, const struct tch_quantity *q)
{
    struct tch_values room = {0};
    bool found = q->kind == TCH_QUANTITY_COUNT && r->counts.of[q->index].values.n > 0;

    for (size_t i = 0; i < r->samples.count && !found; i++)
        found = !isnan(value_of(r, q, i, 0.5, &room, NULL));
    tch_values_release(&room);
    return found;
}

static bool describe_next(const struct tch_receipt *r, size_t i, struct tch_quantity *ret)
{
    const struct tch_run_samples *samples = &r->samples;

    if (i < KNOWN) {
        describe(r, i, ret);
        return true;
    }
    i -= KNOWN;
    if (i < samples->metric_count) {
        describe_metric(samples->metrics[i].name, samples->metrics[i].all, i, ret);
        return true;
    }
    i -= samples->metric_count;
    return describe_recorded(samples->recorded_names[i], i, ret);
}

bool tch_quantity_next(const struct tch_receipt *r, size_t *at, struct tch_quantity *ret)
{
    while (*at < KNOWN + r->samples.metric_count + r->samples.recorded_count)
        if (describe_next(r, (*at)++, ret) && has_value(r, ret))
            return true;
    return false;
}
