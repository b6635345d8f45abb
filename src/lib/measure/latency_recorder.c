/* A histogram that many threads fill. Each thread has a shard of its own while there are enough
   of them; further threads share one. */
#include <stdatomic.h>

#include "base/fail.h"
#include "histogram.h"
#include "thread_slot.h"

enum { LINE = 64 };

/* The minimum and maximum of a shard, in a cache line of its own, so that threads do not share
   one. They are separate from the counts, whose pages take no memory until a thread records. */
struct ends {
    _Alignas(LINE) atomic_uint_least64_t min;
    atomic_uint_least64_t max;
};

struct counts {
    _Alignas(LINE) atomic_uint_least64_t of[TACHO_HISTOGRAM_BUCKETS];
};

/* One shard per thread slot. Threads without a slot share the shard of TCH_NO_SLOT. */
struct shards {
    struct ends ends[TCH_THREAD_SLOTS];
    struct counts counts[TCH_THREAD_SLOTS];
};

struct tacho_latency_recorder {
    struct shards *shards; /* aligned, in the memory after this struct */
};

int tacho_latency_recorder_new(tacho_latency_recorder **ret, tacho_error *err)
{
    tacho_latency_recorder *r = calloc(1, sizeof *r + LINE + sizeof *r->shards);

    if (!r)
        return tch_fail_memory(err);
    r->shards = (struct shards *)(((uintptr_t)(r + 1) + LINE - 1) / LINE * LINE);
    for (unsigned i = 0; i < TCH_THREAD_SLOTS; i++)
        atomic_store_explicit(&r->shards->ends[i].min, UINT64_MAX, memory_order_relaxed);
    *ret = r;
    return 0;
}

void tacho_latency_recorder_free(tacho_latency_recorder *r)
{
    free(r);
}

/* Widens the range to the value. */
static void widen(struct ends *ends, uint64_t value)
{
    uint64_t min = atomic_load_explicit(&ends->min, memory_order_relaxed);
    uint64_t max = atomic_load_explicit(&ends->max, memory_order_relaxed);

    while (value < min && !atomic_compare_exchange_weak_explicit(
                              &ends->min, &min, value, memory_order_relaxed, memory_order_relaxed))
        ;
    while (value > max && !atomic_compare_exchange_weak_explicit(
                              &ends->max, &max, value, memory_order_relaxed, memory_order_relaxed))
        ;
}

void tacho_latency_recorder_record(tacho_latency_recorder *r, uint64_t value)
{
    unsigned slot = tch_thread_slot();
    struct ends *ends = &r->shards->ends[slot];
    atomic_uint_least64_t *count;

    if (__builtin_expect(value > TACHO_HISTOGRAM_MAX, 0))
        value = TACHO_HISTOGRAM_MAX;
    count = &r->shards->counts[slot].of[tacho_histogram_index(value)];
    if (__builtin_expect(slot != TCH_NO_SLOT, 1)) /* no other thread writes to it */
        atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1,
                              memory_order_relaxed);
    else
        atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
    if (__builtin_expect(value < atomic_load_explicit(&ends->min, memory_order_relaxed) ||
                             value > atomic_load_explicit(&ends->max, memory_order_relaxed),
                         0))
        widen(ends, value);
}

void tacho_latency_recorder_snapshot(const tacho_latency_recorder *r, tacho_histogram *h)
{
    for (unsigned s = 0; s < TCH_THREAD_SLOTS; s++) {
        const struct ends *ends = &r->shards->ends[s];
        uint64_t min = atomic_load_explicit(&ends->min, memory_order_relaxed);
        uint64_t max = atomic_load_explicit(&ends->max, memory_order_relaxed);

        if (min > max)
            continue; /* nothing was recorded: do not touch its pages */
        for (unsigned i = 0; i < TACHO_HISTOGRAM_BUCKETS; i++)
            h->counts[i] += atomic_load_explicit(&r->shards->counts[s].of[i], memory_order_relaxed);
        h->min = min < h->min ? min : h->min;
        h->max = max > h->max ? max : h->max;
    }
}
