/* Reads memory, latencies and stages, and sets the columns of the result. recorded_spans.c reads
   spans. */
#include "recorded.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/file.h"
#include "kit/event/event_scan.h"
#include "kit/event/event_stages_sum.h"
#include "kit/file/found_file.h"
#include "lib/measure/csv_columns.h"
#include "lib/measure/csv_read.h"
#include "lib/trace/recording_convert.h"
#include "recorded_reading.h"
#include "recording_cost.h"

bool tch_recorded_is_category(const char *key, size_t len)
{
    static const char *const kernel[] = {"anon_bytes", "file_bytes", "swap_bytes"};

    for (size_t i = 0; i < sizeof kernel / sizeof kernel[0]; i++)
        if (len == strlen(kernel[i]) && memcmp(key, kernel[i], len) == 0)
            return false;
    return true;
}

bool tch_recorded_part_is(const char *name, const char *prefix, const char *suffix)
{
    size_t before = strlen(prefix);
    size_t behind = strlen(suffix);
    size_t len = strlen(name);

    return len >= before + behind && strncmp(name, prefix, before) == 0 &&
           strcmp(name + len - behind, suffix) == 0;
}

/* --- The state of reading --- */

int tch_reading_ask(struct tch_reading *f, const char *metric, size_t column)
{
    struct tch_recorded_series s = {.column = column};

    if (!tch_metric_name_parse(metric, &s.asked))
        return 0;
    if (tch_array_extend(&f->series, f->series_count) < 0)
        return tch_fail_memory(f->err);
    f->series[f->series_count++] = s;
    return 0;
}

bool tch_reading_wants(const struct tch_reading *f, enum tch_metric_source source)
{
    for (size_t i = 0; i < f->series_count; i++)
        if (f->series[i].asked.source == source)
            return true;
    return f->names && f->names_of == source;
}

int tch_reading_note(struct tch_reading *f, enum tch_metric_source source, const char *name,
                     size_t len)
{
    if (f->names && f->names_of == source && tch_intern_add(f->names, name, len) == TCH_INTERN_NONE)
        return tch_fail_memory(f->err);
    return 0;
}

int tch_reading_add(struct tch_reading *f, struct tch_recorded_series *s, uint64_t ns,
                    double counted)
{
    s->total += counted;
    return tch_latencies_add(&s->durations, ns, f->err);
}

void tch_reading_release(struct tch_reading *f)
{
    for (size_t i = 0; i < f->series_count; i++)
        tch_latencies_release(&f->series[i].durations);
    free(f->series);
    tch_latencies_release(&f->wall);
    tch_latencies_release(&f->kernel);
    tch_stages_release(&f->stages);
}

/* --- Memory --- */

static int raise_peak(struct tch_reading *f, const char *name, uint64_t bytes, tacho_error *err)
{
    int column = tch_result_recorded(f->r, name);
    double peak = (double)bytes;

    if (column >= 0 && f->r->columns[column].value[f->index] >= peak)
        return 0;
    return tch_result_set_recorded(f->r, f->index, name, peak, peak, peak, err);
}

/* Adds a row of memory.csv. A category that is 0 is one that the program does not use. */
static int add_memory_row(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    const struct {
        const char *name;
        uint64_t bytes;
    } told[] = {{"kv_cache", row->as.memory.kv_cache_bytes},
                {"activation", row->as.memory.activation_bytes},
                {"temp_buffer", row->as.memory.temp_buffer_bytes}};

    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++)
        if (told[i].bytes > 0 && raise_peak(ctx, told[i].name, told[i].bytes, err) < 0)
            return TACHO_ENOMEM;
    return 0;
}

static int add_detail_row(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    const tacho_csv_memory_detail *detail = &row->as.memory_detail;
    char name[sizeof "memory." + 64];

    if (!tch_recorded_is_category(detail->key, detail->key_len) || detail->value == 0 ||
        detail->key_len > 63)
        return 0;
    snprintf(name, sizeof name, "memory.%.*s", (int)detail->key_len, detail->key);
    return raise_peak(ctx, name, detail->value, err);
}

static int read_csv(struct tch_reading *f, const char *name, enum tacho_csv_kind kind,
                    tacho_csv_row_fn *add_row, void *ctx)
{
    int fd = tch_found_open(f->folder, name, f->err);
    int status = fd < 0 ? fd : tch_csv_read_fd(fd, name, kind, add_row, ctx, f->err);

    if (status != TACHO_EPARSE)
        return status;
    f->lost += tch_reading_wants(f, TCH_FROM_LATENCY) && add_row != add_memory_row &&
               add_row != add_detail_row;
    return 0; /* truncated by a kill; read up to there */
}

/* --- Latencies --- */

/* The latencies of one file. Its name is the NAME of latency-ns.NAME.PID.csv, or "" without one. */
struct latency_file {
    struct tch_reading *f;
    const char *name;
    size_t len;
};

static int add_latency(const struct latency_file *part, uint64_t wall_ns, uint64_t kernel_ns)
{
    struct tch_reading *f = part->f;
    int status = tch_latencies_add(&f->wall, wall_ns, f->err);

    if (status == 0)
        status = tch_latencies_add(&f->kernel, kernel_ns, f->err);
    for (size_t i = 0; i < f->series_count && status == 0; i++) {
        struct tch_recorded_series *s = &f->series[i];
        const char *text = s->asked.text;
        size_t len = s->asked.len;
        bool kernel = len == 6 && memcmp(text, "kernel", 6) == 0;
        bool all = kernel || (len == 4 && memcmp(text, "wall", 4) == 0);
        bool own = len == part->len && memcmp(text, part->name, len) == 0;
        uint64_t ns = kernel ? kernel_ns : wall_ns;

        if (s->asked.source == TCH_FROM_LATENCY && (all || own))
            status = tch_reading_add(f, s, ns, (double)ns);
    }
    return status;
}

static int add_row_ns(const tacho_csv_row *row, void *part, tacho_error *err)
{
    (void)err;
    return add_latency(part, row->as.latency_ns.wall_ns, row->as.latency_ns.kernel_ns);
}

static int add_row_us(const tacho_csv_row *row, void *part, tacho_error *err)
{
    (void)err;
    return add_latency(part, tch_latency_ns(row->as.latency.wall_time_us),
                       tch_latency_ns(row->as.latency.kernel_time_us));
}

/* Finds the name between prefix and suffix, without the numbers of the process and of the list. */
static struct latency_file part_of(struct tch_reading *f, const char *base, const char *prefix)
{
    const char *name = base + strlen(prefix);
    size_t len = strlen(name) - strlen(".csv");

    for (;;) {
        size_t left = len;

        while (left > 0 && name[left - 1] >= '0' && name[left - 1] <= '9')
            left--;
        if (left == len || (left > 0 && name[left - 1] != '.'))
            break;
        len = left > 0 ? left - 1 : 0;
    }
    return (struct latency_file){f, name, len};
}

static int read_latencies(struct tch_reading *f, const char *name, const char *base, bool ns)
{
    struct latency_file part = part_of(f, base, ns ? "latency-ns." : "latency.");
    int status = read_csv(f, name, ns ? TACHO_CSV_LATENCY_NS : TACHO_CSV_LATENCY,
                          ns ? add_row_ns : add_row_us, &part);

    if (status == 0)
        status = tch_reading_note(f, TCH_FROM_LATENCY, "wall", 4);
    if (status == 0)
        status = tch_reading_note(f, TCH_FROM_LATENCY, "kernel", 6);
    return status == 0 && part.len > 0 ? tch_reading_note(f, TCH_FROM_LATENCY, part.name, part.len)
                                       : status;
}

/* --- Stages of events --- */

static int read_events(struct tch_reading *f, const char *name)
{
    void *worker = &f->stages;
    const struct tch_scan scan = {.threads = 1, .workers = &worker, .event = tch_stages_add};
    struct tch_scan_counts counts = {0};
    int fd = tch_found_open(f->folder, name, f->err);
    int status;

    if (fd < 0)
        return fd;
    status = tch_scan_fd(fd, name, &scan, &counts, f->err);
    close(fd);
    f->lost += tch_reading_wants(f, TCH_FROM_STAGES) ? counts.bad : 0;
    f->events += (double)counts.lines;
    return status;
}

/* Writes "EVENT.STAGE" after a prefix. Returns its length; 0 if it is too long. */
static size_t stage_name(char name[TCH_METRIC_TEXT], const char *prefix,
                         const struct tch_stage_group *group, const struct tch_stage *stage)
{
    int n = snprintf(name, TCH_METRIC_TEXT, "%s%.*s.%.*s", prefix, (int)group->event_len,
                     group->event, (int)stage->name_len, stage->name);

    return n > 0 && n < TCH_METRIC_TEXT ? (size_t)n : 0;
}

/* Notes the names of all stages, for a message. */
static int note_stages(struct tch_reading *f)
{
    char name[TCH_METRIC_TEXT];
    int status = 0;

    for (size_t i = 0; i < f->stages.count; i++)
        for (size_t k = 0; k < f->stages.groups[i].count && status == 0; k++) {
            const struct tch_stage_group *group = &f->stages.groups[i];
            size_t len = stage_name(name, "", group, &group->stages[k]);

            if (len > 0)
                status = tch_reading_note(f, TCH_FROM_STAGES, name, len);
        }
    return status;
}

/* --- The files of a run --- */

static int read_part(void *ctx, const char *name, tacho_error *err)
{
    struct tch_reading *f = ctx;
    const char *base = tch_base_name(name);
    bool is_trace = tch_trace_is_recording(name) || strcmp(base, TCH_CHROME_PART) == 0;
    uint64_t most = is_trace ? UINT64_MAX : TCH_RECORDED_PART_MAX;
    int readable = tch_found_readable(f->folder, name, most, err);

    if (readable <= 0)
        return readable; /* 0: tch_recorded_merge() warns of it */
    if (f->r && tch_recorded_part_is(base, "memory.", ".csv"))
        return read_csv(f, name, TACHO_CSV_MEMORY, add_memory_row, f);
    if (f->r && tch_recorded_part_is(base, "memory-detail.", ".csv"))
        return read_csv(f, name, TACHO_CSV_MEMORY_DETAIL, add_detail_row, f);
    if (tch_recorded_part_is(base, "latency-ns.", ".csv"))
        return read_latencies(f, name, base, true);
    if (tch_recorded_part_is(base, "latency.", ".csv"))
        return read_latencies(f, name, base, false);
    if (tch_recorded_part_is(base, "profile", ".jsonl"))
        return read_events(f, name);
    f->recordings += tch_trace_is_recording(name);
    if (is_trace && tch_reading_wants(f, TCH_FROM_SPANS))
        return tch_reading_spans(f, name);
    return 0;
}

int tch_reading_read(struct tch_reading *f)
{
    char name[32];
    int status;

    tch_stages_init(&f->stages, NULL, NULL);
    snprintf(name, sizeof name, "iter/%04llu", (unsigned long long)f->run);
    status = tch_found_each(f->folder, name, read_part, f, f->err);
    return status < 0 || !f->names ? status : note_stages(f);
}

/* --- Values --- */

static int set_latency(const struct tch_reading *f, const char *name, const struct tch_latencies *l)
{
    tacho_latency_stats s;
    int status = tch_latencies_stats(l, &s, f->err);

    if (status < 0 || s.max == 0) /* nothing was recorded, or the time in the kernel is not known */
        return status;
    return tch_result_set_recorded(f->r, f->index, name, tch_latencies_median(l, s.p50),
                                   (double)s.p95, (double)s.p99, f->err);
}

static int set_stages(struct tch_reading *f)
{
    char name[TCH_METRIC_TEXT];
    int status = 0;

    for (size_t i = 0; i < f->stages.count; i++)
        for (size_t k = 0; k < f->stages.groups[i].count && status == 0; k++) {
            const struct tch_stage_group *group = &f->stages.groups[i];
            struct tch_stage_summary s;

            if (stage_name(name, "stage:", group, &group->stages[k]) == 0)
                continue;
            tch_stage_summarise(&group->stages[k], &s);
            status = tch_result_set_recorded(f->r, f->index, name, s.p50, s.p95, s.p99, f->err);
        }
    return status;
}

/* Finds the stage "EVENT.STAGE". Both parts may contain dots, so it compares every pair as a
   whole. */
static struct tch_stage *find_stage(struct tch_stages *all, const struct tch_metric_name *asked)
{
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < all->groups[i].count; k++) {
            const struct tch_stage_group *group = &all->groups[i];
            struct tch_stage *stage = &all->groups[i].stages[k];

            if (asked->len == group->event_len + 1 + stage->name_len &&
                asked->text[group->event_len] == '.' &&
                memcmp(asked->text, group->event, group->event_len) == 0 &&
                memcmp(asked->text + group->event_len + 1, stage->name, stage->name_len) == 0)
                return stage;
        }
    return NULL;
}

static double stage_value(struct tch_stage *stage, enum tch_metric_statistic statistic)
{
    double unit = stage->is_count ? 1 : 1e3; /* events contain microseconds */
    struct tch_stage_summary s;

    tch_stage_summarise(stage, &s);
    switch (statistic) {
    case TCH_STATISTIC_TOTAL:
        return unit * s.total;
    case TCH_STATISTIC_COUNT:
        return (double)stage->count;
    case TCH_STATISTIC_MEAN:
        return unit * s.mean;
    case TCH_STATISTIC_P50:
        return unit * s.p50;
    case TCH_STATISTIC_P99:
        return unit * s.p99;
    default:
        return unit * s.max;
    }
}

static int series_value(const struct tch_recorded_series *s, double *ret, tacho_error *err)
{
    tacho_latency_stats stats;
    int status = tch_latencies_stats(&s->durations, &stats, err);

    switch (s->asked.statistic) {
    case TCH_STATISTIC_TOTAL:
        *ret = s->total;
        break;
    case TCH_STATISTIC_COUNT:
        *ret = (double)stats.n;
        break;
    case TCH_STATISTIC_MEAN:
        *ret = stats.mean;
        break;
    case TCH_STATISTIC_P50:
        *ret = tch_latencies_median(&s->durations, stats.p50);
        break;
    case TCH_STATISTIC_P99:
        *ret = (double)stats.p99;
        break;
    default:
        *ret = (double)stats.max;
    }
    return status;
}

/* Sets the metrics that were asked for. */
static int set_asked(struct tch_reading *f)
{
    int status = 0;

    for (size_t i = 0; i < f->series_count && status == 0; i++) {
        const struct tch_recorded_series *s = &f->series[i];
        double value = NAN;

        if (s->asked.source == TCH_FROM_STAGES) {
            struct tch_stage *stage = find_stage(&f->stages, &s->asked);

            value = stage ? stage_value(stage, s->asked.statistic) : NAN;
        } else if (s->durations.count > 0) {
            status = series_value(s, &value, f->err);
        }
        if (status == 0 && isfinite(value))
            f->r->columns[s->column].value[f->index] = value;
    }
    return status;
}

static void warn_of_lost(const struct tch_reading *f)
{
    struct tch_warnings *w = &f->r->warnings;

    for (size_t i = 0; i < w->count; i++)
        if (strcmp(w->item[i].code, "records-lost") == 0)
            return;
    if (f->lost > 0)
        tch_warn(w, "records-lost",
                 "metrics computed from these records are too low; give the recorder more room, or "
                 "record less",
                 "run %llu lost %llu records of its program", (unsigned long long)f->run,
                 (unsigned long long)f->lost);
}

/* --- All runs --- */

void tch_recorded_init(struct tch_recorded *rec, const char *folder)
{
    *rec = (struct tch_recorded){.folder = folder};
}

void tch_recorded_release(struct tch_recorded *rec)
{
    tch_latencies_release(&rec->wall);
    tch_latencies_release(&rec->kernel);
}

bool tch_recorded_is_asked(const struct tch_result *r)
{
    for (size_t i = TCH_FIELDS; i < r->column_count; i++)
        if (r->columns[i].metric.asked && r->columns[i].metric.source != TCH_FROM_OUTPUT)
            return true;
    return false;
}

/* Reads the files of a run into the columns of its result. */
static int read_values(struct tch_reading *f)
{
    struct tch_result *r = f->r;
    int status;

    for (size_t i = TCH_FIELDS; i < r->column_count; i++) {
        if (!r->columns[i].metric.asked)
            continue;
        status = tch_reading_ask(f, r->columns[i].metric.name, i);
        if (status < 0)
            return status;
    }
    status = tch_reading_read(f);
    if (status < 0)
        return status;
    status = set_asked(f); /* before columns are added, which moves no column that was asked for */
    if (status < 0)
        return status;
    status = set_latency(f, "latency", &f->wall);
    if (status < 0)
        return status;
    status = set_latency(f, "latency_kernel", &f->kernel);
    if (status < 0)
        return status;
    return set_stages(f);
}

static int read_run(struct tch_recorded *rec, struct tch_result *r, size_t index, tacho_error *err)
{
    struct tch_reading f = {
        .folder = rec->folder, .run = r->runs[index].run, .r = r, .index = index, .err = err};
    int status = read_values(&f);

    if (status < 0)
        goto out;
    status = tch_latencies_add_all(&rec->wall, &f.wall, err);
    if (status < 0)
        goto out;
    status = tch_latencies_add_all(&rec->kernel, &f.kernel, err);
out: /* the sums count what was read of a run, even if the rest cannot be */
    rec->recordings += f.recordings;
    rec->spans += f.spans;
    rec->events += f.events;
    rec->latencies += (double)f.wall.count;
    warn_of_lost(&f);
    tch_reading_release(&f);
    return status;
}

int tch_recorded_read(struct tch_recorded *rec, struct tch_result *r, tacho_error *err)
{
    int status = 0;

    for (; rec->next < r->run_count && status == 0; rec->next++)
        status = read_run(rec, r, rec->next, err);
    return status;
}

static bool is_asked(const struct tch_result *r, enum tch_metric_source source)
{
    for (size_t i = TCH_FIELDS; i < r->column_count; i++)
        if (r->columns[i].metric.asked && r->columns[i].metric.source == source)
            return true;
    return false;
}

void tch_recorded_set_costs(const struct tch_recorded *rec, struct tch_result *r,
                            const char *scratch)
{
    struct tch_result_costs *c = &r->costs;
    const struct {
        bool wanted;
        double records;
        double *per_run;
        double *cost_ns;
    } costs[TCH_COSTS] = {
        [TCH_COST_RECORDING] = {rec->recordings > 0, rec->recordings, &c->recordings_per_run,
                                &c->recording_cost_ns},
        [TCH_COST_SPAN] = {is_asked(r, TCH_FROM_SPANS), rec->spans, &c->spans_per_run,
                           &c->span_cost_ns},
        [TCH_COST_EVENT] = {is_asked(r, TCH_FROM_STAGES), rec->events, &c->events_per_run,
                            &c->event_cost_ns},
        [TCH_COST_LATENCY] = {is_asked(r, TCH_FROM_LATENCY), rec->latencies, &c->latencies_per_run,
                              &c->latency_cost_ns},
    };
    struct tch_recording_cost each = {.wanted = {false}};
    bool any = false;

    for (int i = 0; i < TCH_COSTS; i++)
        any |= each.wanted[i] = costs[i].wanted;
    if (r->run_count == 0 || !any)
        return; /* the common case: no recording, no cost */
    tch_recording_cost_measure(&each, scratch);
    for (int i = 0; i < TCH_COSTS; i++) {
        if (!each.wanted[i])
            continue;
        *costs[i].per_run = costs[i].records / (double)r->run_count;
        *costs[i].cost_ns = each.ns[i];
    }
}

int tch_recorded_finish(const struct tch_recorded *rec, struct tch_result *r, tacho_error *err)
{
    struct tch_latency_summary *s = &r->latency;
    int status = tch_latencies_stats(&rec->wall, &s->wall, err);

    if (status == 0)
        status = tch_latencies_stats(&rec->kernel, &s->kernel, err);
    if (status < 0)
        return status;
    s->wall_p50 = tch_latencies_median(&rec->wall, s->wall.p50);
    s->kernel_p50 = tch_latencies_median(&rec->kernel, s->kernel.p50);
    s->exact = !rec->wall.histogram;
    tch_recorded_set_costs(rec, r, rec->folder);
    return 0;
}
