/* A histogram that many threads fill: one shard a thread, as long as there are enough. */
#include <stdatomic.h>
#include <unistd.h>

#include "base/error.h"
#include "histogram.h"

enum { MOST_SHARDS = 64, LINE = 64 };

/* Threads that share a shard add atomically, so nothing is ever lost; those that do not share
   find its lines in their own cache. */
struct shard {
    _Alignas(LINE) atomic_uint_least64_t counts[TCH_BUCKETS];
    atomic_uint_least64_t min;
    atomic_uint_least64_t max;
};

struct tacho_recorder {
    unsigned mask;
    struct shard *shards; /* in what follows this struct, aligned */
};

/* Threads are numbered in the order in which they first record. 0: not yet. */
static atomic_uint next_thread = 1;
static _Thread_local unsigned this_thread __attribute__((tls_model("initial-exec")));

static unsigned shards_for_this_machine(void)
{
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    unsigned shards = 1;

    while (shards < MOST_SHARDS && (long)shards < cpus)
        shards *= 2;
    return shards;
}

int tacho_recorder_new(tacho_recorder **ret, tacho_error *err)
{
    unsigned shards = shards_for_this_machine();
    tacho_recorder *r = calloc(1, sizeof *r + LINE + shards * sizeof *r->shards);

    if (!r)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for a recorder of %u shards", shards);
    r->mask = shards - 1;
    r->shards = (struct shard *)(((uintptr_t)(r + 1) + LINE - 1) / LINE * LINE);
    for (unsigned i = 0; i < shards; i++)
        atomic_store_explicit(&r->shards[i].min, UINT64_MAX, memory_order_relaxed);
    *ret = r;
    return 0;
}

void tacho_recorder_free(tacho_recorder *r)
{
    free(r);
}

/* Rare once the extremes have been seen. */
static void lower(atomic_uint_least64_t *min, uint64_t value)
{
    uint64_t seen = atomic_load_explicit(min, memory_order_relaxed);

    while (value < seen && !atomic_compare_exchange_weak_explicit(
                               min, &seen, value, memory_order_relaxed, memory_order_relaxed))
        ;
}

static void raise(atomic_uint_least64_t *max, uint64_t value)
{
    uint64_t seen = atomic_load_explicit(max, memory_order_relaxed);

    while (value > seen && !atomic_compare_exchange_weak_explicit(
                               max, &seen, value, memory_order_relaxed, memory_order_relaxed))
        ;
}

void tacho_recorder_record(tacho_recorder *r, uint64_t value)
{
    struct shard *shard;

    if (__builtin_expect(this_thread == 0, 0))
        this_thread = atomic_fetch_add_explicit(&next_thread, 1, memory_order_relaxed);
    shard = &r->shards[this_thread & r->mask];
    if (__builtin_expect(value > TACHO_HISTOGRAM_MAX, 0))
        value = TACHO_HISTOGRAM_MAX;
    atomic_fetch_add_explicit(&shard->counts[tch_bucket_of(value)], 1, memory_order_relaxed);
    if (__builtin_expect(value < atomic_load_explicit(&shard->min, memory_order_relaxed), 0))
        lower(&shard->min, value);
    if (__builtin_expect(value > atomic_load_explicit(&shard->max, memory_order_relaxed), 0))
        raise(&shard->max, value);
}

void tacho_recorder_snapshot(const tacho_recorder *r, tacho_histogram *h)
{
    for (unsigned s = 0; s <= r->mask; s++) {
        struct shard *shard = &r->shards[s];
        uint64_t min;
        uint64_t max;

        for (unsigned i = 0; i < TCH_BUCKETS; i++)
            h->counts[i] += atomic_load_explicit(&shard->counts[i], memory_order_relaxed);
        min = atomic_load_explicit(&shard->min, memory_order_relaxed);
        max = atomic_load_explicit(&shard->max, memory_order_relaxed);
        h->min = min < h->min ? min : h->min;
        h->max = max > h->max ? max : h->max;
    }
}
