/*
 * Timestamps for files: microseconds since 1970 that never go back, even if the wall clock does.
 * The wall clock is read once; after that CLOCK_MONOTONIC counts.
 */
#ifndef TCH_TIMESTAMP_H
#define TCH_TIMESTAMP_H

#include "base/clock.h"

struct tch_stamp {
    uint64_t wall_ns;
    uint64_t mono_ns;
};

static inline struct tch_stamp tch_stamp_start(void)
{
    return (struct tch_stamp){.wall_ns = tch_wall_ns(), .mono_ns = tch_now_ns()};
}

/** Returns the time base that all trackers of the process share, so that the timestamps of their
    files can be compared. */
struct tch_stamp tch_stamp_of_process(void);

static inline uint64_t tch_stamp_us(const struct tch_stamp *s)
{
    return (s->wall_ns + (tch_now_ns() - s->mono_ns)) / 1000;
}

#endif
