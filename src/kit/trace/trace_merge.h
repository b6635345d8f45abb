/*
 * Several traces in one file, on one clock.
 */
#ifndef TCH_TRACE_MERGE_H
#define TCH_TRACE_MERGE_H

#include "trace_read.h"
#include "trace_write.h"

/** How the time of an input was found. */
enum tch_merge_way {
    TCH_MERGE_FIRST, /**< the others follow it */
    TCH_MERGE_TICKS, /**< one boot of one machine: its time stamp counter */
    TCH_MERGE_BOOT,  /**< ... where one of them does not count that: its monotonic clock */
    TCH_MERGE_WALL,  /**< the wall clocks */
    TCH_MERGE_EVENT, /**< an event that all have */
    TCH_MERGE_SAME,  /**< the caller says that it is the same clock */
};

/** What the two recordings say about their wall clocks. */
enum tch_merge_wall {
    TCH_WALL_TOLD,  /**< by how much each may be wrong */
    TCH_WALL_WRONG, /**< nothing kept one of them right: they may differ by anything */
    TCH_WALL_MUTE,  /**< one says nothing: it is older, or its kernel did not say */
};

struct tch_merged_input {
    const char *path; /**< the caller's */
    enum tch_merge_way way;
    int64_t offset;       /**< nanoseconds added to its times, before the whole begins at 0 */
    uint64_t uncertainty; /**< of those, in nanoseconds, by the errors of the clock pairs, and of
                               wall clocks where both kernels reported them */
    enum tch_merge_wall wall; /**< of TCH_MERGE_WALL */
    uint64_t events;
    uint32_t renumbered; /**< processes that got another pid */
    uint64_t parted;     /**< steps of flows and async spans that got another id */
    bool cut;
};

struct tch_merge_options {
    const char *align; /**< name of an event, or NULL */
    bool same_clock;   /**< inputs without a known clock are on the one of the first */
};

struct tch_merged {
    struct tch_merged_input *inputs;
    size_t count;
    uint64_t events, left_out, moved;
    uint32_t processes, tracks;
};

/** @return 0 or a negative code; release in any case */
int tch_merge(struct tch_merged *ret, char *const *paths, size_t count, const char *out,
              const struct tch_merge_options *options, const struct tch_write_options *writing,
              tacho_error *err);
void tch_merged_release(struct tch_merged *m);

const char *tch_merge_way_name(enum tch_merge_way way);

#endif
