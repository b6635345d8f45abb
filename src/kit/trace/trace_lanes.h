/*
 * What cost most, when, on each track: a row of cells over the whole time. The time need not be
 * known beforehand: when it grows past the cells, two become one.
 */
#ifndef TCH_TRACE_LANES_H
#define TCH_TRACE_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TCH_LANE_CELLS = 512,
    TCH_CELL_NAMES = 4, /* candidates for what cost most */
};

struct tch_cell {
    uint32_t name[TCH_CELL_NAMES];
    uint64_t ns[TCH_CELL_NAMES]; /* 0: free */
    uint64_t busy;               /* all of it */
};

/** Read the fields. */
struct tch_lanes {
    struct tch_cell **lanes; /**< TCH_LANE_CELLS each */
    size_t count;
    bool started;
    int64_t start; /* of cell 0 */
    int shift;     /* a cell is 2^shift nanoseconds */
};

void tch_lanes_init(struct tch_lanes *l);
void tch_lanes_release(struct tch_lanes *l);

/** One more lane. 0 or -1 when memory ran out. */
int tch_lanes_add(struct tch_lanes *l);

/** From `from` to `to` this lane did `name` itself. */
void tch_lanes_paint(struct tch_lanes *l, size_t lane, uint32_t name, int64_t from, int64_t to);

/** Cells from the first, of `columns` that are to show [first, last]: what cost most in the column,
    or UINT32_MAX where nothing ran; *share is how much of it was busy, 0 to 1. */
uint32_t tch_lanes_column(const struct tch_lanes *l, size_t lane, int64_t first, int64_t last,
                          size_t column, size_t columns, double *share);

#endif
