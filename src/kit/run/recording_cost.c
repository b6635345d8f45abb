/* Counts the records of programs, and measures the cost of one record on this machine. */
#include "recording_cost.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tacho/event.h>
#include <tacho/latency.h>
#include <tacho/trace.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/found_file.h"
#include "base/limited_child.h"
#include "kit/stats/order_stats.h"
#include "kit/trace/trace_read.h"
#include "lib/trace/recording_convert.h"
#include "recorded_metric.h"
#include "run_folder.h"
#include "run_merge.h"
#include "spawner/spawner.h"

enum { SPANS, EVENTS, LATENCIES };

enum { BATCHES = 9, MEMORY = 256 << 20, SECONDS = 5 };

const char *const tch_recording_keys[TCH_RECORDINGS][2] = {
    {"spans_per_run", "span_cost_ns"},
    {"events_per_run", "event_cost_ns"},
    {"latencies_per_run", "latency_cost_ns"},
};

/* --- Counting --- */

struct counting {
    const char *folder;
    struct tch_recording_cost *cost;
    bool wanted[TCH_RECORDINGS];
};

static int ignore_event(void *ctx, const struct tch_ev *ev)
{
    (void)ctx;
    (void)ev;
    return 0;
}

static int count_spans(const struct counting *c, const char *name, tacho_error *err)
{
    static const struct tch_trace_read_options options = {0};
    char path[PATH_MAX];
    struct tch_model m;
    int status = tch_folder_at(path, c->folder, name, err);

    if (status < 0)
        return status;
    tch_model_init(&m);
    status = tch_model_read(&m, path, &options, ignore_event, NULL, err);
    c->cost->records[SPANS] += (double)(m.by_kind[TCH_EV_SPAN] + m.by_kind[TCH_EV_BEGIN]) +
                               (double)m.by_kind[TCH_EV_ASYNC] / 2;
    tch_model_release(&m);
    return status == TACHO_EPARSE ? 0 : status;
}

static int count_lines(const struct counting *c, const char *name, double *sum, tacho_error *err)
{
    char block[1 << 16];
    int fd = tch_found_open(c->folder, name, err);
    ssize_t n;

    if (fd < 0)
        return fd;
    while ((n = read(fd, block, sizeof block)) > 0)
        for (ssize_t i = 0; i < n; i++)
            *sum += block[i] == '\n';
    close(fd);
    return 0;
}

static int count_file(void *ctx, const char *name, tacho_error *err)
{
    struct counting *c = ctx;
    const char *base = tch_base_name(name);
    double *records = c->cost->records;
    int regular = tch_found_regular(c->folder, name, err);

    if (regular <= 0)
        return regular;
    if (c->wanted[SPANS] &&
        (tch_trace_is_recording(name) || strcmp(base, TCH_RUN_CHROME_TRACE) == 0))
        return count_spans(c, name, err);
    if (c->wanted[EVENTS] && tch_run_part_is(base, "profile", ".jsonl"))
        return count_lines(c, name, &records[EVENTS], err);
    if (c->wanted[LATENCIES] && (tch_run_part_is(base, "latency-ns.", ".csv") ||
                                 tch_run_part_is(base, "latency.", ".csv"))) {
        records[LATENCIES]--; /* without the header */
        return count_lines(c, name, &records[LATENCIES], err);
    }
    return 0;
}

/* --- Measuring the cost of one record --- */

struct measuring {
    const char *folder;
    const bool *wanted;
};

/* Returns the median time of a call to record() in batches of n; NAN when a call fails. */
static double time_of(int (*record)(void *ctx), void *ctx, unsigned n)
{
    double each[BATCHES];
    int status = 0;

    for (int i = 0; i < BATCHES; i++) {
        uint64_t begin = tch_now_ns();

        for (unsigned k = 0; k < n; k++)
            status |= record(ctx);
        each[i] = (double)(tch_now_ns() - begin) / n;
    }
    return status == 0 ? tch_median(each, BATCHES) : NAN;
}

static int record_span(void *ctx)
{
    TACHO_SPAN("cost", "tacho");
    (void)ctx;
    return 0;
}

static int record_event(void *writer)
{
    return tacho_event_push(writer, "cost", TACHO_NO_FIELDS,
                            TACHO_FIELDS(tacho_f64("a_us", 1.5), tacho_f64("b_us", 2.5)), false,
                            NULL);
}

static int record_latency(void *list)
{
    return tacho_latency_add(list, &(tacho_latency_record){.wall_ns = 12345}, NULL);
}

static double cost_of_span(const char *folder)
{
    char path[PATH_MAX];
    double each = NAN;

    if (tch_folder_at(path, folder, "cost.tacho", NULL) == 0 &&
        tacho_trace_start(path, NULL) == 0) {
        each = time_of(record_span, NULL, 2000);
        if (tacho_trace_stop(NULL) < 0)
            each = NAN;
    }
    return each;
}

static double cost_of_event(const char *folder)
{
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    tacho_event_writer *writer = NULL;
    char path[PATH_MAX];
    double each = NAN;

    config.path = path;
    if (tch_folder_at(path, folder, "cost.jsonl", NULL) == 0 &&
        tacho_event_open(&config, &writer, NULL) == 0)
        each = time_of(record_event, writer, 200);
    tacho_event_close(writer);
    return each;
}

static double cost_of_latency(const char *folder)
{
    tacho_latency *list = NULL;
    double each = NAN;

    if (setenv("TACHO_RUN_DIR", folder, 1) == 0 && tacho_latency_new(&list, NULL) == 0)
        each = time_of(record_latency, list, 2000);
    tacho_latency_free(list);
    return each;
}

static void measure_in_child(int fd, void *ctx)
{
    static double (*const costs[])(const char *) = {cost_of_span, cost_of_event, cost_of_latency};
    const struct measuring *m = ctx;
    double each[TCH_RECORDINGS];

    for (int i = 0; i < TCH_RECORDINGS; i++)
        each[i] = m->wanted[i] ? costs[i](m->folder) : NAN;
    if (tch_write_all(fd, "a pipe", (const char *)each, sizeof each, NULL) < 0)
        _exit(1);
}

/* Measures in a child process, because a recorder belongs to the whole process. A cost that cannot
   be measured stays unknown. */
static void measure(struct tch_recording_cost *ret, const bool *wanted)
{
    struct tch_child_limits limits = {.cpu_seconds = SECONDS, .memory_bytes = MEMORY};
    const char *temporary = getenv("TMPDIR");
    char folder[PATH_MAX];
    struct measuring m = {folder, wanted};
    struct tch_buf answer;

    if (snprintf(folder, sizeof folder, "%s/tacho-XXXXXX",
                 temporary && temporary[0] ? temporary : "/tmp") >= PATH_MAX ||
        !mkdtemp(folder))
        return;
    tch_buf_init(&answer, sizeof ret->each_ns);
    if (tch_child_call(&limits, measure_in_child, &m, &answer, NULL) == 0 &&
        answer.len == sizeof ret->each_ns)
        memcpy(ret->each_ns, answer.data, sizeof ret->each_ns);
    tch_buf_release(&answer);
    tch_found_clear(folder, ".");
    rmdir(folder);
}

int tch_recording_cost_find(struct tch_recording_cost *ret, const struct tch_run_samples *samples,
                            const char *folder, tacho_error *err)
{
    struct counting c = {.folder = folder, .cost = ret};
    bool any = false;
    int status = 0;

    *ret = (struct tch_recording_cost){.each_ns = {NAN, NAN, NAN}};
    for (size_t i = 0; i < samples->metric_count; i++) {
        enum tch_metric_source source = tch_metric_source_of(samples->metrics[i].name);

        if (source != TCH_METRIC_PRINTED)
            any = c.wanted[source - TCH_METRIC_SPAN] = true;
    }
    if (!any || samples->count == 0)
        return 0; /* the usual case: no recorded metrics, no cost */
    for (size_t i = 0; i < samples->count && status == 0; i++) {
        char name[32];

        snprintf(name, sizeof name, "iter/%04llu", (unsigned long long)samples->items[i].run);
        status = tch_found_each(folder, name, count_file, &c, err);
    }
    for (int i = 0; i < TCH_RECORDINGS; i++)
        ret->records[i] = fmax(0, ret->records[i]) / (double)samples->count;
    if (status == 0)
        measure(ret, c.wanted);
    return status;
}

/* --- The sentence of reports --- */

bool tch_recording_counted(const struct tch_recording_cost *cost)
{
    return cost->records[SPANS] > 0 || cost->records[EVENTS] > 0 || cost->records[LATENCIES] > 0;
}

void tch_recording_cost_describe(struct tch_buf *b, const struct tch_recording_cost *cost,
                                 double wall_ns)
{
    static const char *const names[] = {"spans", "events", "latencies"};
    const char *between = "";

    for (int i = 0; i < TCH_RECORDINGS; i++) {
        double ns = cost->records[i] * cost->each_ns[i];

        if (!(cost->records[i] > 0))
            continue;
        tch_buf_addf(b, "%s%.4g %s in each run", between, cost->records[i], names[i]);
        between = "; ";
        if (isnan(ns)) {
            tch_buf_adds(b, ", at an unknown cost");
            continue;
        }
        tch_buf_adds(b, " cost about ");
        tch_add_value(b, TCH_NS, ns);
        if (wall_ns > 0)
            tch_buf_addf(b, ", %.2g %% of the wall time", 100 * ns / wall_ns);
        tch_buf_adds(b, " (estimated: ");
        tch_add_value(b, TCH_NS, cost->each_ns[i]);
        tch_buf_adds(b, " each, measured on this machine)");
    }
}
