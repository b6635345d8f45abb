/*
 * Exact statistics of values that lie in several pieces of memory.
 */
#ifndef TCH_LATENCY_STATS_H
#define TCH_LATENCY_STATS_H

#include <tacho/latency.h>

struct tch_piece {
    const uint64_t *values;
    size_t n;
};

int tch_latency_stats(const struct tch_piece *pieces, size_t count, tacho_latency_stats *ret,
                      tacho_error *err);

#endif
