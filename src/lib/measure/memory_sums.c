/* The report over memory snapshots. */
#include "base/json_write.h"
#include "memory_tracker.h"

__extension__ typedef unsigned __int128 u128; /* sums of 64-bit values */

static uint64_t add_up_to_most(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void tch_memory_sums_add(struct tch_memory_sums *sums, const tacho_memory_snapshot *snapshot)
{
    u128 sum = ((u128)sums->rss_high << 64 | sums->rss_low) + snapshot->rss_bytes;

    sums->n++;
    sums->rss_low = (uint64_t)sum;
    sums->rss_high = (uint64_t)(sum >> 64);
    if (snapshot->rss_bytes > sums->peak_rss)
        sums->peak_rss = snapshot->rss_bytes;
    sums->kv_cache = add_up_to_most(sums->kv_cache, snapshot->kv_cache_bytes);
    sums->activation = add_up_to_most(sums->activation, snapshot->activation_bytes);
}

void tch_memory_sums_report(const struct tch_memory_sums *sums, tacho_memory_report *ret)
{
    u128 sum = (u128)sums->rss_high << 64 | sums->rss_low;

    *ret = (tacho_memory_report){.snapshots = sums->n,
                                 .peak_rss = sums->peak_rss,
                                 .mean_rss = sums->n > 0 ? (uint64_t)(sum / sums->n) : 0,
                                 .kv_cache_total = sums->kv_cache,
                                 .activation_total = sums->activation};
}

void tch_memory_report_write(struct tch_buf *b, const char *label,
                             const tacho_memory_report *report)
{
    tch_json_begin_object(b);
    tch_json_key(b, "label");
    tch_json_text(b, label);
    tch_json_key(b, "peak_rss");
    tch_json_u64(b, report->peak_rss);
    tch_json_key(b, "mean_rss");
    tch_json_u64(b, report->mean_rss);
    tch_json_key(b, "kv_cache_total");
    tch_json_u64(b, report->kv_cache_total);
    tch_json_key(b, "activation_total");
    tch_json_u64(b, report->activation_total);
    tch_json_end_object(b);
}
