/* Assigns spans to lanes in which they nest. */
#include "nesting_lanes.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"

void tch_nest_release(struct tch_nest *n)
{
    for (size_t i = 0; i < n->room; i++)
        free(n->lanes[i].open);
    free(n->lanes);
    *n = (struct tch_nest){0};
}

void tch_nest_clear(struct tch_nest *n)
{
    for (size_t i = 0; i < n->count; i++)
        n->lanes[i].depth = 0;
    n->count = 0;
}

/* Returns whether an open span has ended when the next one begins. */
static bool has_ended(const struct tch_nest_span *open, const struct tch_nest_span *next)
{
    if (open->end != next->ts)
        return open->end < next->ts;
    if (open->closed != 0 && next->closed != 0)
        return open->closed < next->begun;
    return open->ts != open->end || next->ts != next->end;
}

int tch_nest_pop(struct tch_nest *n, size_t lane, const struct tch_nest_span *next, int64_t *end)
{
    struct tch_nest_lane *l = &n->lanes[lane];

    if (l->depth == 0 || !has_ended(&l->open[l->depth - 1], next))
        return 0;
    *end = l->open[--l->depth].end;
    return 1;
}

int64_t tch_nest_push(struct tch_nest *n, const struct tch_nest_span *span)
{
    int64_t ended;
    size_t i = 0;

    for (; i < n->count; i++) {
        struct tch_nest_lane *l = &n->lanes[i];

        while (tch_nest_pop(n, i, span, &ended) > 0)
            ;
        if (l->depth == 0 || l->open[l->depth - 1].end >= span->end)
            break;
    }
    if (tch_array_reserve_zero(&n->lanes, &n->room, i + 1) < 0 ||
        tch_array_reserve(&n->lanes[i].open, &n->lanes[i].room, n->lanes[i].depth + 1) < 0)
        return -1;
    n->count = i < n->count ? n->count : i + 1;
    n->lanes[i].open[n->lanes[i].depth++] = *span;
    return (int64_t)i;
}
