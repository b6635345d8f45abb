/*
 * Logs of HdrHistogram, of any writer: deflated ones, too. In the kit, since that needs zlib.
 */
#ifndef TCH_HDR_LOG_H
#define TCH_HDR_LOG_H

#include <stdbool.h>

#include <tacho/latency.h>

#include "base/lines.h"

/** Values of a log that cannot be told apart. */
struct tch_hdr_bucket {
    double middle;
    uint64_t count;
};

/** All histograms of a log, added up. Their buckets are kept as they were written. */
struct tch_hdr_log {
    uint64_t intervals;             /**< histograms added */
    struct tch_hdr_bucket *buckets; /**< ascending, each middle once */
    size_t count;
    size_t room;
    size_t merged;   /**< the first so many are ascending */
    uint64_t values; /**< in all buckets */
    uint64_t min;    /**< the lowest end of a bucket; max: the highest */
    uint64_t max;
    double relative;        /**< a value is within this share of its bucket's middle, or */
    uint64_t coarse;        /**< within this distance, where the smallest buckets are wider */
    uint64_t skipped;       /**< lines passed over, with skip */
    uint64_t first_skipped; /**< the first of them */
};

/** Is this the first line of such a log, or one of its intervals? */
bool tch_hdr_log_starts(const char *line, size_t len);

/**
 * Adds up the histograms of a log.
 *
 * @param ret   tch_hdr_log_release() in any case
 * @param tag   only the lines that carry it; NULL: only those that carry none
 * @param skip  pass over lines that hold no histogram, instead of failing
 * @return 0, TACHO_EIO, TACHO_ENOMEM, TACHO_EINVAL where no line has that tag, TACHO_EPARSE or
 *         TACHO_EUNSUPPORTED with the line
 */
int tch_hdr_log_read(struct tch_lines *lines, const char *tag, bool skip, struct tch_hdr_log *ret,
                     tacho_error *err);
void tch_hdr_log_release(struct tch_hdr_log *log);

#endif
