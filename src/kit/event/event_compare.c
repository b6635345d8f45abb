/* Compares stages: ratio and interval by ranks, p-values adjusted for their number (Holm, 1979). */
#include "event_compare.h"

#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "kit/stats/order_stats.h"
#include "kit/stats/rank.h"

static bool all_positive(const struct tch_stage *stage)
{
    for (size_t i = 0; i < stage->value_count; i++)
        if (!(stage->values[i] > 0))
            return false;
    return true;
}

static int compare_pair(struct tch_stage_pair *pair, tacho_error *err)
{
    const struct tch_stage *a = pair->a;
    const struct tch_stage *b = pair->b;
    struct tch_rank_tails tails;
    int status;

    pair->has_ratio = all_positive(a) && all_positive(b);
    if (pair->has_ratio) {
        status = tch_ratio_unpaired(a->values, a->value_count, b->values, b->value_count,
                                    TCH_COMPARE_ALPHA, 1, &pair->ratio, err);
        pair->p = pair->ratio.p;
        return status;
    }
    status =
        tch_rank_sum_test(a->values, a->value_count, b->values, b->value_count, NULL, &tails, err);
    if (status == 0)
        pair->p = fmin(1, 2 * fmin(tails.above, tails.below));
    return status;
}

/* How often a value of b is above one of a; values that are equal count half. Sorts
   both. */
static double share_above(struct tch_stage *a, struct tch_stage *b)
{
    size_t below = 0;   /* values of a below the present one of b */
    size_t at_most = 0; /* ... that are not above it */
    double sum = 0;

    tch_sort(a->values, a->value_count);
    tch_sort(b->values, b->value_count);
    for (size_t i = 0; i < b->value_count; i++) {
        while (below < a->value_count && a->values[below] < b->values[i])
            below++;
        while (at_most < a->value_count && a->values[at_most] <= b->values[i])
            at_most++;
        sum += (double)(below + at_most) / 2;
    }
    return sum / (double)a->value_count / (double)b->value_count;
}

static void find_pairs(struct tch_event_side *a, struct tch_event_side *b,
                       struct tch_event_comparison *c)
{
    for (size_t i = 0; i < a->stages.count; i++) {
        struct tch_stage_group *a_group = &a->stages.groups[i];
        struct tch_stage_group *b_group = tch_stages_find(&b->stages, a_group);

        for (size_t k = 0; b_group && k < a_group->count; k++) {
            struct tch_stage *match = tch_stage_find(b_group, &a_group->stages[k]);

            if (match)
                c->pairs[c->count++] = (struct tch_stage_pair){
                    .a_group = a_group, .b_group = b_group, .a = &a_group->stages[k], .b = match};
        }
    }
}

static int adjust_p_values(struct tch_event_comparison *c, tacho_error *err)
{
    double *p = calloc(c->count + 1, sizeof *p);
    int status;

    if (!p)
        return tch_fail_memory(err);
    for (size_t i = 0; i < c->count; i++)
        p[i] = c->pairs[i].p;
    status = c->count > 0 ? tch_holm(p, c->count, p, err) : 0;
    for (size_t i = 0; i < c->count; i++)
        c->pairs[i].p_adjusted = p[i];
    free(p);
    return status;
}

int tch_compare_stages(struct tch_event_side *a, struct tch_event_side *b,
                       struct tch_event_comparison *ret, tacho_error *err)
{
    size_t stages = 0;
    int status = 0;

    *ret = (struct tch_event_comparison){0};
    tch_stages_sort(&a->stages);
    tch_stages_sort(&b->stages);
    for (size_t i = 0; i < a->stages.count; i++)
        stages += a->stages.groups[i].count;
    ret->pairs = calloc(stages + 1, sizeof *ret->pairs);
    if (!ret->pairs)
        return tch_fail_memory(err);
    find_pairs(a, b, ret);
    for (size_t i = 0; i < ret->count && status == 0; i++) {
        struct tch_stage_pair *pair = &ret->pairs[i];
        struct tch_stage_summary sum;

        status = compare_pair(pair, err);
        tch_stage_summarise(pair->a, &sum);
        pair->a_median = sum.p50;
        tch_stage_summarise(pair->b, &sum);
        pair->b_median = sum.p50;
        pair->effect = share_above(pair->a, pair->b);
    }
    return status == 0 ? adjust_p_values(ret, err) : status;
}

const char *tch_stage_verdict(const struct tch_stage_pair *pair)
{
    bool more = pair->has_ratio ? pair->ratio.estimate > 1 : pair->b_median > pair->a_median;
    double a = tch_stage_total(pair->a) / (double)pair->a->count;
    double b = tch_stage_total(pair->b) / (double)pair->b->count;

    if (pair->p_adjusted > TCH_COMPARE_ALPHA)
        return "cannot tell";
    if (!pair->has_ratio && pair->a_median == pair->b_median)
        more = b > a; /* medians of values that are mostly 0 do not tell */
    if (pair->a->is_count)
        return more ? "more" : "fewer";
    return more ? "slower" : "faster";
}

bool tch_event_side_has(const struct tch_event_side *side, const struct tch_stage_group *group,
                        const struct tch_stage *stage)
{
    const struct tch_stage_group *other = tch_stages_find(&side->stages, group);

    return other && (!stage || tch_stage_find(other, stage));
}

void tch_event_comparison_release(struct tch_event_comparison *c)
{
    free(c->pairs);
    *c = (struct tch_event_comparison){0};
}
