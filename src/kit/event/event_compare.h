/*
 * Compares two files of events: their settings, then their stages.
 */
#ifndef TCH_EVENT_COMPARE_H
#define TCH_EVENT_COMPARE_H

#include "event_settings.h"
#include "kit/stats/ratio.h"

/** A stage that both files have. */
struct tch_stage_pair {
    const struct tch_stage_group *a_group;
    const struct tch_stage_group *b_group;
    struct tch_stage *a;
    struct tch_stage *b;
    double a_median;
    double b_median;
    bool has_ratio;         /**< false when a value is 0 or below; then nothing is tested */
    struct tch_ratio ratio; /**< ratio of b to a */
    double effect;     /**< how often b is above a (ties count half); 0.5 means no difference */
    double rho;        /**< how much neighbouring values depend on each other */
    double p;          /**< two-sided, of no difference; 1 where nothing is tested */
    double p_adjusted; /**< p, adjusted for the number of stages */
};

struct tch_event_comparison {
    struct tch_stage_pair *pairs; /**< in the order of a's groups and stages */
    size_t count;
    size_t tested; /**< pairs that have a ratio */
};

/** Above this adjusted p, a difference may be chance. */
#define TCH_COMPARE_ALPHA 0.05

/** Returns how b differs: "slower", "faster", for counts "more", "fewer"; or "cannot tell". */
const char *tch_stage_verdict(const struct tch_stage_pair *pair);

/** Returns whether the side has the stage or, if stage is NULL, any stage of the group. */
bool tch_event_side_has(const struct tch_event_side *side, const struct tch_stage_group *group,
                        const struct tch_stage *stage);

/** Compares the stages and sorts both sides. Returns 0 or TACHO_ENOMEM; call
   tch_event_comparison_release() in both cases. */
int tch_compare_stages(struct tch_event_side *a, struct tch_event_side *b,
                       struct tch_event_comparison *ret, tacho_error *err);
void tch_event_comparison_release(struct tch_event_comparison *c);

#endif
