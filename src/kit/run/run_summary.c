/* Computes medians, intervals and spread. */
#include "run_summary.h"

#include <math.h>

#include "base/fail.h"
#include "base/json_write.h"
#include "kit/stats/mean_interval.h"
#include "kit/stats/order_stats.h"
#include "recorded_metric.h"
#include "run_plan.h"

static void sum_up(const double *sorted, size_t n, double alpha, struct tch_run_summary *ret)
{
    struct tch_rank_interval ranks;
    struct tch_scalar scalar;
    double reach;

    tch_scalar_of(sorted, n, &scalar);
    ret->n = n;
    ret->mean = scalar.mean;
    ret->stddev = scalar.stddev;
    ret->min = sorted[0];
    ret->max = sorted[n - 1];
    if (ret->min == ret->max) { /* the sums of equal values would be rounded */
        ret->mean = ret->min;
        ret->stddev = 0;
    }
    ret->q1 = tch_quantile_linear(sorted, n, 0.25);
    ret->median = tch_quantile_linear(sorted, n, 0.5);
    ret->q3 = tch_quantile_linear(sorted, n, 0.75);
    ret->p95 = tch_quantile_nearest(sorted, n, 0.95);
    reach = 3 * (ret->q3 - ret->q1);
    for (size_t i = 0; i < n; i++)
        ret->outliers += sorted[i] < ret->q1 - reach || sorted[i] > ret->q3 + reach;
    ret->low = ret->min;
    ret->high = ret->max;
    if (tch_quantile_interval(n, 0.5, alpha, &ranks, NULL) == 0) {
        ret->low = sorted[ranks.low];
        ret->high = sorted[ranks.high];
        /* An alpha below TCH_RUN_ALPHA belongs to one of several checks, which together keep
           TCH_RUN_ALPHA. */
        ret->level = alpha < TCH_RUN_ALPHA ? 1 - TCH_RUN_ALPHA : ranks.level;
    }
}

int tch_run_summary_of(const double *values, size_t n, double alpha, struct tch_run_summary *ret,
                       tacho_error *err)
{
    double *sorted = malloc((n + 1) * sizeof *sorted);
    size_t kept = 0;

    *ret = (struct tch_run_summary){0};
    if (!sorted)
        return tch_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        if (!isnan(values[i]))
            sorted[kept++] = values[i];
    tch_sort(sorted, kept);
    if (kept > 0)
        sum_up(sorted, kept, alpha, ret);
    free(sorted);
    return 0;
}

double tch_run_summary_precision(const struct tch_run_summary *s)
{
    if (s->level == 0 || s->median <= 0)
        return INFINITY;
    return (s->high - s->low) / 2 / s->median;
}

size_t tch_run_samples_field(const struct tch_run_samples *samples, enum tch_field field,
                             double *values)
{
    size_t n = 0;

    for (size_t i = 0; i < samples->count; i++)
        if (tch_run_sample_ok(&samples->items[i]) && !isnan(samples->items[i].field[field]))
            values[n++] = samples->items[i].field[field];
    return n;
}

int tch_run_samples_metric(const struct tch_run_samples *samples, size_t metric,
                           struct tch_values *values, tacho_error *err)
{
    for (size_t i = 0; i < samples->count; i++) {
        const struct tch_values *of = &samples->items[i].metrics[metric];

        for (size_t j = 0; j < of->n && tch_run_sample_ok(&samples->items[i]); j++)
            if (tch_values_add(values, of->v[j], err) < 0)
                return TACHO_ENOMEM;
    }
    return 0;
}

size_t tch_run_layout_medians(double *values, uint64_t *layout, size_t n)
{
    size_t count = 0;

    if (n == 0 || layout[0] == 0)
        return n;
    for (size_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && layout[next] == layout[i];)
            next++;
        layout[count] = layout[i];
        values[count] = tch_median(values + i, next - i);
        count++;
    }
    return count;
}

/* Adds a row unless there are no values. */
static int add_row(struct tch_run_rows *rows, const char *name, const char *title,
                   enum tch_unit unit, const double *values, size_t n, double alpha,
                   tacho_error *err)
{
    struct tch_run_row *row = &rows->row[rows->count];

    if (n == 0 || rows->count == TCH_ROWS_MAX)
        return 0;
    *row = (struct tch_run_row){.name = name, .title = title, .unit = unit};
    if (tch_run_summary_of(values, n, alpha, &row->summary, err) < 0)
        return TACHO_ENOMEM;
    rows->count++;
    return 0;
}

/* Copies the median and its interval from `units`, the summary of the medians of runs or
   layouts. */
static void judge_by(struct tch_run_summary *s, const struct tch_run_summary *units)
{
    s->values = s->n;
    s->n = units->n;
    s->median = units->median;
    s->low = units->low;
    s->high = units->high;
    s->level = units->level;
}

/* Row numbers for value_in(): fields, then metrics, then the throughput. */
enum { ROW_METRICS = TCH_FIELDS, ROW_THROUGHPUT = TCH_FIELDS + TCH_METRICS_MOST };

/* Returns the value of a row in one run, NAN if there is none. */
static double value_in(const struct tch_run_sample *s, size_t row, double work)
{
    if (row == ROW_THROUGHPUT)
        return work / (s->field[TCH_WALL] > 0 ? s->field[TCH_WALL] : 1) * 1e9;
    if (row < ROW_METRICS)
        return s->field[row];
    row -= ROW_METRICS;
    return s->metrics[row].n > 0 ? s->metrics[row].v[s->metrics[row].n - 1] : NAN;
}

/* Replaces the median and its interval by those of the layouts' medians, because runs of one layout
   depend on each other. */
static int judge_by_layout(const struct tch_run_samples *samples, size_t row, double work,
                           double alpha, struct tch_run_summary *s, tacho_error *err)
{
    double *values = malloc((samples->count + 1) * sizeof *values);
    uint64_t *layout = malloc((samples->count + 1) * sizeof *layout);
    struct tch_run_summary layouts;
    int status = values && layout ? 0 : tch_fail_memory(err);
    size_t n = 0;

    for (size_t i = 0; i < samples->count && values && layout; i++)
        if (tch_run_sample_ok(&samples->items[i]) &&
            !isnan(value_in(&samples->items[i], row, work))) {
            values[n] = value_in(&samples->items[i], row, work);
            layout[n++] = samples->items[i].layout;
        }
    if (status == 0 && n > 0 && layout[0] > 0) {
        n = tch_run_layout_medians(values, layout, n);
        status = tch_run_summary_of(values, n, alpha, &layouts, err);
        if (status == 0)
            judge_by(s, &layouts);
    }
    free(values);
    free(layout);
    return status;
}

/* Replaces the median and its interval by those of the runs' medians. */
static int judge_by_run(const struct tch_run_samples *samples, size_t metric, double alpha,
                        struct tch_run_summary *s, tacho_error *err)
{
    double *medians = malloc((samples->count + 1) * sizeof *medians);
    struct tch_run_summary runs;
    size_t n = 0;
    int status = 0;

    if (!medians)
        return tch_fail_memory(err);
    for (size_t i = 0; i < samples->count && status == 0; i++) {
        const struct tch_values *of = &samples->items[i].metrics[metric];

        if (of->n == 0 || !tch_run_sample_ok(&samples->items[i]))
            continue;
        status = tch_run_summary_of(of->v, of->n, alpha, &runs, err);
        if (status == 0)
            medians[n++] = runs.median;
    }
    if (status == 0)
        status = tch_run_summary_of(medians, n, alpha, &runs, err);
    free(medians);
    if (status < 0)
        return status;
    judge_by(s, &runs);
    return 0;
}

static int add_metrics(const struct tch_run_samples *samples, double alpha,
                       struct tch_run_rows *rows, tacho_error *err)
{
    int status = 0;

    for (size_t i = 0; i < samples->metric_count && status == 0; i++) {
        struct tch_values values = {0};
        const char *name = samples->metrics[i].name;

        status = tch_run_samples_metric(samples, i, &values, err);
        if (status == 0)
            status =
                add_row(rows, name, name, tch_metric_unit(name), values.v, values.n, alpha, err);
        if (status == 0 && samples->metrics[i].all && values.n > 0 && rows->count > 0 &&
            rows->row[rows->count - 1].name == name)
            status = judge_by_run(samples, i, alpha, &rows->row[rows->count - 1].summary, err);
        else if (status == 0 && values.n > 0 && samples->items[0].layout > 0 &&
                 rows->row[rows->count - 1].name == name)
            status = judge_by_layout(samples, ROW_METRICS + i, 0, alpha,
                                     &rows->row[rows->count - 1].summary, err);
        tch_values_release(&values);
    }
    return status;
}

int tch_run_rows_of(const struct tch_run_samples *samples, double alpha, double work,
                    struct tch_run_rows *ret, tacho_error *err)
{
    double *values = malloc((samples->count + 1) * sizeof *values);
    int status = 0;
    size_t n;

    ret->count = 0;
    if (!values)
        return tch_fail_memory(err);
    for (int i = 0; i < TCH_FIELDS && status == 0; i++) {
        n = tch_run_samples_field(samples, (enum tch_field)i, values);
        status = add_row(ret, tch_fields[i].name, tch_fields[i].title, tch_fields[i].unit, values,
                         n, alpha, err);
        if (status == 0 && n > 0 && samples->items[0].layout > 0)
            status = judge_by_layout(samples, (size_t)i, 0, alpha,
                                     &ret->row[ret->count - 1].summary, err);
    }
    if (status == 0)
        status = add_metrics(samples, alpha, ret, err);
    if (status == 0 && work > 0) {
        n = tch_run_samples_field(samples, TCH_WALL, values);
        for (size_t i = 0; i < n; i++)
            values[i] = work / (values[i] > 0 ? values[i] : 1) * 1e9;
        status = add_row(ret, "throughput", "throughput", TCH_RATE, values, n, alpha, err);
        if (status == 0 && n > 0 && samples->items[0].layout > 0)
            status = judge_by_layout(samples, ROW_THROUGHPUT, work, alpha,
                                     &ret->row[ret->count - 1].summary, err);
    }
    free(values);
    return status;
}

void tch_run_rows_write(struct tch_buf *b, const struct tch_run_rows *rows)
{
    tch_json_begin_object(b);
    for (size_t i = 0; i < rows->count; i++) {
        const struct tch_run_summary *s = &rows->row[i].summary;
        const struct {
            const char *key;
            double value;
        } members[] = {
            {"median", s->median}, {"low", s->low},       {"high", s->high}, {"level", s->level},
            {"mean", s->mean},     {"stddev", s->stddev}, {"min", s->min},   {"q1", s->q1},
            {"q3", s->q3},         {"p95", s->p95},       {"max", s->max},
        };

        tch_json_key(b, rows->row[i].name);
        tch_json_begin_object(b);
        tch_json_put_u64(b, "n", s->n);
        if (s->values > 0)
            tch_json_put_u64(b, "values", s->values);
        for (size_t j = 0; j < sizeof members / sizeof members[0]; j++) {
            tch_json_key(b, members[j].key);
            tch_json_f64(b, members[j].value);
        }
        tch_json_put_u64(b, "outliers", s->outliers);
        tch_json_end_object(b);
    }
    tch_json_end_object(b);
}
