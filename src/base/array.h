/*
 * Arrays that grow by doubling. The caller keeps the pointer, the count and, where it has one, the
 * room; free() releases the array.
 *
 *     if (tch_array_reserve(&list->items, &list->room, list->count + 1) < 0)
 *         return tch_fail_memory(err);
 *     list->items[list->count++] = item;
 *
 * A large block moves by its pages, so that growing copies nothing and only the part that was
 * written counts as used memory.
 */
#ifndef TCH_ARRAY_H
#define TCH_ARRAY_H

#include <stddef.h>

/**
 * Makes room for `need` items.
 *
 * @param list  address of the pointer to the items, which is NULL while there are none
 * @param room  size_t *: the number of items that fit; 0 at first
 * @return 0, or TACHO_ENOMEM, and then nothing has changed
 */
#define tch_array_reserve(list, room, need) \
    tch_array_reserve_items((list), (room), (need), sizeof **(list))

/** Like tch_array_reserve(), and fills all new room with zeros. */
#define tch_array_reserve_zero(list, room, need) \
    tch_array_reserve_zero_items((list), (room), (need), sizeof **(list))

/**
 * Makes room for one more item after `count`, for an array whose owner does not store the room.
 * Grow such an array with this macro only.
 * @return 0, or TACHO_ENOMEM, and then nothing has changed
 */
#define tch_array_extend(list, count) tch_array_extend_items((list), (count), sizeof **(list))

/* The functions that the macros call. size: bytes of one item. */

int tch_array_grow(void *list, size_t *room, size_t need, size_t size);
int tch_array_reserve_zero_items(void *list, size_t *room, size_t need, size_t size);
int tch_array_extend_items(void *list, size_t count, size_t size);

/* Inline, because hot loops call it for every item. */
static inline int tch_array_reserve_items(void *list, size_t *room, size_t need, size_t size)
{
    return need <= *room ? 0 : tch_array_grow(list, room, need, size);
}

#endif
