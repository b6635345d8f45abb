/*
 * Summarises the time of events: the count and the durations of each stage in their stage_us.
 *
 * The stages of an object have names such as "marlin.qkv.kernel_us". Numbers whose last name ends
 * in "_calls", "_count" or "_bytes" are counts, all others are times in microseconds.
 */
#ifndef TCH_EVENT_STAGES_H
#define TCH_EVENT_STAGES_H

#include <tacho/event.h>
#include <tacho/latency.h>

/** Limit of the values of a stage that are kept exactly. Further values go to a histogram. */
enum { TCH_STAGE_EXACT = 65536 };

/** Limit of different stages, of all events together. */
enum { TCH_STAGES_MOST = 4096 };

/** A sum of integer fractions of a microsecond. Unlike a sum of doubles, it does not depend on the
    order of adding. */
__extension__ typedef __int128 tch_stage_sum;
enum { TCH_SUM_PARTS = 1 << 20 };

struct tch_stage {
    char *name; /**< all keys from the outermost on, separated by points */
    size_t name_len;
    bool is_count;
    bool is_top; /**< not nested */
    uint64_t count;
    tch_stage_sum sum; /**< in parts: see tch_stage_total() */
    double max;
    double *values; /**< the first ones, in their order; all of them while `histogram` is NULL */
    size_t value_count;
    size_t value_size;
    /** Histogram of the values in thousandths (for times: nanoseconds). */
    tacho_histogram *histogram;
    size_t pending; /* index from 1 of the current event's value in `waiting`; 0: none */
    uint64_t hash;
};

/** One kind of event; with --by, one value of that key as well. */
struct tch_stage_group {
    char *event; /**< its name */
    size_t event_len;
    char *by; /**< the value of the shape's key; "" if the shape does not have the key */
    size_t by_len;
    uint64_t events;
    uint64_t passed_over; /**< values that are neither numbers nor objects */
    struct tch_stage *stages;
    size_t count;
    size_t size;
};

struct tch_stages {
    const char *only; /**< name of the only event that counts; NULL: all do */
    const char *by;   /**< the key of shape that splits events into groups; NULL: none */
    struct tch_stage_group *groups;
    size_t count;
    size_t size;
    size_t stage_count; /* stages of all groups */
    uint64_t left_out;  /**< values of stages beyond TCH_STAGES_MOST */
    struct tch_waiting *waiting;
    size_t waiting_count;
    size_t waiting_size;
    size_t last_group;
};

/** Initialises s. only and by are borrowed. */
void tch_stages_init(struct tch_stages *s, const char *only, const char *by);
void tch_stages_release(struct tch_stages *s);

/** Adds one event. s is a struct tch_stages; this is an event() of struct tch_scan. */
int tch_stages_add(void *s, const tacho_event_view *event, tacho_error *err);

/** Adds all stages of `from`. */
int tch_stages_merge(struct tch_stages *s, const struct tch_stages *from, tacho_error *err);

/** Finds the group or stage with the same name, or returns NULL. */
struct tch_stage_group *tch_stages_find(const struct tch_stages *s,
                                        const struct tch_stage_group *like);
struct tch_stage *tch_stage_find(const struct tch_stage_group *group, const struct tch_stage *like);

/** Returns whether a stage with that name is a count, not a time. */
bool tch_stage_is_count(const char *name, size_t len);

#endif
