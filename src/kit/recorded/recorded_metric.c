/* Metrics that a result does not have: adds one afterwards, or says what was recorded instead. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "recorded_reading.h"

enum { NAMES_SHOWN = 8, LIST_MAX = 1 << 16 };

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

int tch_recorded_missing(const char *metric, const char *folder, uint64_t run, tacho_error *err)
{
    static const char *const kinds[TCH_METRIC_SOURCES] = {[TCH_FROM_SPANS] = "spans",
                                                          [TCH_FROM_STAGES] = "stages of events",
                                                          [TCH_FROM_LATENCY] = "latencies"};
    static const char *const how[TCH_METRIC_SOURCES] = {
        [TCH_FROM_SPANS] = "TACHO_SPAN of <tacho/trace.h> records them",
        [TCH_FROM_STAGES] = "tacho_event_push() of <tacho/event.h> records them",
        [TCH_FROM_LATENCY] = "tacho_latency_add() of <tacho/latency.h> records them"};
    struct tch_metric_name asked = {.source = TCH_FROM_SPANS, .text = metric};
    struct tch_intern names = {0};
    struct tch_reading f = {.folder = folder, .run = run, .names = &names, .err = err};
    struct tch_buf list;
    int status;

    (void)tch_metric_name_parse(metric, &asked);
    f.names_of = asked.source;
    status = tch_reading_read(&f);
    tch_buf_init(&list, LIST_MAX);
    add_names(&list, &names);
    if (status == 0 && names.count == 0)
        status = tch_fail(err, TACHO_EINVAL, 0, "metric '%s': run %llu recorded no %s; %s", metric,
                          (unsigned long long)run, kinds[asked.source], how[asked.source]);
    else if (status == 0)
        status = tch_fail(err, TACHO_EINVAL, 0,
                          "metric '%s': run %llu recorded no '%.*s'; its %s are %.120s", metric,
                          (unsigned long long)run, (int)asked.len, asked.text, kinds[asked.source],
                          list.data);
    tch_buf_release(&list);
    tch_intern_release(&names);
    tch_reading_release(&f);
    return status;
}

/* --- Metrics of finished runs --- */

static int refuse(const struct tch_result *r, const char *name, tacho_error *err)
{
    return tch_fail(err, TACHO_EINVAL, 0,
                    "run '%.60s' does not have '%.60s'; of stages and latencies it keeps only "
                    "the p50 and p99 of each run; run again with --metric",
                    r->name, name);
}

/* Returns the column of what a finished run still has of a stage or latency, or -1. The files of
   single runs are deleted, so only quantiles are left. */
static int kept_column(const struct tch_result *r, const struct tch_metric_name *asked)
{
    char name[TCH_METRIC_TEXT];

    if (asked->source == TCH_FROM_STAGES)
        snprintf(name, sizeof name, "stage:%.*s", (int)asked->len, asked->text);
    else
        snprintf(name, sizeof name, "%s",
                 asked->len == 6 && memcmp(asked->text, "kernel", 6) == 0 ? "latency_kernel"
                                                                          : "latency");
    return tch_result_recorded(r, name);
}

static void copy_kept(struct tch_result *r, int at, const struct tch_metric_name *asked)
{
    int kept = kept_column(r, asked);

    for (size_t i = 0; kept >= 0 && i < r->run_count; i++) {
        const struct tch_column *c = &r->columns[kept];

        r->columns[at].value[i] =
            c->metric.scale * (asked->statistic == TCH_STATISTIC_P50 ? c->value[i] : c->p99[i]);
    }
}

static int read_spans(struct tch_result *r, const char *folder, tacho_error *err)
{
    struct tch_recorded rec;
    int status;

    tch_recorded_init(&rec, folder);
    status = tch_recorded_read(&rec, r, err);
    if (status == 0 && isnan(r->costs.spans_per_run))
        tch_recorded_set_costs(&rec, r, NULL);
    tch_recorded_release(&rec);
    return status;
}

/* Returns whether a finished run can still have this metric. */
static bool is_kept(const struct tch_metric_name *asked)
{
    bool p50_or_p99 =
        asked->statistic == TCH_STATISTIC_P50 || asked->statistic == TCH_STATISTIC_P99;
    bool all = (asked->len == 4 && memcmp(asked->text, "wall", 4) == 0) ||
               (asked->len == 6 && memcmp(asked->text, "kernel", 6) == 0);

    return asked->source == TCH_FROM_SPANS ||
           (p50_or_p99 && (asked->source != TCH_FROM_LATENCY || all));
}

int tch_recorded_add_metric(struct tch_result *r, const char *folder, const char *name,
                            tacho_error *err)
{
    struct tch_metric_name asked;
    struct tch_metric metric;
    size_t had = 0;
    bool any = false;
    int at, status = 0;

    if (tch_result_asked(r, name) >= 0)
        return 0;
    for (size_t i = TCH_FIELDS; i < r->column_count; i++)
        had += r->columns[i].metric.asked;
    if (!tch_metric_name_parse(name, &asked) || !is_kept(&asked))
        return refuse(r, name, err);
    if (had == TCH_METRICS_MOST)
        return tch_fail(err, TACHO_ELIMIT, 0, "run '%.60s' has %d metrics already", r->name,
                        TCH_METRICS_MOST);
    tch_metric_describe(&metric, name, false);
    at = tch_result_add_column(r, &metric, err);
    if (at < 0)
        return at;
    if (asked.source == TCH_FROM_SPANS)
        status = read_spans(r, folder, err);
    else
        copy_kept(r, at, &asked);
    for (size_t i = 0; i < r->run_count; i++)
        any |= !isnan(r->columns[at].value[i]);
    if (status == 0 && !any && asked.source == TCH_FROM_SPANS && r->run_count > 0)
        return tch_recorded_missing(name, folder, r->runs[0].run, err);
    if (status == 0 && !any)
        return refuse(r, name, err);
    return status < 0 ? status : tch_result_sum(r, err);
}
