/*
 * Assigns the spans of a track to lanes in which they nest. A span that overlaps another only
 * partly goes to a lane of its own. Spans must come in the order of their start, of two that start
 * together the outer one first.
 *
 * The times do not say whether a span that begins when another one ends is inside it, if one of
 * them has no length. The positions of begins and ends in the file say so where they are known.
 * Otherwise a span without length is inside an earlier one at the same time, as in Perfetto.
 */
#ifndef TCH_NESTING_LANES_H
#define TCH_NESTING_LANES_H

#include <stddef.h>
#include <stdint.h>

struct tch_nest_span {
    int64_t ts, end;
    uint64_t begun, closed; /**< positions of its begin and end; closed is 0: not known */
};

struct tch_nest_lane {
    struct tch_nest_span *open; /* the innermost last */
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

/** Closes the innermost span of the lane if it has ended when `next` begins, sets *end to its end
    and returns 1. Returns 0 otherwise. */
int tch_nest_pop(struct tch_nest *n, size_t lane, const struct tch_nest_span *next, int64_t *end);

/** Adds a span to the first lane in which it nests. Returns the lane, or -1 without memory. Closes
    spans that have ended when it begins and were not popped. */
int64_t tch_nest_push(struct tch_nest *n, const struct tch_nest_span *span);

#endif
