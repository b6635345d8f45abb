/*
 * Sorting numbers, and selecting one by its rank. Everything is deterministic and allocates
 * nothing.
 */
#ifndef TCH_ORDER_H
#define TCH_ORDER_H

#include <stddef.h>
#include <stdint.h>

/** Sorts in ascending order, in place. x must not contain NaN. */
void tch_sort(double *x, size_t n);

/** Sorts in ascending order. scratch has room for n values. */
void tch_sort_u64(uint64_t *x, uint64_t *scratch, size_t n);

/** Returns the k-th smallest (from 0; k < n) and reorders x so that no value before index k is
    larger and none after it is smaller. Takes linear time. x must not contain NaN. */
double tch_select(double *x, size_t n, size_t k);
uint64_t tch_select_u64(uint64_t *x, size_t n, size_t k);

#endif
