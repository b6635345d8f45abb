/*
 * Whole numbers in order.
 */
#ifndef TCH_ORDER_U64_H
#define TCH_ORDER_U64_H

#include <stddef.h>
#include <stdint.h>

/** Sorts, with room for as many at scratch. */
void tch_sort_u64(uint64_t *values, uint64_t *scratch, size_t n);

/** The k-th smallest, from 0; reorders. */
uint64_t tch_select_u64(uint64_t *values, size_t n, size_t k);

#endif
