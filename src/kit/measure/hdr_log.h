/*
 * Logs of HdrHistogram, of any writer: deflated ones, too. In the kit, since that needs zlib.
 */
#ifndef TCH_HDR_LOG_H
#define TCH_HDR_LOG_H

#include <stdbool.h>

#include <tacho/latency.h>

#include "base/lines.h"

struct tch_hdr_log {
    uint64_t intervals;     /**< histograms added */
    uint64_t coarse;        /**< values may be off by so much, where they count in larger units */
    uint64_t skipped;       /**< lines passed over, with skip */
    uint64_t first_skipped; /**< the first of them */
};

/** Is this the first line of such a log, or one of its intervals? */
bool tch_hdr_log_starts(const char *line, size_t len);

/**
 * Adds the histograms of a log to h.
 *
 * @param tag   only the lines that carry it; NULL: only those that carry none
 * @param skip  pass over lines that hold no histogram, instead of failing
 * @return 0, TACHO_EIO, TACHO_ENOMEM, TACHO_EINVAL where no line has that tag, TACHO_EPARSE or
 *         TACHO_EUNSUPPORTED with the line
 */
int tch_hdr_log_read(struct tch_lines *lines, const char *tag, bool skip, tacho_histogram *h,
                     struct tch_hdr_log *ret, tacho_error *err);

#endif
