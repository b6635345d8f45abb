/*
 * Exact statistics of values that are in several pieces of memory.
 */
#ifndef TCH_LATENCY_STATS_H
#define TCH_LATENCY_STATS_H

#include <tacho/latency.h>

/** Some of the values, borrowed. */
struct tch_latency_piece {
    const uint64_t *values;
    size_t n;
};

/** Computes the statistics of all pieces together. Returns 0 or TACHO_ENOMEM; ret is set on
    success only. */
int tch_latency_stats(const struct tch_latency_piece *pieces, size_t count,
                      tacho_latency_stats *ret, tacho_error *err);

/** Does what tch_latency_stats() does, for a struct of the caller. Returns TACHO_EINVAL when the
    caller has not initialised it. */
int tch_latency_stats_give(const struct tch_latency_piece *pieces, size_t count,
                           tacho_latency_stats *ret, tacho_error *err);

#endif
