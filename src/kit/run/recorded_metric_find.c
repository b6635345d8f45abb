/* Reads the spans, events and latencies of one run and computes metrics from them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/found_file.h"
#include "base/intern.h"
#include "kit/event/event_scan.h"
#include "kit/event/event_stages.h"
#include "kit/trace/trace_async.h"
#include "kit/trace/trace_load.h"
#include "lib/measure/csv_columns.h"
#include "lib/trace/recording_convert.h"
#include "recorded.h"
#include "recorded_metric.h"
#include "run_folder.h"
#include "run_merge.h"
#include "spawner/spawner.h"

enum { NAMES_SHOWN = 8 };

/* The durations of the spans of one metric. */
struct series {
    struct tch_latencies durations;
    double total;  /* nested spans of the metric on one track count once */
    uint32_t name; /* id of its name in the current trace */
    uint32_t track;
    int64_t reach; /* the latest end of its spans on that track */
};

/* The state of reading one run. */
struct finding {
    const struct tch_recorded_run *in;
    const struct tch_metric *metrics;
    size_t count;
    struct series *series; /* one per metric */
    struct tch_stages stages;
    struct tch_intern
        *names;    /* all recorded names that a metric could have had; NULL: not needed */
    uint64_t lost; /* records that the recorder dropped or that are damaged */
    tacho_error *err;
};

static bool wants(const struct finding *f, enum tch_metric_source source)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->metrics[i].source == source)
            return true;
    return false;
}

static int note_name(struct finding *f, const char *name, size_t len)
{
    if (f->names && tch_intern_add(f->names, name, len) == TCH_INTERN_NONE)
        return tch_fail_memory(f->err);
    return 0;
}

static int add_duration(struct finding *f, struct series *s, uint64_t ns, double counted)
{
    s->total += counted;
    return tch_latencies_add(&s->durations, ns, f->err);
}

/* --- Spans --- */

/* Returns the part of a span that no earlier span of its name on its track covers. Spans come in
   the order of tracks and times. */
static int64_t not_covered(struct series *s, const struct tch_ev *ev)
{
    int64_t end = ev->ts + ev->dur;
    int64_t from = ev->ts;

    if (s->durations.count == 0 || s->track != ev->track)
        s->reach = INT64_MIN;
    s->track = ev->track;
    if (s->reach > from)
        from = s->reach;
    if (end > s->reach)
        s->reach = end;
    return end > from ? end - from : 0;
}

static int add_span(struct finding *f, const struct tch_model *m, const struct tch_ev *ev)
{
    int status =
        note_name(f, tch_intern_text(&m->texts, ev->name), tch_intern_len(&m->texts, ev->name));

    for (size_t i = 0; i < f->count && status == 0; i++)
        if (f->metrics[i].source == TCH_METRIC_SPAN && f->series[i].name == ev->name)
            status = add_duration(f, &f->series[i], (uint64_t)ev->dur,
                                  (double)not_covered(&f->series[i], ev));
    return status;
}

struct asyncs {
    struct finding *f;
    const struct tch_model *m;
};

static int add_async(void *ctx, const struct tch_ev *ev, uint64_t counted)
{
    const struct asyncs *a = ctx;
    struct finding *f = a->f;
    int status = note_name(f, tch_intern_text(&a->m->texts, ev->name),
                           tch_intern_len(&a->m->texts, ev->name));

    for (size_t i = 0; i < f->count && status == 0; i++)
        if (f->metrics[i].source == TCH_METRIC_SPAN && f->series[i].name == ev->name)
            status = add_duration(f, &f->series[i], (uint64_t)ev->dur, (double)counted);
    return status;
}

static int read_spans(struct finding *f, struct tch_trace_load *load)
{
    struct asyncs asyncs = {f, &load->model};
    struct tch_async async;
    struct tch_ev ev;
    int more = 0;
    int status = 0;

    tch_async_init(&async, false);
    for (size_t i = 0; i < f->count; i++) {
        f->series[i].track = UINT32_MAX; /* another trace has other tracks */
        f->series[i].name =
            tch_intern_find(&load->model.texts, f->metrics[i].text, strlen(f->metrics[i].text));
    }
    while (status == 0 && (more = tch_trace_load_next(load, &ev, f->err)) > 0)
        if (ev.kind == TCH_EV_SPAN)
            status = add_span(f, &load->model, &ev);
        else if (ev.kind == TCH_EV_ASYNC)
            status = tch_async_add(&async, &load->model, &ev, f->err);
    if (status == 0 && more == 0)
        status = tch_async_each(&async, add_async, &asyncs, f->err);
    tch_async_release(&async);
    return status == 0 ? more : status;
}

static int read_trace(struct finding *f, const char *name)
{
    static const struct tch_trace_read_options options = {0};
    struct tch_trace_load load;
    char path[PATH_MAX];
    int status = tch_folder_at(path, f->in->folder, name, f->err);

    if (status < 0)
        return status;
    status = tch_trace_load_open(&load, path, &options, tch_by_track_and_time, f->err);
    if (status == 0)
        status = read_spans(f, &load);
    f->lost += load.model.dropped + load.model.bad.count + (status == TACHO_EPARSE);
    tch_trace_load_close(&load);
    /* Not a trace, or truncated before its first record. */
    return status == TACHO_EPARSE ? 0 : status;
}

/* --- Latencies --- */

/* The latencies of one file. Its name is the NAME of latency-ns.NAME.PID.csv, or "" without one. */
struct latency_file {
    struct finding *f;
    const char *name;
    size_t len;
};

static int add_latency(const struct latency_file *part, uint64_t wall_ns, uint64_t kernel_ns)
{
    struct finding *f = part->f;
    int status = 0;

    for (size_t i = 0; i < f->count && status == 0; i++) {
        const struct tch_metric *m = &f->metrics[i];
        bool kernel = strcmp(m->text, "kernel") == 0;
        bool all = kernel || strcmp(m->text, "wall") == 0;
        bool own = strlen(m->text) == part->len && memcmp(m->text, part->name, part->len) == 0;
        uint64_t ns = kernel ? kernel_ns : wall_ns;

        if (m->source == TCH_METRIC_LATENCY && (all || own))
            status = add_duration(f, &f->series[i], ns, (double)ns);
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
static struct latency_file part_of(struct finding *f, const char *base, const char *prefix)
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

static int read_latencies(struct finding *f, const char *name, const char *base, bool ns)
{
    struct latency_file part = part_of(f, base, ns ? "latency-ns." : "latency.");
    int fd = tch_found_open(f->in->folder, name, f->err);
    int status = fd < 0 ? fd
                        : tch_csv_read_fd(fd, name, ns ? TACHO_CSV_LATENCY_NS : TACHO_CSV_LATENCY,
                                          ns ? add_row_ns : add_row_us, &part, f->err);

    if (status == TACHO_EPARSE) { /* truncated by a kill; read up to there */
        f->lost++;
        status = 0;
    }
    if (status == 0)
        status = note_name(f, "wall", 4);
    if (status == 0)
        status = note_name(f, "kernel", 6);
    return status == 0 && part.len > 0 ? note_name(f, part.name, part.len) : status;
}

/* --- Stages of events --- */

static int read_events(struct finding *f, const char *name)
{
    void *worker = &f->stages;
    const struct tch_scan scan = {.threads = 1, .workers = &worker, .event = tch_stages_add};
    struct tch_scan_counts counts = {0};
    int fd = tch_found_open(f->in->folder, name, f->err);
    int status;

    if (fd < 0)
        return fd;
    status = tch_scan_fd(fd, name, &scan, &counts, f->err);
    close(fd);
    f->lost += counts.bad;
    return status;
}

static int add_stage_name(struct finding *f, const struct tch_stage_group *group,
                          const struct tch_stage *stage)
{
    char name[TCH_RECORDED_METRIC_TEXT];
    int n = snprintf(name, sizeof name, "%.*s.%.*s", (int)group->event_len, group->event,
                     (int)stage->name_len, stage->name);

    return n > 0 && (size_t)n < sizeof name ? note_name(f, name, (size_t)n) : 0;
}

/* Finds the stage "EVENT.STAGE". Both parts may contain dots, so it compares every pair as a
   whole. */
static struct tch_stage *find_stage(struct tch_stages *all, const char *text)
{
    size_t len = strlen(text);

    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < all->groups[i].count; k++) {
            const struct tch_stage_group *group = &all->groups[i];
            struct tch_stage *stage = &all->groups[i].stages[k];

            if (len == group->event_len + 1 + stage->name_len && text[group->event_len] == '.' &&
                memcmp(text, group->event, group->event_len) == 0 &&
                memcmp(text + group->event_len + 1, stage->name, stage->name_len) == 0)
                return stage;
        }
    return NULL;
}

/* --- Values --- */

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

static int series_value(const struct series *s, enum tch_metric_statistic statistic, double *ret,
                        tacho_error *err)
{
    tacho_latency_stats stats;
    int status = tch_latencies_stats(&s->durations, &stats, err);

    switch (statistic) {
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

static int add_values(struct finding *f, struct tch_values *values)
{
    int status = 0;

    for (size_t i = 0; i < f->count && status == 0; i++) {
        const struct tch_metric *m = &f->metrics[i];
        double value = NAN;

        if (m->source == TCH_METRIC_STAGE) {
            struct tch_stage *stage = find_stage(&f->stages, m->text);

            value = stage ? stage_value(stage, m->statistic) : NAN;
        } else if (m->source != TCH_METRIC_PRINTED && f->series[i].durations.count > 0) {
            status = series_value(&f->series[i], m->statistic, &value, f->err);
        }
        if (status == 0 && isfinite(value))
            status = tch_values_add(&values[i], value, f->err);
    }
    return status;
}

/* --- A run --- */

static int read_file(void *ctx, const char *name, tacho_error *err)
{
    struct finding *f = ctx;
    const char *base = tch_base_name(name);
    int regular = tch_found_regular(f->in->folder, name, err);

    if (regular <= 0)
        return regular;
    if (wants(f, TCH_METRIC_SPAN) &&
        (tch_trace_is_recording(name) || strcmp(base, TCH_RUN_CHROME_TRACE) == 0))
        return read_trace(f, name);
    if (wants(f, TCH_METRIC_STAGE) && tch_run_part_is(base, "profile", ".jsonl"))
        return read_events(f, name);
    if (wants(f, TCH_METRIC_LATENCY) && tch_run_part_is(base, "latency-ns.", ".csv"))
        return read_latencies(f, name, base, true);
    if (wants(f, TCH_METRIC_LATENCY) && tch_run_part_is(base, "latency.", ".csv"))
        return read_latencies(f, name, base, false);
    return 0;
}

static int open_finding(struct finding *f)
{
    char name[32];

    tch_stages_init(&f->stages, NULL, NULL);
    f->series = calloc(f->count, sizeof *f->series);
    if (!f->series)
        return tch_fail_memory(f->err);
    snprintf(name, sizeof name, "iter/%04llu", (unsigned long long)f->in->run);
    return tch_found_each(f->in->folder, name, read_file, f, f->err);
}

static void close_finding(struct finding *f)
{
    for (size_t i = 0; f->series && i < f->count; i++)
        tch_latencies_release(&f->series[i].durations);
    free(f->series);
    tch_stages_release(&f->stages);
}

static void warn_of_lost(const struct finding *f)
{
    struct tch_warnings *w = f->in->warnings;

    for (size_t i = 0; w && i < w->count; i++)
        if (strcmp(w->item[i].code, "records-lost") == 0)
            return;
    if (w && f->lost > 0)
        tch_warn(w, "records-lost",
                 "metrics computed from these records are too low; give the recorder more room, or "
                 "record "
                 "less",
                 "run %llu lost %llu records of its program", (unsigned long long)f->in->run,
                 (unsigned long long)f->lost);
}

int tch_recorded_metrics_find(const struct tch_metric *metrics, size_t count,
                              const struct tch_recorded_run *in, struct tch_values *values,
                              tacho_error *err)
{
    struct finding f = {.in = in, .metrics = metrics, .count = count, .err = err};
    int status;

    if (!wants(&f, TCH_METRIC_SPAN) && !wants(&f, TCH_METRIC_STAGE) &&
        !wants(&f, TCH_METRIC_LATENCY))
        return 0;
    status = open_finding(&f);
    if (status == 0)
        status = add_values(&f, values);
    warn_of_lost(&f);
    close_finding(&f);
    return status;
}

/* --- Missing metrics --- */

/* Adds names such as "parse, eval and 3 more". */
static void add_names(struct tch_buf *b, const struct tch_intern *names)
{
    uint32_t shown = names->count > NAMES_SHOWN ? NAMES_SHOWN - 1 : names->count;

    for (uint32_t i = 0; i < shown; i++)
        tch_buf_addf(b, "%s%.40s",
                     i == 0                  ? ""
                     : i + 1 == names->count ? " and "
                                             : ", ",
                     tch_intern_text(names, i));
    if (shown < names->count)
        tch_buf_addf(b, " and %u more", names->count - shown);
}

int tch_recorded_metric_missing(const struct tch_metric *metric, const struct tch_recorded_run *in,
                                tacho_error *err)
{
    static const char *const kinds[] = {[TCH_METRIC_SPAN] = "spans",
                                        [TCH_METRIC_STAGE] = "stages of events",
                                        [TCH_METRIC_LATENCY] = "latencies"};
    static const char *const how[] = {
        [TCH_METRIC_SPAN] = "TACHO_SPAN of <tacho/trace.h> records them",
        [TCH_METRIC_STAGE] = "tacho_event_push() of <tacho/event.h> records them",
        [TCH_METRIC_LATENCY] = "tacho_latency_add() of <tacho/latency.h> records them"};
    struct tch_intern names = {0};
    struct finding f = {.in = in, .metrics = metric, .count = 1, .names = &names, .err = err};
    const char *kind = kinds[metric->source];
    struct tch_buf list;
    int status = open_finding(&f);

    for (size_t i = 0; i < f.stages.count && status == 0; i++)
        for (size_t k = 0; k < f.stages.groups[i].count && status == 0; k++)
            status = add_stage_name(&f, &f.stages.groups[i], &f.stages.groups[i].stages[k]);
    tch_buf_init(&list, 1 << 16);
    add_names(&list, &names);
    if (status == 0 && names.count == 0)
        status = tch_fail(err, TACHO_EINVAL, 0, "metric '%s': run %llu recorded no %s; %s",
                          metric->id.name, (unsigned long long)in->run, kind, how[metric->source]);
    else if (status == 0)
        status = tch_fail(
            err, TACHO_EINVAL, 0, "metric '%s': run %llu recorded no '%s'; its %s are %.120s",
            metric->id.name, (unsigned long long)in->run, metric->text, kind, list.data);
    tch_buf_release(&list);
    tch_intern_release(&names);
    close_finding(&f);
    return status;
}
