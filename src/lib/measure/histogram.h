/*
 * The histogram's inside, for those who fill or write it.
 */
#ifndef TCH_HISTOGRAM_H
#define TCH_HISTOGRAM_H

#include <tacho/latency.h>

#include "base/buf.h"

/*
 * What a bucket holds. The layout is HdrHistogram's for two significant digits, so that its forms
 * can be written without converting anything. Where a value goes: tacho_histogram_index().
 */

static inline unsigned tch_bucket_shift(unsigned bucket)
{
    return bucket < 2u << TACHO_HISTOGRAM_BITS ? 0 : (bucket >> TACHO_HISTOGRAM_BITS) - 1;
}

/** The smallest and the largest value that fall into it. */
static inline uint64_t tch_bucket_low(unsigned bucket)
{
    unsigned shift = tch_bucket_shift(bucket);

    return ((uint64_t)bucket - ((uint64_t)shift << TACHO_HISTOGRAM_BITS)) << shift;
}

static inline uint64_t tch_bucket_high(unsigned bucket)
{
    return tch_bucket_low(bucket) + ((uint64_t)1 << tch_bucket_shift(bucket)) - 1;
}

/** What stands for its values: the middle. */
static inline uint64_t tch_bucket_middle(unsigned bucket)
{
    return tch_bucket_low(bucket) + (((uint64_t)1 << tch_bucket_shift(bucket)) - 1) / 2;
}

enum { TCH_HISTOGRAM_BYTES = 256 * 1024 }; /* more than any of ours needs */

/** Adds its binary form. */
int tch_histogram_encode(const tacho_histogram *h, struct tch_buf *b, tacho_error *err);

/** Adds what the last field of a line holds: the binary form of a histogram. */
int tch_histogram_line_bytes(const char *line, size_t len, struct tch_buf *out, tacho_error *err);

/** The value of the rank-th smallest, rank from 1 to the count. */
uint64_t tch_histogram_at_rank(const tacho_histogram *h, uint64_t rank);

/** The rank, from 1 to n, of a percentile: the smallest that percent of n does not pass. */
uint64_t tch_percent_rank(double percent, uint64_t n);

#endif
