/* Computes medians, intervals and spread. */
#include "summary.h"

#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/json_fields.h"
#include "base/json_write.h"
#include "kit/stats/dependence.h"
#include "kit/stats/mean_interval.h"
#include "kit/stats/session.h"

/* rho: dependence of the values in the order in which they were measured. */
static void sum_up(const double *sorted, size_t n, double rho, double alpha,
                   struct tch_summary *ret)
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
    ret->effective = rho > 0 ? (double)n / tch_session_inflation(rho) : NAN;
    if (tch_dependent_interval(n, 0.5, alpha, rho, &ranks, NULL) == 0) {
        ret->low = sorted[ranks.low];
        ret->high = sorted[ranks.high];
        /* An alpha below TCH_RESULT_ALPHA belongs to one of several checks, which together keep
           TCH_RESULT_ALPHA. */
        ret->level = alpha < TCH_RESULT_ALPHA ? 1 - TCH_RESULT_ALPHA : ranks.level;
    }
}

int tch_summary_of(const double *values, size_t n, double alpha, struct tch_summary *ret,
                   tacho_error *err)
{
    double *sorted = calloc(3 * n + 1, sizeof *sorted);
    double rho;
    size_t kept = 0;

    *ret = (struct tch_summary){0};
    if (!sorted)
        return tch_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        if (!isnan(values[i]))
            sorted[kept++] = values[i];
    rho = tch_dependence(sorted, kept, sorted + n);
    tch_sort(sorted, kept);
    if (kept > 0)
        sum_up(sorted, kept, rho, alpha, ret);
    free(sorted);
    return 0;
}

double tch_summary_precision(const struct tch_summary *s)
{
    if (s->level == 0 || s->median <= 0)
        return INFINITY;
    return (s->high - s->low) / 2 / s->median;
}

void tch_summary_by_units(struct tch_summary *s, const struct tch_summary *units)
{
    s->values = s->n;
    s->n = units->n;
    s->median = units->median;
    s->low = units->low;
    s->high = units->high;
    s->level = units->level;
    s->effective = units->effective;
}

size_t tch_layout_medians(double *values, uint64_t *layout, size_t n)
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

/* Written, never read: the samples are summarised again. */
static const struct tch_json_field fields[] = {
    {TCH_JSON_U64(struct tch_summary, n, TCH_JSON_ALWAYS)},
    {TCH_JSON_U64(struct tch_summary, values, TCH_JSON_LEFT_OUT)},
    {TCH_JSON_F64(struct tch_summary, median, TCH_JSON_ALWAYS)},
    {TCH_JSON_F64(struct tch_summary, low, TCH_JSON_ALWAYS)},
    {TCH_JSON_F64(struct tch_summary, high, TCH_JSON_ALWAYS)},
    {TCH_JSON_F64(struct tch_summary, level, TCH_JSON_ALWAYS)},
    {TCH_JSON_F64(struct tch_summary, effective, TCH_JSON_LEFT_OUT)},
    {TCH_JSON_F64(struct tch_summary, mean, TCH_JSON_ALWAYS)},
    {TCH_JSON_F64(struct tch_summary, stddev, TCH_JSON_ALWAYS)},
    {TCH_JSON_F64(struct tch_summary, min, TCH_JSON_ALWAYS)},
    {TCH_JSON_F64(struct tch_summary, q1, TCH_JSON_ALWAYS)},
    {TCH_JSON_F64(struct tch_summary, q3, TCH_JSON_ALWAYS)},
    {TCH_JSON_F64(struct tch_summary, p95, TCH_JSON_ALWAYS)},
    {TCH_JSON_F64(struct tch_summary, max, TCH_JSON_ALWAYS)},
    {TCH_JSON_U64(struct tch_summary, outliers, TCH_JSON_ALWAYS)},
    {0},
};

void tch_rows_write(struct tch_buf *b, const struct tch_row *rows, size_t count)
{
    tch_json_begin_object(b);
    for (size_t i = 0; i < count; i++) {
        tch_json_key(b, rows[i].metric.key);
        tch_json_fields_write(b, fields, &rows[i].summary);
    }
    tch_json_end_object(b);
}
