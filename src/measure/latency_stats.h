/*
 * Exact statistics of values that lie in several pieces of memory.
 */
#ifndef TCH_MEASURE_LATENCY_STATS_H
#define TCH_MEASURE_LATENCY_STATS_H

#include <tacho/latency.h>

struct tch_piece {
    const uint64_t *values;
    size_t n;
};

int tch_latency_stats(const struct tch_piece *pieces, size_t count, tacho_latency_stats *ret,
                      tacho_error *err);

/** The rank, from 1, of num / den of n values: the smallest that covers that share. */
uint64_t tch_share_rank(uint64_t n, uint64_t num, uint64_t den);

/** Sorts, with room for as many at scratch. */
void tch_sort_u64(uint64_t *values, uint64_t *scratch, size_t n);

/** The k-th smallest, from 0; reorders. */
uint64_t tch_select_u64(uint64_t *values, size_t n, size_t k);

#endif
