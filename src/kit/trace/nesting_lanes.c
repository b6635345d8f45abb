/* Lanes in which spans nest. */
#include "nesting_lanes.h"

#include <stdlib.h>

void tch_nest_init(struct tch_nest *n)
{
    *n = (struct tch_nest){0};
}

void tch_nest_release(struct tch_nest *n)
{
    for (size_t i = 0; i < n->room; i++)
        free(n->lanes[i].ends);
    free(n->lanes);
    tch_nest_init(n);
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

static int push(struct tch_nest_lane *l, int64_t end)
{
    if (l->depth == l->room) {
        size_t room = l->room > 0 ? l->room * 2 : 16;
        int64_t *ends = realloc(l->ends, room * sizeof *ends);

        if (!ends)
            return -1;
        l->ends = ends;
        l->room = room;
    }
    l->ends[l->depth++] = end;
    return 0;
}

static int add_lane(struct tch_nest *n)
{
    if (n->count == n->room) {
        size_t room = n->room > 0 ? n->room * 2 : 4;
        struct tch_nest_lane *lanes = realloc(n->lanes, room * sizeof *lanes);

        if (!lanes)
            return -1;
        n->lanes = lanes;
        for (size_t i = n->room; i < room; i++)
            lanes[i] = (struct tch_nest_lane){0};
        n->room = room;
    }
    n->count++;
    return 0;
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
    if (i == n->count && add_lane(n) < 0)
        return -1;
    return push(&n->lanes[i], end) < 0 ? -1 : (int64_t)i;
}
