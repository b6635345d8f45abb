/*
 * Counts the bytes of categories, in many threads at the same time. Each thread counts in cells of
 * its own and adds them to the shared count when they reach TCH_CATEGORY_OWN bytes. The sum of the
 * shared count and all cells is exact.
 */
#ifndef TCH_MEMORY_CATEGORIES_H
#define TCH_MEMORY_CATEGORIES_H

#include <stdatomic.h>

#include <tacho/memory.h>

#include "thread_slot.h"

enum { TCH_CATEGORY_OWN = 32 * 1024, TCH_CATEGORY_NAME = 64, TCH_CATEGORY_LINE = 64 };

/* The bytes that one thread has not handed over yet, and their maximum since the last hand-over. */
struct tch_category_cell {
    _Atomic int64_t now;
    _Atomic int64_t high;
};

/* One category. It is in a cache line of its own, so that threads that count different
   categories do not share one. */
struct tch_category {
    _Alignas(TCH_CATEGORY_LINE) _Atomic int64_t now; /* bytes that were handed over */
    _Atomic int64_t peak;
    /* The peak at the last snapshot, and its time; guarded by the caller's lock. */
    uint64_t seen_peak;
    uint64_t seen_us;
    char name[TCH_CATEGORY_NAME];
};

/** All categories. They are zero at first, except for the first three names, which
    tch_categories_init() sets. */
struct tch_categories {
    struct tch_category of[TACHO_MEMORY_CATEGORIES];
    struct tch_category_cell cells[TCH_THREAD_SLOTS][TACHO_MEMORY_CATEGORIES];
    atomic_int count;
};

void tch_categories_init(struct tch_categories *c);

/** Finds or makes the category and returns its number, TACHO_ELIMIT or TACHO_EINVAL. The
    caller's lock must be held. */
int tch_categories_find(struct tch_categories *c, const char *name, tacho_error *err);

/** Adds the bytes, and the bytes in the thread's cell, to the shared count. */
void tch_categories_hand_over(struct tch_categories *c, unsigned slot, int category, int64_t bytes);

/** Counts bytes of the calling thread. */
static inline void tch_categories_add(struct tch_categories *c, int category, int64_t bytes)
{
    unsigned slot = tch_thread_slot();
    struct tch_category_cell *cell = &c->cells[slot][category];
    int64_t before = atomic_load_explicit(&cell->now, memory_order_relaxed);
    int64_t now = (int64_t)((uint64_t)before + (uint64_t)bytes);

    if (__builtin_expect(slot == TCH_NO_SLOT || now >= TCH_CATEGORY_OWN || now <= -TCH_CATEGORY_OWN,
                         0)) {
        tch_categories_hand_over(c, slot, category, bytes);
        return;
    }
    /* No other thread writes this cell, so no locked instruction is needed. */
    atomic_store_explicit(&cell->now, now, memory_order_relaxed);
    if (now > atomic_load_explicit(&cell->high, memory_order_relaxed))
        atomic_store_explicit(&cell->high, now, memory_order_relaxed);
}

/** Returns the bytes that are in use in a category now. */
uint64_t tch_categories_held(const struct tch_categories *c, int category);

/** Returns the peak of a category, as exact as <tacho/memory.h> says. It never falls. */
uint64_t tch_categories_peak(struct tch_categories *c, int category);

/** Records the time of each peak that has risen since the last snapshot. The caller's lock must
    be held. */
void tch_categories_stamp_peaks(struct tch_categories *c, uint64_t now_us);

#endif
