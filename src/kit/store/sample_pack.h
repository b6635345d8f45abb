/*
 * Packs the values of a point. Whole numbers, such as nanoseconds and bytes, become their
 * differences with few bytes each; other values keep all bits.
 */
#ifndef TCH_SAMPLE_PACK_H
#define TCH_SAMPLE_PACK_H

#include <tacho/error.h>

#include "base/buf.h"
#include "kit/stats/values.h"

enum tch_sample_codec {
    TCH_SAMPLE_DOUBLES,     /**< eight bytes each, the lowest first */
    TCH_SAMPLE_DIFFERENCES, /**< zigzag variable-length differences of whole numbers */
};

/** Adds n finite values to `out`, and returns how. */
enum tch_sample_codec tch_sample_pack(const double *values, size_t n, struct tch_buf *out);

/** Adds packed values to `ret`. Returns 0, TACHO_EPARSE if they are damaged, TACHO_ENOMEM. */
int tch_sample_unpack(int64_t codec, const void *data, size_t len, struct tch_values *ret,
                      tacho_error *err);

#endif
