/*
 * Arrays that double. A large block moves by its pages, so that growing copies nothing and only
 * what is written counts as memory used.
 */
#ifndef TCH_GROW_H
#define TCH_GROW_H

#include <stdbool.h>
#include <stddef.h>

/** Makes room for `need` items of `size` bytes at *array, which has *cap; false: no memory. */
bool tch_grow(void **array, size_t *cap, size_t need, size_t size);

#endif
