/* Sorts and searches address ranges. */
#include "symbol_range.h"

#include <stdlib.h>

static int by_start(const void *a, const void *b)
{
    const struct tch_range *x = a;
    const struct tch_range *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end < y->end) - (x->end > y->end); /* the inner range comes last */
}

void tch_ranges_sort(struct tch_ranges *ranges)
{
    uint64_t longest = 0;

    if (ranges->count > 0)
        qsort(ranges->list, ranges->count, sizeof *ranges->list, by_start);
    for (size_t i = 0; i < ranges->count; i++) {
        if (ranges->list[i].end > longest)
            longest = ranges->list[i].end;
        ranges->list[i].longest = longest;
    }
}

const struct tch_range *tch_ranges_find(const struct tch_ranges *ranges, uint64_t addr)
{
    size_t low = 0;
    size_t high = ranges->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (ranges->list[middle].start <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    while (low > 0 && ranges->list[low - 1].longest > addr) {
        low--;
        if (ranges->list[low].end > addr)
            return &ranges->list[low];
    }
    return NULL;
}
