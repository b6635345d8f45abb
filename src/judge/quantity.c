/* The table of quantities, and their values a run. */
#include "quantity.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/csv.h>

#include "base/error.h"
#include "base/number.h"
#include "run/folder.h"
#include "stats/order.h"

/* Spreads are what is assumed of two occasions until some have been seen: clocks and neighbours
   change times by a few percent, memory and instructions hardly at all. */
static const struct known {
    const char *name;
    const char *title;
    enum tch_unit unit;
    enum tch_quantity_kind kind;
    size_t index;
    bool gated;
    double spread;
} known[] = {
    {"wall", "wall time", TCH_NS, TCH_QUANTITY_FIELD, TCH_WALL, true, 0.02},
    {"cpu", "CPU time", TCH_NS, TCH_QUANTITY_CPU, 0, true, 0.02},
    {"user", "user CPU", TCH_NS, TCH_QUANTITY_FIELD, TCH_USER, false, 0.02},
    {"system", "system CPU", TCH_NS, TCH_QUANTITY_FIELD, TCH_SYSTEM, false, 0.05},
    {"memory", "peak memory", TCH_BYTES, TCH_QUANTITY_FIELD, TCH_MAX_RSS, true, 0.005},
    {"tree_memory", "peak memory of the tree", TCH_BYTES, TCH_QUANTITY_FIELD, TCH_TREE_RSS, false,
     0.005},
    {"kv_cache", "peak key-value cache", TCH_BYTES, TCH_QUANTITY_CATEGORY, 0, true, 0.005},
    {"activation", "peak activations", TCH_BYTES, TCH_QUANTITY_CATEGORY, 1, true, 0.005},
    {"temp_buffer", "peak temporary buffers", TCH_BYTES, TCH_QUANTITY_CATEGORY, 2, true, 0.005},
    {"energy", "energy", TCH_JOULES, TCH_QUANTITY_FIELD, TCH_ENERGY, true, 0.03},
    {"throughput", "throughput", TCH_PLAIN, TCH_QUANTITY_THROUGHPUT, 0, true, 0.02},
    {"instructions", "instructions", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_INSTRUCTIONS, true, 0.005},
    {"cycles", "CPU cycles", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_CYCLES, false, 0.02},
    {"branches", "branches", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_BRANCHES, false, 0.005},
    {"branch_misses", "branch misses", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_BRANCH_MISSES, false,
     0.05},
    {"cache_references", "cache references", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_CACHE_REFERENCES,
     false, 0.05},
    {"cache_misses", "cache misses", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_CACHE_MISSES, false, 0.05},
    {"minor_faults", "minor page faults", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_MINOR_FAULTS, false,
     0.01},
    {"major_faults", "major page faults", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_MAJOR_FAULTS, false,
     0.05},
    {"voluntary_switches", "waits (context switches)", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_VOLUNTARY,
     false, 0.05},
    {"involuntary_switches", "preemptions", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_INVOLUNTARY, false,
     0.05},
    {"block_reads", "blocks read", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_BLOCK_READS, false, 0.05},
    {"block_writes", "blocks written", TCH_COUNT, TCH_QUANTITY_FIELD, TCH_BLOCK_WRITES, false,
     0.05},
};

enum { KNOWN = sizeof known / sizeof known[0] };

static int no_memory(tacho_error *err)
{
    return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for the values of a run");
}

/* --- Memory categories: rows of the program's own file, each to the run it was written in. --- */

struct reading {
    struct tch_measured *m;
    double offset_ns; /* of the samples' clock to the wall clock */
    size_t at;        /* rows come run by run */
};

static bool in_sample(const struct reading *r, size_t i, double ns)
{
    const struct tch_run_sample *sample = &r->m->receipt->samples.items[i];
    double start = (double)sample->start_ns + r->offset_ns;

    return ns >= start - 1e3 && ns <= start + sample->field[TCH_WALL] + 1e3;
}

static int take_memory(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    struct reading *r = ctx;
    const double value[TCH_CATEGORIES] = {(double)row->as.memory.kv_cache_bytes,
                                          (double)row->as.memory.activation_bytes,
                                          (double)row->as.memory.temp_buffer_bytes};
    double ns = 1e3 * (double)row->as.memory.timestamp_us;
    size_t count = r->m->receipt->samples.count;

    (void)err;
    for (size_t tried = 0; tried < count && !in_sample(r, r->at, ns); tried++)
        r->at = (r->at + 1) % count;
    if (count == 0 || !in_sample(r, r->at, ns))
        return 0; /* of a warm-up */
    for (size_t k = 0; k < TCH_CATEGORIES; k++) {
        double *peak = &r->m->category[k][r->at];

        if (isnan(*peak) || *peak < value[k])
            *peak = value[k];
    }
    return 0;
}

static double head_number(const struct tch_receipt *r, const char *key)
{
    size_t len;
    const char *raw = tch_receipt_raw(r, key, &len);
    double value = NAN;

    if (raw)
        (void)tch_parse_f64_n(raw, len, &value);
    return value;
}

/* A category that is 0 all the time was not told of. */
static void drop_empty(struct tch_measured *m)
{
    for (size_t k = 0; k < TCH_CATEGORIES; k++) {
        bool any = false;

        for (size_t i = 0; m->category[k] && i < m->receipt->samples.count; i++)
            any |= m->category[k][i] > 0;
        if (!any) {
            free(m->category[k]);
            m->category[k] = NULL;
        }
    }
}

/* Most programs tell nothing: then there is no file. */
static int read_memory(const char *path, struct reading *r, tacho_error *err)
{
    tacho_error why = {0};
    int status = tacho_csv_read(path, TACHO_CSV_MEMORY, take_memory, r, &why);

    if (status == TACHO_EIO && why.system_errno == ENOENT)
        return 0;
    if (status < 0 && err)
        *err = why;
    return status;
}

int tch_measured_init(struct tch_measured *m, const struct tch_receipt *receipt, const char *folder,
                      tacho_error *err)
{
    struct reading r = {.m = m};
    char path[PATH_MAX];
    int status;

    *m = (struct tch_measured){.receipt = receipt};
    if (!folder)
        return 0;
    status = tch_folder_at(path, folder, "memory-program.csv", err);
    for (size_t k = 0; k < TCH_CATEGORIES && status == 0; k++) {
        m->category[k] = malloc((receipt->samples.count + 1) * sizeof(double));
        if (!m->category[k])
            return no_memory(err);
        for (size_t i = 0; i < receipt->samples.count; i++)
            m->category[k][i] = NAN;
    }
    r.offset_ns =
        head_number(receipt, "started_unix_ns") - head_number(receipt, "started_monotonic_ns");
    if (status == 0 && !isnan(r.offset_ns))
        status = read_memory(path, &r, err);
    if (status < 0)
        return status;
    drop_empty(m);
    return 0;
}

void tch_measured_release(struct tch_measured *m)
{
    for (size_t k = 0; k < TCH_CATEGORIES; k++)
        free(m->category[k]);
    *m = (struct tch_measured){0};
}

/* --- Quantities --- */

static void describe(const struct tch_measured *m, size_t i, struct tch_quantity *ret)
{
    const struct known *k = &known[i];

    *ret = (struct tch_quantity){.unit = k->unit,
                                 .kind = k->kind,
                                 .index = k->index,
                                 .higher = k->kind == TCH_QUANTITY_THROUGHPUT,
                                 .directed = true,
                                 .gated = k->gated,
                                 .spread = k->spread};
    snprintf(ret->name, sizeof ret->name, "%s", k->name);
    if (k->kind == TCH_QUANTITY_THROUGHPUT && m->receipt && m->receipt->work_unit[0])
        snprintf(ret->title, sizeof ret->title, "%.60s/s", m->receipt->work_unit);
    else
        snprintf(ret->title, sizeof ret->title, "%s", k->title);
}

static void describe_metric(const char *name, size_t i, struct tch_quantity *ret)
{
    *ret = (struct tch_quantity){
        .unit = TCH_PLAIN, .kind = TCH_QUANTITY_METRIC, .index = i, .spread = 0.02};
    snprintf(ret->name, sizeof ret->name, "%s", name);
    snprintf(ret->title, sizeof ret->title, "%s", name);
}

static bool is_called(const struct known *k, const char *name)
{
    return strcmp(k->name, name) == 0 ||
           (k->kind == TCH_QUANTITY_FIELD && strcmp(tch_fields[k->index].name, name) == 0);
}

bool tch_quantity_find(const struct tch_measured *m, const char *name, struct tch_quantity *ret)
{
    const struct tch_run_samples *samples = m->receipt ? &m->receipt->samples : NULL;

    for (size_t i = 0; i < KNOWN; i++)
        if (is_called(&known[i], name)) {
            describe(m, i, ret);
            return true;
        }
    for (size_t i = 0; samples && i < samples->metric_count; i++)
        if (strcmp(samples->metrics[i].name, name) == 0) {
            describe_metric(name, i, ret);
            return true;
        }
    return false;
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
    return tch_quantile_linear(room->v, room->n, quantile);
}

/* The value of run i, NAN where there is none. */
static double value_of(const struct tch_measured *m, const struct tch_quantity *q, size_t i,
                       double quantile, struct tch_values *room, tacho_error *err)
{
    const struct tch_run_sample *s = &m->receipt->samples.items[i];

    switch (q->kind) {
    case TCH_QUANTITY_FIELD:
        return s->field[q->index];
    case TCH_QUANTITY_CPU:
        return s->field[TCH_USER] + s->field[TCH_SYSTEM];
    case TCH_QUANTITY_CATEGORY:
        return m->category[q->index] ? m->category[q->index][i] : NAN;
    case TCH_QUANTITY_METRIC:
        return of_metric(&s->metrics[q->index], quantile, room, err);
    case TCH_QUANTITY_THROUGHPUT:
        return m->receipt->work > 0 && s->field[TCH_WALL] > 0
                   ? m->receipt->work / s->field[TCH_WALL] * 1e9
                   : NAN;
    }
    return NAN;
}

int tch_series_of(const struct tch_measured *m, const struct tch_quantity *q, double quantile,
                  struct tch_series *ret, tacho_error *err)
{
    size_t count = m->receipt->samples.count;
    struct tch_values room = {0};

    *ret = (struct tch_series){.value = malloc((count + 1) * sizeof *ret->value),
                               .pair = malloc((count + 1) * sizeof *ret->pair)};
    if (!ret->value || !ret->pair)
        return no_memory(err);
    for (size_t i = 0; i < count; i++) {
        const struct tch_run_sample *sample = &m->receipt->samples.items[i];
        double value = value_of(m, q, i, quantile, &room, err);

        if (!tch_run_sample_ok(sample) || isnan(value))
            continue;
        ret->value[ret->count] = value;
        ret->pair[ret->count++] = sample->pair;
    }
    tch_values_release(&room);
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

bool tch_measured_paired(const struct tch_receipt *a, const struct tch_receipt *b)
{
    return a->group[0] && strcmp(a->group, b->group) == 0;
}

static bool has_value(const struct tch_measured *m, const struct tch_quantity *q)
{
    struct tch_values room = {0};
    bool found = false;

    for (size_t i = 0; i < m->receipt->samples.count && !found; i++)
        found = !isnan(value_of(m, q, i, 0.5, &room, NULL));
    tch_values_release(&room);
    return found;
}

bool tch_quantity_next(const struct tch_measured *m, size_t *at, struct tch_quantity *ret)
{
    const struct tch_run_samples *samples = &m->receipt->samples;

    while (*at < KNOWN + samples->metric_count) {
        size_t i = (*at)++;

        if (i < KNOWN)
            describe(m, i, ret);
        else
            describe_metric(samples->metrics[i - KNOWN].name, i - KNOWN, ret);
        if (has_value(m, ret))
            return true;
    }
    return false;
}
