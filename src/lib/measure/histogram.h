/*
 * The layout of the histogram, for the files that fill, write or read it.
 */
#ifndef TCH_HISTOGRAM_H
#define TCH_HISTOGRAM_H

#include <tacho/latency.h>

#include "base/buf.h"

/*
 * The range of values of a bucket. The layout is that of HdrHistogram (Tene, 2012) for two
 * significant digits, so that its formats can be written without conversion.
 * tacho_histogram_index() finds the bucket of a value.
 */

static inline unsigned tch_bucket_shift(unsigned bucket)
{
    return bucket < 2u << TACHO_HISTOGRAM_BITS ? 0 : (bucket >> TACHO_HISTOGRAM_BITS) - 1;
}

/** Returns the smallest value of the bucket; tch_bucket_high() returns the largest. */
static inline uint64_t tch_bucket_low(unsigned bucket)
{
    unsigned shift = tch_bucket_shift(bucket);

    return ((uint64_t)bucket - ((uint64_t)shift << TACHO_HISTOGRAM_BITS)) << shift;
}

static inline uint64_t tch_bucket_high(unsigned bucket)
{
    return tch_bucket_low(bucket) + ((uint64_t)1 << tch_bucket_shift(bucket)) - 1;
}

/** Returns the value that represents the bucket: its middle. */
static inline uint64_t tch_bucket_middle(unsigned bucket)
{
    return tch_bucket_low(bucket) + (((uint64_t)1 << tch_bucket_shift(bucket)) - 1) / 2;
}

/** Returns the rank-th smallest value, rank from 1 to the count. */
uint64_t tch_histogram_at_rank(const tacho_histogram *h, uint64_t rank);

/** Returns the rank, from 1 to n, of a percentile: the smallest rank that covers `percent`
    percent of n values. */
uint64_t tch_percent_rank(double percent, uint64_t n);

#endif
