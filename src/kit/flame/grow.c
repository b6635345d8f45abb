/* Arrays that double. */
#include "grow.h"

#include <stdint.h>
#include <sys/mman.h>

/* What is reached in no order pays for every page; large ones are fewer. A wish, no more. */
static void ask_for_large_pages(void *array, size_t bytes)
{
    enum { LARGE = 2 << 20, WORTH = 8 << 20 };
    uintptr_t start = ((uintptr_t)array + LARGE - 1) & ~(uintptr_t)(LARGE - 1);
    uintptr_t end = ((uintptr_t)array + bytes) & ~(uintptr_t)(LARGE - 1);

    if (bytes >= WORTH && end > start)
        madvise((void *)start, end - start, MADV_HUGEPAGE);
}

bool tch_grow(void **array, size_t *cap, size_t need, size_t size)
{
    size_t wanted = *cap ? *cap : 64;
    void *moved;

    if (need <= *cap)
        return true;
    while (wanted < need) {
        if (wanted > SIZE_MAX / 2 / size)
            return false;
        wanted *= 2;
    }
    moved = realloc(*array, wanted * size);
    if (!moved)
        return false;
    ask_for_large_pages(moved, wanted * size);
    *array = moved;
    *cap = wanted;
    return true;
}
