/*
 * Assigns the spans of a track to lanes in which they nest. A span that overlaps another only
 * partly goes to a lane of its own. Spans must come in the order of their start, of two that start
 * together the longer one first.
 */
#ifndef TCH_NESTING_LANES_H
#define TCH_NESTING_LANES_H

#include <stddef.h>
#include <stdint.h>

struct tch_nest_lane {
    int64_t *ends; /* ends of the open spans, the innermost last */
    size_t depth, room;
};

/** The lanes of a track. All zero means empty. */
struct tch_nest {
    struct tch_nest_lane *lanes;
    size_t count, room;
};

void tch_nest_release(struct tch_nest *n);

/** Closes all spans. */
void tch_nest_clear(struct tch_nest *n);

/** Closes the innermost span of the lane if it has ended at ts, sets *end to its end and returns
    1. Returns 0 otherwise. */
int tch_nest_pop(struct tch_nest *n, size_t lane, int64_t ts, int64_t *end);

/** Adds a span from ts to end to the first lane in which it nests. Returns the lane, or -1
    without memory. Closes spans that have ended at ts and were not popped. */
int64_t tch_nest_push(struct tch_nest *n, int64_t ts, int64_t end);

#endif
