/* Arrays that double. */
#include "grow.h"

#include <stdint.h>

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
    *array = moved;
    *cap = wanted;
    return true;
}
