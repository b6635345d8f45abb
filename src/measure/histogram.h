/*
 * The histogram's inside, for those who fill or write it.
 */
#ifndef TCH_MEASURE_HISTOGRAM_H
#define TCH_MEASURE_HISTOGRAM_H

#include <tacho/latency.h>

#include "bucket.h"

struct tacho_histogram {
    uint64_t min; /* UINT64_MAX when empty */
    uint64_t max;
    uint64_t counts[TCH_BUCKETS];
};

/** The value of the rank-th smallest, rank from 1 to the count. */
uint64_t tch_histogram_at_rank(const tacho_histogram *h, uint64_t rank);

/** min and max of counts that came without. */
void tch_histogram_set_ends(tacho_histogram *h);

/** The rank, from 1 to n, of a percentile: the smallest that percent of n does not pass. */
uint64_t tch_percent_rank(double percent, uint64_t n);

#endif
