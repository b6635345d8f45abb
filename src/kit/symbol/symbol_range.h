/*
 * A sorted list of address ranges, which finds the innermost one at an address.
 */
#ifndef TCH_SYMBOL_RANGE_H
#define TCH_SYMBOL_RANGE_H

#include <stddef.h>
#include <stdint.h>

/** An address range of a unit or of a function. */
struct tch_range {
    uint64_t start;
    uint64_t end;
    uint64_t longest; /**< largest end of this and all earlier ranges: how far back to search */
    size_t unit;      /**< for a range of a unit: its number */
    uint64_t die;     /**< offset of its DIE */
};

/** Zero-initialise. The owner frees the list. */
struct tch_ranges {
    struct tch_range *list;
    size_t count;
    size_t cap;
};

/** Prepares the list for tch_ranges_find(). */
void tch_ranges_sort(struct tch_ranges *ranges);

/** Returns the innermost range that contains addr, or NULL. */
const struct tch_range *tch_ranges_find(const struct tch_ranges *ranges, uint64_t addr);

#endif
