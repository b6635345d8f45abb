/*
 * Do the spans of a track nest? Those that overlap others only partly go to lanes of their own.
 * Spans come in order of their beginning, the longer first.
 */
#ifndef TCH_NESTING_LANES_H
#define TCH_NESTING_LANES_H

#include <stddef.h>
#include <stdint.h>

struct tch_nest_lane {
    int64_t *ends; /* of the open spans, the innermost last */
    size_t depth, room;
};

/** All zero is empty. */
struct tch_nest {
    struct tch_nest_lane *lanes;
    size_t count, room;
};

void tch_nest_release(struct tch_nest *n);

/** No span is open any more. */
void tch_nest_clear(struct tch_nest *n);

/** Is the innermost span of the lane over at ts? Then it is closed, and *end is when it ended. */
int tch_nest_pop(struct tch_nest *n, size_t lane, int64_t ts, int64_t *end);

/** The first lane in which a span from ts to end nests, which it enters; -1: no memory. What is
    over at ts must have been popped, or is closed here. */
int64_t tch_nest_push(struct tch_nest *n, int64_t ts, int64_t end);

#endif
