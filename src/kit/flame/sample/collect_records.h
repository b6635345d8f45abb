/*
 * From the kernel's records to distinct stacks, while the command runs. collect_records.c has the
 * map of records and state.
 */
#ifndef TCH_COLLECT_RECORDS_H
#define TCH_COLLECT_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include <tacho/error.h>

#include "collect_programs.h"
#include "kit/flame/stacks.h"
#include "kit/flame/unwind/code_object.h"
#include "perf_rings.h"
#include "process_maps.h"

struct perf_event_header;

/** What the records of a sampler contain, and how to count them. */
struct tch_collect_options {
    bool user_stack; /**< registers and a copy of the stack, to be unwound here */
    bool weigh;      /**< a sample counts its period, not 1 */
    bool per_thread; /**< the first frame is "comm-PID/TID" */
    bool off_cpu;    /**< a sample counts the microseconds until its thread runs again */
    bool by_hand;    /**< no kernel writes the records: copies of the stack begin in the red zone,
                          and new mappings are looked for where an address is unknown */
};

struct tch_wait;

/** Read the fields after tch_collect_init(). */
struct tch_collect {
    struct tch_collect_options options;
    struct tch_maps maps;
    struct tch_code_objects objects;
    struct tch_code_places places;
    struct tch_flame_programs programs;
    struct tch_intern comms;  /**< names of threads: the first frame */
    struct tch_stacks stacks; /**< the first number is one of comms, the others of places */
    uint64_t samples;
    uint64_t lost;      /**< samples that the kernel had no room for */
    uint64_t truncated; /**< samples whose user stack was not followed to its root */

    uint32_t *frames; /* of the current sample, leaf first */
    size_t frame_count;
    struct tch_wait *waits; /* off-CPU: threads that wait */
    size_t wait_count;
    size_t wait_cap;
};

/** Release in any case. */
int tch_collect_init(struct tch_collect *c, const struct tch_collect_options *options,
                     tacho_error *err);
void tch_collect_release(struct tch_collect *c);

/** Processes one record: a tch_flame_on_record, whose ctx is the struct tch_collect. */
int tch_collect_record(void *ctx, const struct perf_event_header *record, tacho_error *err);

/** Ends all waits at `time`, after the last record. */
void tch_collect_end(struct tch_collect *c, uint64_t time);

/** Reads the maps and threads of a process that ran before the capture, from /proc. */
int tch_collect_process(struct tch_collect *c, uint32_t pid, tacho_error *err);

/** Adds the mappings of a process from the text of its /proc/PID/maps, which is changed. */
int tch_collect_maps(struct tch_collect *c, uint32_t pid, char *text, tacho_error *err);

/** Does so from the file. A process that is gone has none. */
int tch_collect_proc_maps(struct tch_collect *c, struct tch_flame_process *process,
                          tacho_error *err);

/** Reads all of every process. */
int tch_collect_processes(struct tch_collect *c, tacho_error *err);

/** Adds a mapping of a process. @return 0 or TACHO_ENOMEM */
int tch_collect_map(struct tch_collect *c, struct tch_flame_process *process, struct tch_map map,
                    tacho_error *err);

/** Adds the stack of a sample `weight` times. @return its number in c->stacks, or a negative code
 */
int64_t tch_collect_stack(struct tch_collect *c, const struct perf_event_header *record,
                          uint32_t pid, uint32_t tid, uint64_t weight, tacho_error *err);

#endif
