/*
 * Bytes counted by category, by many threads at once. Each thread counts in cells of its own and
 * hands over to what they share once it is TCH_CATEGORY_OWN bytes off; the sum is always exact.
 */
#ifndef TCH_MEMORY_CATEGORIES_H
#define TCH_MEMORY_CATEGORIES_H

#include <stdatomic.h>

#include <tacho/memory.h>

#include "thread_slot.h"

enum { TCH_CATEGORY_OWN = 32 * 1024, TCH_CATEGORY_NAME = 64, TCH_CATEGORY_LINE = 64 };

/* What one thread counted and did not hand over yet, and the most that this was since. */
struct tch_category_cell {
    _Atomic int64_t now;
    _Atomic int64_t high;
};

/* On a line of its own: threads that count different things do not meet. */
struct tch_category {
    _Alignas(TCH_CATEGORY_LINE) _Atomic int64_t now; /* what was handed over */
    _Atomic int64_t peak;
    uint64_t seen_peak; /* the peak that the last snapshot saw, and when; under the caller's lock */
    uint64_t seen_us;
    char name[TCH_CATEGORY_NAME];
};

/** All zero but for the names of the first three, which tch_categories_init() sets. */
struct tch_categories {
    struct tch_category of[TACHO_MEMORY_CATEGORIES];
    struct tch_category_cell cells[TCH_THREAD_SLOTS][TACHO_MEMORY_CATEGORIES];
    atomic_int count;
};

void tch_categories_init(struct tch_categories *c);

/** Its number, or TACHO_ELIMIT, TACHO_EINVAL. Under the caller's lock. */
int tch_categories_find(struct tch_categories *c, const char *name, tacho_error *err);

void tch_categories_hand_over(struct tch_categories *c, unsigned slot, int category, int64_t bytes);

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
    /* Nobody else writes this cell: no locked instruction. */
    atomic_store_explicit(&cell->now, now, memory_order_relaxed);
    if (now > atomic_load_explicit(&cell->high, memory_order_relaxed))
        atomic_store_explicit(&cell->high, now, memory_order_relaxed);
}

/** What a category holds now. */
uint64_t tch_categories_held(const struct tch_categories *c, int category);

/** The most it held, as <tacho/memory.h> says how exactly. Never less than it said before. */
uint64_t tch_categories_peak(struct tch_categories *c, int category);

/** A snapshot sees all peaks. Under the caller's lock. */
void tch_categories_see(struct tch_categories *c, uint64_t now_us);

#endif
