/* Assigns a number to each thread and releases it when the thread exits. */
#include "thread_slot.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/no_cancel.h"
#include "base/stay_loaded.h"

__thread unsigned tch_thread_slot_plus_1;

static atomic_uint taken[TCH_THREAD_SLOTS]; /* not bool: RISC-V exchanges no single bytes */
static atomic_uint used = TCH_NO_SLOT + 1;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* used only for its destructor */
static bool has_key;

static void release_slot(void *value)
{
    unsigned slot = (unsigned)(uintptr_t)value;

    tch_thread_slot_plus_1 = 0; /* if another destructor counts, the thread takes another slot */
    atomic_store_explicit(&taken[slot], 0, memory_order_release);
}

static void make_key(void)
{
    tch_stay_loaded(); /* the key calls release_slot() when a thread exits */
    has_key = pthread_key_create(&key, release_slot) == 0;
}

unsigned tch_thread_slots_used(void)
{
    return atomic_load_explicit(&used, memory_order_acquire);
}

unsigned tch_thread_slot_take(void)
{
    TCH_NO_CANCEL;
    unsigned slot = TCH_NO_SLOT;
    unsigned seen = atomic_load_explicit(&used, memory_order_relaxed);

    pthread_once(&once, make_key);
    for (unsigned i = 1; has_key && i < TCH_THREAD_SLOTS && slot == TCH_NO_SLOT; i++)
        if (!atomic_exchange_explicit(&taken[i], 1, memory_order_acquire))
            slot = i;
    if (slot != TCH_NO_SLOT && pthread_setspecific(key, (void *)(uintptr_t)slot) != 0) {
        atomic_store_explicit(&taken[slot], false, memory_order_release);
        slot = TCH_NO_SLOT;
    }
    while (slot >= seen && !atomic_compare_exchange_weak_explicit(
                               &used, &seen, slot + 1, memory_order_release, memory_order_relaxed))
        ;
    tch_thread_slot_plus_1 = slot + 1;
    return slot;
}
