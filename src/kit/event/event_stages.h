/*
 * Where the time went: for each event, and each stage in its stage_us, how often and how long.
 *
 * A stage that is an object is descended into, "marlin.qkv.kernel_us". Numbers whose last name
 * ends in "_calls" or "_count" are counts, all others are times in microseconds.
 */
#ifndef TCH_EVENT_STAGES_H
#define TCH_EVENT_STAGES_H

#include <tacho/event.h>
#include <tacho/latency.h>

/** Values of a stage that are kept one by one. Above that only a histogram is. */
enum { TCH_STAGE_EXACT = 65536 };

/** Stages that are told apart, of all events together. */
enum { TCH_STAGES_MOST = 4096 };

/** A sum in whole parts of a microsecond, so that the order of adding does not matter. */
__extension__ typedef __int128 tch_stage_sum;
enum { TCH_SUM_PARTS = 1 << 20 };

struct tch_stage {
    char *name; /**< from the outermost key on, with points between */
    size_t name_len;
    bool is_count;
    bool is_top; /**< not nested */
    uint64_t count;
    tch_stage_sum sum; /**< in parts: see tch_stage_total() */
    double max;
    double *values; /**< the first ones, as they came; all while `histogram` is NULL */
    size_t value_count;
    size_t value_size;
    tacho_histogram *histogram; /**< of thousandths (nanoseconds, for times) */
    size_t pending;             /* of the event at hand: where its value waits, from 1 */
    uint64_t hash;
};

/** One kind of event; with --by, one value of that key as well. */
struct tch_stage_group {
    char *event; /**< its name */
    size_t event_len;
    char *by; /**< the value of the shape's key, "" where it has none */
    size_t by_len;
    uint64_t events;
    uint64_t passed_over; /**< values that are neither numbers nor objects */
    struct tch_stage *stages;
    size_t count;
    size_t size;
};

struct tch_stages {
    const char *only; /**< the one event to look at; NULL: all */
    const char *by;   /**< the key of shape to tell apart by; NULL: none */
    struct tch_stage_group *groups;
    size_t count;
    size_t size;
    size_t stage_count; /* of all groups */
    uint64_t left_out;  /**< values of stages beyond TCH_STAGES_MOST */
    struct tch_waiting *waiting;
    size_t waiting_count;
    size_t waiting_size;
    size_t last_group;
};

/** only and by are borrowed. */
void tch_stages_init(struct tch_stages *s, const char *only, const char *by);
void tch_stages_release(struct tch_stages *s);

/** Takes in one event; s is a struct tch_stages, so that this is tch_scan's event(). */
int tch_stages_add(void *s, const tacho_event *event, tacho_error *err);

/** Takes in all that `from` has. */
int tch_stages_merge(struct tch_stages *s, const struct tch_stages *from, tacho_error *err);

/** Most costly first: groups by their total, stages by theirs; names decide ties. */
void tch_stages_sort(struct tch_stages *s);

/** The group or stage of that name, or NULL. */
struct tch_stage_group *tch_stages_find(const struct tch_stages *s,
                                        const struct tch_stage_group *like);
struct tch_stage *tch_stage_find(const struct tch_stage_group *group, const struct tch_stage *like);

/** Does a stage of that name count, rather than last? */
bool tch_stage_is_count(const char *name, size_t len);

double tch_stage_total(const struct tch_stage *stage);

/** What a group's shares are shares of: its stage "total" (or "total_us") where it has one, else
    the sum of its times that are not nested. */
double tch_stage_group_total(const struct tch_stage_group *group, bool *is_stage);

struct tch_stage_summary {
    double total;
    double mean;
    double p50; /**< nearest-rank */
    double p95;
    double p99;
    double max;
    bool exact; /**< else the percentiles are good to 0.4 % */
};

/** Sorts the stage's values. */
void tch_stage_summarise(struct tch_stage *stage, struct tch_stage_summary *ret);

#endif
