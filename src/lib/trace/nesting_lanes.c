/* Assigns spans to lanes in which they nest. */
#include "nesting_lanes.h"

#include <stdlib.h>

#include "base/array.h"

void tch_nest_release(struct tch_nest *n)
{
    for (size_t i = 0; i < n->room; i++)
        free(n->lanes[i].ends);
    free(n->lanes);
    *n = (struct tch_nest){0};
}

void tch_nest_clear(struct tch_nest *n)
{
    for (size_t i = 0; i < n->count; i++)
        n->lanes[i].depth = 0;
    n->count = 0;
}

int tch_nest_pop(struct tch_nest *n, size_t lane, int64_t ts, int64_t *end)
{
    struct tch_nest_lane *l = &n->lanes[lane];

    if (l->depth == 0 || l->ends[l->depth - 1] > ts)
        return 0;
    *end = l->ends[--l->depth];
    return 1;
}

int64_t tch_nest_push(struct tch_nest *n, int64_t ts, int64_t end)
{
    int64_t ended;
    size_t i = 0;

    for (; i < n->count; i++) {
        struct tch_nest_lane *l = &n->lanes[i];

        while (tch_nest_pop(n, i, ts, &ended) > 0)
            ;
        if (l->depth == 0 || l->ends[l->depth - 1] >= end)
            break;
    }
    if (tch_array_reserve_zero(&n->lanes, &n->room, i + 1) < 0 ||
        tch_array_reserve(&n->lanes[i].ends, &n->lanes[i].room, n->lanes[i].depth + 1) < 0)
        return -1;
    n->count = i < n->count ? n->count : i + 1;
    n->lanes[i].ends[n->lanes[i].depth++] = end;
    return (int64_t)i;
}
