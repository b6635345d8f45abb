/* Compares stages: ratio and interval by kit/stats/session.h, p-values adjusted for their number
   (Holm, 1979). */
#include "event_compare.h"

#include <stdlib.h>

#include "base/fail.h"
#include "event_settings.h"
#include "event_stages_sum.h"
#include "kit/stats/order_stats.h"
#include "kit/stats/rank_test.h"
#include "kit/stats/session.h"

static bool all_positive(const struct tch_stage *stage)
{
    for (size_t i = 0; i < stage->value_count; i++)
        if (!(stage->values[i] > 0))
            return false;
    return true;
}

/* Compares one stage. Values of one file are not independent runs: neighbours depend on each other,
   and all of them share the conditions of that run. The interval allows for both. */
static int compare_pair(struct tch_stage_pair *pair, tacho_error *err)
{
    const struct tch_stage *a = pair->a;
    const struct tch_stage *b = pair->b;
    size_t m = a->value_count;
    size_t n = b->value_count;
    double *room;
    int status;

    pair->p = 1;
    pair->has_ratio = all_positive(a) && all_positive(b);
    if (!pair->has_ratio)
        return 0;
    room = malloc(2 * (m + n + 1) * sizeof *room);
    status = room ? tch_ratio_unpaired(a->values, m, b->values, n, TCH_COMPARE_ALPHA, 1,
                                       &pair->ratio, err)
                  : tch_fail_memory(err);
    if (status == 0 && m >= 4 && n >= 4) {
        double lag1 =
            (tch_session_lag1(a->values, m, room) + tch_session_lag1(b->values, n, room)) / 2;

        pair->rho = tch_session_rho(lag1, m < n ? m : n);
        tch_session_widen(&pair->ratio, pair->rho, TCH_SESSION_SPREAD, TCH_COMPARE_ALPHA, 1);
        pair->p = pair->ratio.p;
    }
    free(room);
    return status;
}

/* Returns how often a value of b is above one of a; ties count half. Sorts both. */
static double share_above(struct tch_stage *a, struct tch_stage *b)
{
    size_t below = 0;   /* values of a below the current one of b */
    size_t at_most = 0; /* values of a that are not above it */
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

/* Adjusts p-values by Holm's method. Stages with zeros are not tested and do not count. */
static int adjust_p_values(struct tch_event_comparison *c, tacho_error *err)
{
    double *p = calloc(c->count + 1, sizeof *p);
    size_t at = 0;
    int status;

    if (!p)
        return tch_fail_memory(err);
    for (size_t i = 0; i < c->count; i++)
        if (c->pairs[i].has_ratio)
            p[c->tested++] = c->pairs[i].p;
    status = c->tested > 0 ? tch_adjust_holm(p, c->tested, p, err) : 0;
    for (size_t i = 0; i < c->count; i++)
        c->pairs[i].p_adjusted = c->pairs[i].has_ratio ? p[at++] : 1;
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
    bool more = pair->ratio.estimate > 1;

    if (pair->p_adjusted > TCH_COMPARE_ALPHA || pair->rho >= TCH_SESSION_DEPENDENT)
        return "cannot tell";
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
