/*
 * The binary form of HdrHistogram.
 */
#ifndef TCH_HISTOGRAM_CODE_H
#define TCH_HISTOGRAM_CODE_H

#include "histogram.h"

enum { TCH_HISTOGRAM_BYTES = 256 * 1024 }; /* limit of the binary form */

/** Adds the histogram in HdrHistogram's binary form. */
int tch_histogram_encode(const tacho_histogram *h, struct tch_buf *b, tacho_error *err);

/** Receives the buckets of a histogram that is being read. A failure stops the reader. */
struct tch_bucket_taker {
    int (*take)(void *ctx, const tacho_histogram_bucket *bucket, tacho_error *err);
    void *ctx;
};

/** Reads the binary form, stored or plain, and passes each non-empty bucket on, in the order of
    the values. The buckets are those of the program that wrote it, which may be finer than those
    of tacho_histogram.
    @return like tacho_histogram_decode(), or the result of the callback */
int tch_histogram_decode(const void *data, size_t len, const struct tch_bucket_taker *taker,
                         tacho_error *err);

#endif
