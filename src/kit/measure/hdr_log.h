/*
 * Reads logs of HdrHistogram, written by any implementation, plain or deflated. This is in the kit
 * because it needs zlib.
 */
#ifndef TCH_HDR_LOG_H
#define TCH_HDR_LOG_H

#include <stdbool.h>

#include <tacho/latency.h>

#include "base/lines.h"

/** A bucket: values of a log that cannot be distinguished. */
struct tch_hdr_bucket {
    double middle;
    uint64_t count;
};

/** The sum of all histograms of a log. Their buckets are kept as they were written. */
struct tch_hdr_log {
    uint64_t intervals;             /**< histograms added */
    struct tch_hdr_bucket *buckets; /**< ascending, each middle once */
    size_t count;
    size_t room;
    size_t merged;   /**< number of buckets from the first that are in ascending order */
    uint64_t values; /**< number of values in all buckets */
    uint64_t min;    /**< the lower end of the first bucket; max: the upper end of the last */
    uint64_t max;
    double relative;        /**< a value is within this share of the middle of its bucket ... */
    uint64_t coarse;        /**< ... or within this distance, if that is more */
    uint64_t skipped;       /**< lines skipped because of skip */
    uint64_t first_skipped; /**< number of the first of these lines */
};

/** Returns whether this is the first line of such a log, or one of its intervals. */
bool tch_hdr_log_starts(const char *line, size_t len);

/**
 * Adds up the histograms of a log.
 *
 * @param ret   release it with tch_hdr_log_release() in any case
 * @param tag   only lines with this tag; NULL: only lines without a tag
 * @param skip  skip lines without a histogram instead of failing
 * @return 0, TACHO_EIO, TACHO_ENOMEM, TACHO_EINVAL if no line has that tag, TACHO_EPARSE or
 * TACHO_EUNSUPPORTED with the line
 */
int tch_hdr_log_read(struct tch_lines *lines, const char *tag, bool skip, struct tch_hdr_log *ret,
                     tacho_error *err);
void tch_hdr_log_release(struct tch_hdr_log *log);

#endif
