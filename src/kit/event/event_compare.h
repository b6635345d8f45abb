/*
 * Compares two files of events: their settings, then their stages.
 */
#ifndef TCH_EVENT_COMPARE_H
#define TCH_EVENT_COMPARE_H

#include "base/buf.h"
#include "event_stages.h"
#include "kit/stats/ratio.h"

/** The settings of the process that events contain. */
enum tch_event_setting {
    TCH_SETTING_COMMIT_SHA,
    TCH_SETTING_ENV_HASH,
    TCH_SETTING_MODEL,
    TCH_SETTING_CONCURRENCY,
    TCH_SETTING_GRAPH_ENABLED,
    TCH_SETTING_RUNTIME_FLAGS,
    TCH_SETTINGS,
};

extern const char *const tch_setting_names[TCH_SETTINGS];

enum { TCH_KINDS = 16 }; /* limit of different values of a setting */

struct tch_event_kinds {
    char *values[TCH_KINDS]; /**< canonical JSON, in the order of their first event */
    char *raw;               /* the last value as in the file, to recognise a repetition */
    size_t raw_len, raw_room;
    size_t count;
    bool more; /**< there were more than TCH_KINDS */
};

/** One of the two files. */
struct tch_event_side {
    struct tch_stages stages;
    struct tch_event_kinds settings[TCH_SETTINGS];
    uint64_t events;
};

void tch_event_side_init(struct tch_event_side *side, const char *only, const char *by);
void tch_event_side_release(struct tch_event_side *side);

/** Adds one event. This is an event() of struct tch_scan, on one thread only. */
int tch_event_side_add(void *side, const tacho_event_view *event, tacho_error *err);

/**
 * Reports each setting that differs, as JSON text, or NULL for a file that does not have it.
 * Settings are named by their key, members of runtime_flags as "runtime_flags.a.b[2].c". If a file
 * has several kinds of runtime_flags, only the first are compared.
 *
 * @return 0 or TACHO_ENOMEM
 */
int tch_compare_settings(const struct tch_event_side *a, const struct tch_event_side *b,
                         void (*report)(void *ctx, const char *name, const char *a, const char *b),
                         void *ctx, tacho_error *err);

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
