/* Adds metrics to runs that were made without them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "kit/event/event_stages.h"
#include "receipt.h"
#include "recorded_metric.h"

static bool has_metric(const struct tch_receipt *r, const char *name)
{
    for (size_t i = 0; i < r->samples.metric_count; i++)
        if (strcmp(r->samples.metrics[i].name, name) == 0)
            return true;
    return false;
}

/* Adds room for one more metric to the receipt and to every sample. */
static int add_column(struct tch_receipt *r, const char *name, tacho_error *err)
{
    struct tch_run_samples *s = &r->samples;
    size_t n = s->metric_count;
    char *copy;

    if (n == TCH_METRICS_MOST)
        return tch_fail(err, TACHO_ELIMIT, 0, "run '%.60s' has %d metrics already", r->name,
                        TCH_METRICS_MOST);
    for (size_t i = 0; i < s->room; i++) {
        struct tch_values *metrics = realloc(s->items[i].metrics, (n + 1) * sizeof *metrics);

        if (!metrics)
            return tch_fail_memory(err);
        if (!s->items[i].metrics)
            memset(metrics, 0, n * sizeof *metrics);
        metrics[n] = (struct tch_values){0};
        s->items[i].metrics = metrics;
    }
    copy = strdup(name);
    if (!copy || tch_array_extend(&r->metrics, n) < 0) {
        free(copy);
        return tch_fail_memory(err);
    }
    r->metrics[n] = (struct tch_metric_name){.name = copy};
    s->metrics = r->metrics;
    s->metric_count++;
    return 0;
}

/* Returns the value of a stage or latency that a finished run still has. The files of single runs
   are deleted, so only quantiles are left. Returns NAN if nothing was recorded under that name. */
static double kept_value(const struct tch_run_samples *all, const struct tch_run_sample *s,
                         const struct tch_metric *m)
{
    bool stage = m->source == TCH_METRIC_STAGE;
    char name[TCH_RECORDED_TEXT];
    size_t i;

    snprintf(name, sizeof name, "%s%s",
             stage                            ? TCH_RECORDED_STAGE
             : strcmp(m->text, "kernel") == 0 ? TCH_RECORDED_LATENCY_KERNEL
                                              : TCH_RECORDED_LATENCY,
             stage ? m->text : "");
    i = tch_recorded_find(all, name);
    if (i >= s->recorded_count)
        return NAN;
    return (stage && tch_metric_unit(m->id.name) == TCH_NS ? 1e3 : 1) *
           (m->statistic == TCH_STATISTIC_P50 ? s->recorded[i].p50 : s->recorded[i].p99);
}

static int refuse(const struct tch_receipt *r, const struct tch_metric *m, tacho_error *err)
{
    return tch_fail(err, TACHO_EINVAL, 0,
                    "run '%.60s' does not have '%.60s'; of stages and latencies it keeps only "
                    "the p50 and p99 of each run; run again with --metric",
                    r->name, m->id.name);
}

static int add_value(const struct tch_receipt *r, const char *folder, const struct tch_metric *m,
                     size_t i, tacho_error *err)
{
    struct tch_run_sample *s = &r->samples.items[i];
    struct tch_recorded_run in = {.folder = folder, .run = s->run};
    struct tch_values *values = &s->metrics[r->samples.metric_count - 1];
    double kept;

    if (m->source == TCH_METRIC_SPAN)
        return tch_recorded_metrics_find(m, 1, &in, values, err);
    kept = kept_value(&r->samples, s, m);
    return isnan(kept) ? 0 : tch_values_add(values, kept, err);
}

int tch_receipt_add_metric(struct tch_receipt *r, const char *folder, const struct tch_metric *m,
                           tacho_error *err)
{
    bool kept = m->statistic == TCH_STATISTIC_P50 || m->statistic == TCH_STATISTIC_P99;
    bool named = strcmp(m->text, "wall") != 0 && strcmp(m->text, "kernel") != 0;
    bool any = false;
    int status;

    if (has_metric(r, m->id.name))
        return 0;
    if ((m->source != TCH_METRIC_SPAN && !kept) || (m->source == TCH_METRIC_LATENCY && named))
        return refuse(r, m, err);
    status = add_column(r, m->id.name, err);
    for (size_t i = 0; i < r->samples.count && status == 0; i++) {
        status = add_value(r, folder, m, i, err);
        any |= r->samples.items[i].metrics[r->samples.metric_count - 1].n > 0;
    }
    if (status == 0 && !any && m->source == TCH_METRIC_SPAN && r->samples.count > 0)
        return tch_recorded_metric_missing(
            m, &(struct tch_recorded_run){.folder = folder, .run = r->samples.items[0].run}, err);
    if (status == 0 && !any)
        return refuse(r, m, err);
    return status < 0 ? status : tch_receipt_sum(r, err);
}
