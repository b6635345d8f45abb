/*
 * Merges several traces into one file, on one clock.
 */
#ifndef TCH_TRACE_MERGE_H
#define TCH_TRACE_MERGE_H

#include "trace_read.h"
#include "trace_write.h"

/** How the offset of an input was determined. */
enum tch_merge_way {
    TCH_MERGE_FIRST, /**< the first input, which the others are aligned with */
    TCH_MERGE_TICKS, /**< same boot of the same machine: by its time stamp counter */
    TCH_MERGE_BOOT,  /**< same boot, but one input lacks the counter: by its monotonic clock */
    TCH_MERGE_WALL,  /**< by the wall clocks */
    TCH_MERGE_EVENT, /**< by an event that all inputs have */
    TCH_MERGE_SAME,  /**< the caller says that the clocks are the same */
};

/** The information of two recordings about the errors of their wall clocks. */
enum tch_merge_wall {
    TCH_WALL_KNOWN, /**< both kernels reported an error bound */
    TCH_WALL_WRONG, /**< one of the clocks was not synchronised: they may differ by anything */
    TCH_WALL_MUTE,  /**< one recording has no information: it is older, or its kernel gave none */
};

struct tch_merged_input {
    const char *path; /**< borrowed from the caller */
    enum tch_merge_way way;
    int64_t offset; /**< nanoseconds added to its times, before the whole trace is moved to start at
                       0 */
    uint64_t uncertainty; /**< error of the offset in nanoseconds, by the errors of the clock pairs,
                             and of wall clocks if both kernels reported them */
    enum tch_merge_wall wall; /**< accuracy of the wall clocks, for TCH_MERGE_WALL */
    uint64_t events;
    uint32_t renumbered; /**< processes that got a new pid */
    uint64_t parted;     /**< events of flows and async spans that got a new id */
    bool cut;
};

struct tch_merge_options {
    const char *align; /**< name of an event, or NULL */
    bool same_clock;   /**< inputs without a known clock use the clock of the first */
};

struct tch_merged {
    struct tch_merged_input *inputs;
    size_t count;
    uint64_t events, left_out, moved;
    uint32_t processes, tracks;
};

/** Merges traces. @return 0 or a negative code; release ret in any case */
int tch_merge(struct tch_merged *ret, char *const *paths, size_t count, const char *out,
              const struct tch_merge_options *options, const struct tch_write_options *writing,
              tacho_error *err);
void tch_merged_release(struct tch_merged *m);

const char *tch_merge_way_name(enum tch_merge_way way);

#endif
