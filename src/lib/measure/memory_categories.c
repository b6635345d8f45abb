/* Counts bytes by category: threads hand over their counts, and readers add them up. */

#include "memory_categories.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/no_cancel.h"

enum { FIRST_OWN = 3 };

void tch_categories_init(struct tch_categories *c)
{
    static const char *const names[FIRST_OWN] = {[TACHO_MEMORY_KV_CACHE] = "kv_cache",
                                                 [TACHO_MEMORY_ACTIVATIONS] = "activations",
                                                 [TACHO_MEMORY_TEMP_BUFFERS] = "temp_buffers"};

    for (int i = 0; i < FIRST_OWN; i++)
        snprintf(c->of[i].name, sizeof c->of[i].name, "%s", names[i]);
    atomic_store(&c->count, FIRST_OWN);
}

int tch_categories_find(struct tch_categories *c, const char *name, tacho_error *err)
{
    int count = atomic_load(&c->count);

    if (!name[0] || strlen(name) >= TCH_CATEGORY_NAME)
        return tch_fail(err, TACHO_EINVAL, 0, "a memory category needs a name of 1 to %d bytes",
                        TCH_CATEGORY_NAME - 1);
    for (int i = 0; i < count; i++)
        if (strcmp(c->of[i].name, name) == 0)
            return i;
    if (count == TACHO_MEMORY_CATEGORIES)
        return tch_fail(err, TACHO_ELIMIT, 0,
                        "cannot make the memory category '%s': there are already %d", name,
                        TACHO_MEMORY_CATEGORIES);
    snprintf(c->of[count].name, sizeof c->of[count].name, "%s", name);
    atomic_store(&c->count, count + 1);
    return count;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void raise_peak(struct tch_category *of, int64_t now)
{
    int64_t seen = atomic_load_explicit(&of->peak, memory_order_relaxed);

    while (now > seen && !atomic_compare_exchange_weak_explicit(
                             &of->peak, &seen, now, memory_order_relaxed, memory_order_relaxed))
        ;
}

void tch_categories_hand_over(struct tch_categories *c, unsigned slot, int category, int64_t bytes)
{
    TCH_NO_CANCEL;
    struct tch_category *of = &c->of[category];
    struct tch_category_cell *cell = &c->cells[slot][category];
    int64_t own = bytes;
    int64_t high = 0;
    int64_t before;

    if (slot != TCH_NO_SLOT) {
        own += atomic_load_explicit(&cell->now, memory_order_relaxed);
        high = atomic_load_explicit(&cell->high, memory_order_relaxed);
        atomic_store_explicit(&cell->now, 0, memory_order_relaxed);
        atomic_store_explicit(&cell->high, 0, memory_order_relaxed);
    }
    /* The cell was cleared first: a thread that adds up at this moment misses the bytes, but
       never counts them twice. */
    before = atomic_fetch_add_explicit(&of->now, own, memory_order_release);
    raise_peak(of, before + larger(own, high));
}

/* Returns the bytes in use: the shared count and those of all threads. Sets *fallen to the largest
   amount by which a thread's count is below its maximum. */
static int64_t add_up(const struct tch_categories *c, int category, int64_t *fallen)
{
    int64_t sum = atomic_load_explicit(&c->of[category].now, memory_order_acquire);
    unsigned slots = tch_thread_slots_used();

    *fallen = 0;
    for (unsigned i = TCH_NO_SLOT + 1; i < slots; i++) {
        const struct tch_category_cell *cell = &c->cells[i][category];
        int64_t now = atomic_load_explicit(&cell->now, memory_order_relaxed);

        sum += now;
        *fallen = larger(*fallen, atomic_load_explicit(&cell->high, memory_order_relaxed) - now);
    }
    return sum;
}

/* Returns 0 for a negative value: a program that freed more bytes than it counted uses none. */
static uint64_t not_negative(int64_t value)
{
    return value > 0 ? (uint64_t)value : 0;
}

uint64_t tch_categories_held(const struct tch_categories *c, int category)
{
    int64_t fallen;

    return not_negative(add_up(c, category, &fallen));
}

uint64_t tch_categories_peak(struct tch_categories *c, int category)
{
    int64_t fallen;
    int64_t sum = add_up(c, category, &fallen);

    raise_peak(&c->of[category], sum + fallen);
    return not_negative(atomic_load_explicit(&c->of[category].peak, memory_order_relaxed));
}

void tch_categories_stamp_peaks(struct tch_categories *c, uint64_t now_us)
{
    int count = atomic_load(&c->count);

    for (int i = 0; i < count; i++) {
        uint64_t peak = tch_categories_peak(c, i);

        if (peak > c->of[i].seen_peak) {
            c->of[i].seen_peak = peak;
            c->of[i].seen_us = now_us;
        }
    }
}
