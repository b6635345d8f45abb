/*
 * Log-linear buckets: where a value goes and what a bucket holds. The layout is HdrHistogram's for
 * two significant digits, so that its forms can be written without converting anything.
 */
#ifndef TCH_MEASURE_BUCKET_H
#define TCH_MEASURE_BUCKET_H

#include <stdint.h>

enum {
    TCH_BUCKET_BITS = 7,                                         /* 128 buckets for each doubling */
    TCH_BUCKETS = (63 - TCH_BUCKET_BITS + 1) << TCH_BUCKET_BITS, /* for 63-bit values */
};

/** Below 2^(bits + 1) each value has its own; value < 2^63. */
static inline unsigned tch_bucket_of(uint64_t value)
{
    unsigned top = 63u - (unsigned)__builtin_clzll(value | ((2u << TCH_BUCKET_BITS) - 1));
    unsigned shift = top - TCH_BUCKET_BITS;

    return (shift << TCH_BUCKET_BITS) + (unsigned)(value >> shift);
}

static inline unsigned tch_bucket_shift(unsigned bucket)
{
    return bucket < 2u << TCH_BUCKET_BITS ? 0 : (bucket >> TCH_BUCKET_BITS) - 1;
}

/** The smallest and the largest value that fall into it. */
static inline uint64_t tch_bucket_low(unsigned bucket)
{
    unsigned shift = tch_bucket_shift(bucket);

    return ((uint64_t)bucket - ((uint64_t)shift << TCH_BUCKET_BITS)) << shift;
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

#endif
