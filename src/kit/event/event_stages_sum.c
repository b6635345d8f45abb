/* Totals and percentiles of stages, and the order in which they are shown. */
#include "event_stages_sum.h"

#include <stdlib.h>
#include <string.h>

#include "kit/stats/order_stats.h"

static bool is_named(const struct tch_stage *stage, const char *name)
{
    return stage->name_len == strlen(name) && memcmp(stage->name, name, stage->name_len) == 0;
}

double tch_stage_total(const struct tch_stage *stage)
{
    return (double)stage->sum / TCH_SUM_PARTS;
}

double tch_stage_group_total(const struct tch_stage_group *g, bool *is_stage)
{
    tch_stage_sum sum = 0;

    *is_stage = false;
    for (size_t i = 0; i < g->count; i++) {
        const struct tch_stage *stage = &g->stages[i];

        if (stage->is_top && (is_named(stage, "total") || is_named(stage, "total_us"))) {
            *is_stage = true;
            return tch_stage_total(stage);
        }
        if (stage->is_top && !stage->is_count)
            sum += stage->sum;
    }
    return (double)sum / TCH_SUM_PARTS;
}

void tch_stage_summarise(struct tch_stage *stage, struct tch_stage_summary *ret)
{
    *ret = (struct tch_stage_summary){
        .total = tch_stage_total(stage),
        .max = stage->max,
        .exact = !stage->histogram,
    };
    if (stage->count == 0)
        return;
    ret->mean = ret->total / (double)stage->count;
    if (stage->histogram) {
        ret->p50 = (double)tacho_histogram_percentile(stage->histogram, 50) / 1000;
        ret->p95 = (double)tacho_histogram_percentile(stage->histogram, 95) / 1000;
        ret->p99 = (double)tacho_histogram_percentile(stage->histogram, 99) / 1000;
        return;
    }
    tch_sort(stage->values, stage->value_count);
    ret->p50 = tch_quantile_linear(stage->values, stage->value_count, 0.50);
    ret->p95 = tch_quantile_nearest(stage->values, stage->value_count, 0.95);
    ret->p99 = tch_quantile_nearest(stage->values, stage->value_count, 0.99);
}

static int compare_text(const char *a, size_t a_len, const char *b, size_t b_len)
{
    int order = memcmp(a, b, a_len < b_len ? a_len : b_len);

    return order != 0 ? order : a_len < b_len ? -1 : a_len > b_len;
}

static int by_total(const void *a, const void *b)
{
    const struct tch_stage *x = a;
    const struct tch_stage *y = b;

    if (x->sum != y->sum)
        return x->sum > y->sum ? -1 : 1;
    return compare_text(x->name, x->name_len, y->name, y->name_len);
}

static int groups_by_total(const void *a, const void *b)
{
    const struct tch_stage_group *x = a;
    const struct tch_stage_group *y = b;
    bool is_stage;
    double x_total = tch_stage_group_total(x, &is_stage);
    double y_total = tch_stage_group_total(y, &is_stage);
    int order;

    if (x_total != y_total)
        return x_total > y_total ? -1 : 1;
    order = compare_text(x->event, x->event_len, y->event, y->event_len);
    return order != 0 ? order : compare_text(x->by, x->by_len, y->by, y->by_len);
}

void tch_stages_sort(struct tch_stages *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->groups[i].count > 1)
            qsort(s->groups[i].stages, s->groups[i].count, sizeof *s->groups[i].stages, by_total);
    if (s->count > 1)
        qsort(s->groups, s->count, sizeof *s->groups, groups_by_total);
}
