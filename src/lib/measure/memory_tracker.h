/*
 * The sums of a memory report over snapshots, independent of where the numbers come from.
 */
#ifndef TCH_MEMORY_TRACKER_H
#define TCH_MEMORY_TRACKER_H

#include <tacho/memory.h>

#include "base/buf.h"

struct tch_memory_sums {
    uint64_t n;
    uint64_t peak_rss;
    uint64_t rss_low; /* low half of a sum of 128 bits */
    uint64_t rss_high;
    uint64_t kv_cache; /* this and activation saturate at UINT64_MAX */
    uint64_t activation;
};

void tch_memory_sums_add(struct tch_memory_sums *sums, const tacho_memory_snapshot *snapshot);
void tch_memory_sums_report(const struct tch_memory_sums *sums, tacho_memory_report *ret);
void tch_memory_report_write(struct tch_buf *b, const char *label,
                             const tacho_memory_report *report);

#endif
