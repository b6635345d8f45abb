/* Arrays that grow by doubling. */
#include "array.h"

#include <stdint.h>
#include <sys/mman.h>

#include <tacho/error.h>

enum { FIRST_ROOM = 16, FIRST_EXTENT = 4 };

/* Random access to a large array misses the TLB less often with large pages. The kernel may
   ignore the request. */
static void ask_for_large_pages(void *block, size_t bytes)
{
    enum { LARGE = 2 << 20, WORTH = 8 << 20 };
    uintptr_t start = ((uintptr_t)block + LARGE - 1) & ~(uintptr_t)(LARGE - 1);
    uintptr_t end = ((uintptr_t)block + bytes) & ~(uintptr_t)(LARGE - 1);

    if (bytes >= WORTH && end > start)
        madvise((void *)start, end - start, MADV_HUGEPAGE);
}

/* The pointer at `list` has any type, which is why it is copied and not dereferenced. */
static int resize(void *list, size_t room, size_t size)
{
    void *block;

    memcpy(&block, list, sizeof block);
    block = realloc(block, room * size);
    if (!block)
        return TACHO_ENOMEM;
    ask_for_large_pages(block, room * size);
    memcpy(list, &block, sizeof block);
    return 0;
}

int tch_array_grow(void *list, size_t *room, size_t need, size_t size)
{
    size_t most = PTRDIFF_MAX / size;
    size_t more = *room > 0 ? *room : FIRST_ROOM;

    if (need <= *room)
        return 0;
    while (more < need && more <= most / 2)
        more *= 2;
    if (more < need || more > most || resize(list, more, size) < 0)
        return TACHO_ENOMEM;
    *room = more;
    return 0;
}

int tch_array_reserve_zero_items(void *list, size_t *room, size_t need, size_t size)
{
    size_t before = *room;
    char *block;

    if (tch_array_reserve_items(list, room, need, size) < 0)
        return TACHO_ENOMEM;
    memcpy(&block, list, sizeof block);
    if (*room > before)
        memset(block + before * size, 0, (*room - before) * size);
    return 0;
}

/* The room is not stored. It follows from the count: FIRST_EXTENT items, or the next power of
   two. */
int tch_array_extend_items(void *list, size_t count, size_t size)
{
    if (count > 0 && (count < FIRST_EXTENT || (count & (count - 1)) != 0))
        return 0;
    if (count > PTRDIFF_MAX / 2 / size)
        return TACHO_ENOMEM;
    return resize(list, count > 0 ? count * 2 : FIRST_EXTENT, size);
}
