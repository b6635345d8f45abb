/*
 * Turns the kernel's records into distinct stacks while the command runs. collect_records.c has the
 * map of records and state.
 */
#ifndef TCH_COLLECT_RECORDS_H
#define TCH_COLLECT_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include <tacho/error.h>

#include "collect_programs.h"
#include "kit/flame/stack/stacks.h"
#include "kit/symbol/object/code_place.h"
#include "perf_rings.h"
#include "process_maps.h"

struct perf_event_header;

/** Describes the records of a sampler and how to count them. */
struct tch_collect_options {
    bool user_stack; /**< records contain registers and a copy of the stack, which are unwound here
                      */
    bool weigh;      /**< a sample counts as its period, not as 1 */
    bool per_thread; /**< the first frame is "comm-PID/TID" */
    bool off_cpu;    /**< a sample counts as the microseconds until its thread runs again */
    bool by_hand;    /**< the records are not from the kernel: copies of the stack begin in the red
                        zone, and an unknown address makes us read /proc/PID/maps again */
};

struct tch_wait;

/** Bytes that the stacks of a capture may use. Hours of a large program need some 100 MB. */
enum { TCH_COLLECT_MAX = 1 << 30 };

/** The state of a collection. Callers may read the fields after tch_collect_init(). */
struct tch_collect {
    struct tch_collect_options options;
    struct tch_maps maps;
    struct tch_code_objects objects;
    struct tch_code_places places;
    struct tch_flame_programs programs;
    struct tch_intern comms;  /**< names of threads, used as the first frame */
    struct tch_stacks stacks; /**< a stack is an index into comms, followed by numbers of places */
    uint64_t samples;
    uint64_t lost;      /**< samples that the kernel dropped because a ring was full */
    uint64_t refused;   /**< samples and names that were dropped because `most` was reached */
    size_t most;        /**< bytes that may be used, TCH_COLLECT_MAX */
    uint64_t truncated; /**< samples whose user stack was not unwound to its root */

    uint32_t *frames; /* the current sample, leaf first */
    size_t frame_count;
    struct tch_wait *waits; /* off-CPU: the threads that wait now */
    size_t wait_count;
    size_t wait_cap;
};

/** Initialises c. Call tch_collect_release() even if this fails. */
int tch_collect_init(struct tch_collect *c, const struct tch_collect_options *options,
                     tacho_error *err);
void tch_collect_release(struct tch_collect *c);

/** Processes one record: a tch_flame_on_record, whose ctx is the struct tch_collect. */
int tch_collect_record(void *ctx, const struct perf_event_header *record, tacho_error *err);

/** Returns whether no more may be added, and counts what the caller now drops. */
bool tch_collect_refuses(struct tch_collect *c);

/** Ends all waits at `time`, after the last record. */
void tch_collect_end(struct tch_collect *c, uint64_t time);

/** Adds a mapping of a process. @return 0 or TACHO_ENOMEM */
int tch_collect_map(struct tch_collect *c, struct tch_flame_process *process, struct tch_map map,
                    tacho_error *err);

#endif
