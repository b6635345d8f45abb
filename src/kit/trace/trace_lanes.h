/*
 * The picture of a summary: for each track a row of cells over the whole time, each with the names
 * that took the most time. The total time need not be known in advance: when it exceeds the cells,
 * pairs of cells are joined.
 */
#ifndef TCH_TRACE_LANES_H
#define TCH_TRACE_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TCH_LANE_CELLS = 512,
    TCH_CELL_NAMES = 4, /* candidates for the most expensive name */
};

struct tch_cell {
    uint32_t name[TCH_CELL_NAMES];
    uint64_t ns[TCH_CELL_NAMES]; /* 0: a free place */
    uint64_t busy;               /* total busy time of the cell */
};

/** Equal adjacent cells of a lane. A run of more than one cell is one that a single span filled. */
struct tch_cell_run {
    uint32_t first, count;
    struct tch_cell cell;
};

/** A lane has runs for its cells in which something ran, so that it costs as much as its spans. */
struct tch_lane_runs {
    struct tch_cell_run *runs; /* in order */
    size_t count, room;
};

/** The lanes of a picture. The caller may read the documented fields. */
struct tch_lanes {
    struct tch_lane_runs *lanes;
    size_t count, room;
    bool failed; /**< memory ran out, and the picture lacks something */
    bool started;
    int64_t start; /* start time of cell 0 */
    int shift;     /* a cell covers 2^shift nanoseconds */
};

void tch_lanes_init(struct tch_lanes *l);
void tch_lanes_release(struct tch_lanes *l);

/** Adds a lane. Returns 0, or -1 if memory ran out. */
int tch_lanes_add(struct tch_lanes *l);

/** Records (or sets `failed`) that the lane ran `name` itself, without inner spans, in this time.
 */
void tch_lanes_paint(struct tch_lanes *l, size_t lane, uint32_t name, int64_t from, int64_t to);

/** Returns the most expensive name of a column, or UINT32_MAX if nothing ran. The `columns` columns
    show [first, last]. *share is the busy share of the column, 0 to 1. */
uint32_t tch_lanes_column(const struct tch_lanes *l, size_t lane, int64_t first, int64_t last,
                          size_t column, size_t columns, double *share);

#endif
