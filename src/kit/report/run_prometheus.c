/*
 * Runs in Prometheus's text format, for a node exporter's textfile folder or a push gateway.
 *
 * Gauges follow its conventions: base units, the unit at the end of the name, and no label that is
 * new for each run, because every value of a label is one more time series forever. So only the
 * newest run of each name is written, and tacho_run_start_time_seconds identifies it.
 */
#include <math.h>

#include "kit/text/human_number.h"
#include "report.h"
#include "report_text.h"
#include "run_counts.h"

static const struct tch_row *find_row(const struct tch_result *r, const struct tch_row *row)
{
    for (size_t i = 0; i < r->row_count; i++)
        if (strcmp(r->rows[i].metric.key, row->metric.key) == 0 &&
            r->rows[i].metric.unit == row->metric.unit)
            return &r->rows[i];
    return NULL;
}

static double started(const struct tch_report_run *run)
{
    return (double)run->result.started_unix_ns;
}

/* Returns whether another run of that name began later, or is given later. */
static bool is_older(const struct tch_report_run *runs, size_t count, size_t i)
{
    for (size_t k = 0; k < count; k++)
        if (k != i && strcmp(runs[k].result.name, runs[i].result.name) == 0 &&
            (started(&runs[k]) > started(&runs[i]) ||
             (started(&runs[k]) == started(&runs[i]) && k > i)))
            return true;
    return false;
}

/* Returns whether a row is the throughput, the only row in a user's unit that is not a metric. */
static bool is_throughput(const struct tch_result *r, const struct tch_row *row)
{
    return r->work.amount > 0 && row == &r->rows[r->row_count - 1] &&
           strcmp(row->metric.key, "throughput") == 0;
}

static void add_samples(struct tch_buf *b, const struct tch_prometheus *family,
                        const struct tch_result *r, const struct tch_row *row)
{
    const struct tch_summary *s = &row->summary;
    const struct {
        const char *name;
        double value;
    } stats[] = {{"median", s->median},
                 {"low", s->level > 0 ? s->low : NAN},
                 {"high", s->level > 0 ? s->high : NAN},
                 {"min", s->min},
                 {"max", s->max}};
    bool throughput = is_throughput(r, row);
    const struct tch_power_origin *o = &r->power;

    for (size_t i = 0; i < sizeof stats / sizeof stats[0]; i++) {
        const char *labels[11] = {"name", r->name, "stat", stats[i].name};

        if (throughput) {
            labels[4] = "unit";
            labels[5] = r->work.unit ? r->work.unit : "";
        } else if (row->metric.unit == TCH_JOULES && o->status[0]) {
            const char *const origin[] = {"status",  o->status, "source",
                                          o->source, "domain",  o->domain};

            memcpy(labels + 4, origin, sizeof origin);
        }

        if (isfinite(stats[i].value))
            tch_prometheus_add(b, family, labels, stats[i].value);
    }
}

/* Adds one metric of all runs. The samples of a family must follow each other. */
static void add_family(struct tch_buf *b, const struct tch_report_run *runs, size_t count,
                       const struct tch_result *of, const struct tch_row *like)
{
    bool own = (like->metric.unit == TCH_PLAIN && !is_throughput(of, like)) ||
               tch_metric_is_recorded(like->metric.key);
    struct tch_prometheus family;
    char help[160];

    tch_prometheus_name(&family, own ? "tacho_metric" : "tacho_run", like->metric.key,
                        like->metric.unit);
    snprintf(help, sizeof help, "%s of a run", own ? "user metric" : like->metric.title);
    tch_prometheus_begin(b, &family, help);
    for (size_t i = 0; i < count; i++) {
        const struct tch_row *row = find_row(&runs[i].result, like);

        if (row && !is_older(runs, count, i))
            add_samples(b, &family, &runs[i].result, row);
    }
}

/* Adds one count of all runs, with a label that says whether it is exact. */
static void add_count(struct tch_buf *b, const struct tch_report_run *runs, size_t count, int kind)
{
    const struct tch_metric *info = tch_count_metric((enum tch_count_kind)kind);
    struct tch_prometheus family;
    bool begun = false;

    tch_prometheus_name(&family, "tacho_counted", info->name, info->unit);
    for (size_t i = 0; i < count; i++) {
        const struct tch_count *c = &runs[i].result.counts.of[kind];
        const char *labels[] = {"name", runs[i].result.name, "exact",
                                tch_count_exact(c) ? "true" : "false", NULL};

        if (c->values.n == 0 || is_older(runs, count, i))
            continue;
        if (!begun)
            tch_prometheus_begin(b, &family, info->title);
        begun = true;
        tch_prometheus_add(b, &family, labels, tch_count_median(c));
    }
}

static void add_starts(struct tch_buf *b, const struct tch_report_run *runs, size_t count)
{
    struct tch_prometheus family;
    size_t left_out = 0;

    tch_prometheus_name(&family, "tacho_run", "start_time", TCH_NS);
    tch_prometheus_begin(b, &family, "when the run began, since 1970");
    for (size_t i = 0; i < count; i++) {
        const char *labels[] = {"name", runs[i].result.name, NULL};

        if (is_older(runs, count, i))
            left_out++;
        else if (started(&runs[i]) > 0)
            tch_prometheus_add(b, &family, labels, started(&runs[i]));
    }
    if (left_out > 0)
        tch_buf_addf(b, "# left out: %zu older run%s of the same name; a gauge has one value\n",
                     left_out, tch_plural(left_out));
}

static int write_prometheus(struct tch_buf *b, const struct tch_report_run *runs, size_t count,
                            tacho_error *err)
{
    (void)err;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < runs[i].result.row_count; j++) {
            const struct tch_row *row = &runs[i].result.rows[j];
            bool written = is_older(runs, count, i);

            for (size_t k = 0; k < i; k++)
                written |= !is_older(runs, count, k) && find_row(&runs[k].result, row);
            if (!written)
                add_family(b, runs, count, &runs[i].result, row);
        }
    for (int i = 0; i < TCH_COUNTS; i++)
        add_count(b, runs, count, i);
    add_starts(b, runs, count);
    return 0;
}

const struct tch_report_format tch_report_prometheus = {"prometheus", NULL, write_prometheus};
