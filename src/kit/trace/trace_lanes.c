/* Keeps, for each cell of a lane, the names that took the most time. The candidates are found by a
   variant of the frequent-items algorithm of Misra and Gries (1982). */

#include "trace_lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void tch_lanes_init(struct tch_lanes *l)
{
    *l = (struct tch_lanes){0};
}

void tch_lanes_release(struct tch_lanes *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->lanes[i].runs);
    free(l->lanes);
    tch_lanes_init(l);
}

int tch_lanes_add(struct tch_lanes *l)
{
    if (tch_array_reserve(&l->lanes, &l->room, l->count + 1) < 0)
        return -1;
    l->lanes[l->count++] = (struct tch_lane_runs){.count = 0};
    return 0;
}

/* Adds time to a name. A known name gets more; a new one takes a free place, or else reduces the
   smallest candidate. */
static void add_to(struct tch_cell *cell, uint32_t name, uint64_t ns)
{
    unsigned there = 0, least = 0;

    cell->busy += ns;
    /* Compares all candidates without a branch, because the CPU could not predict which one
       matches. Free places have the name 0, so name 0 may match one and use it. */
    for (unsigned i = 0; i < TCH_CELL_NAMES; i++)
        there |= (unsigned)(cell->name[i] == name) << i;
    if (there != 0) {
        cell->ns[__builtin_ctz(there)] += ns;
        return;
    }
    for (unsigned i = 1; i < TCH_CELL_NAMES; i++)
        if (cell->ns[i] < cell->ns[least])
            least = i;
    if (cell->ns[least] > ns) {
        cell->ns[least] -= ns;
        return;
    }
    cell->name[least] = name;
    cell->ns[least] = ns - cell->ns[least] / 2;
}

static void merge_into(struct tch_cell *to, const struct tch_cell *from)
{
    uint64_t busy = to->busy + from->busy;

    for (size_t i = 0; i < TCH_CELL_NAMES; i++)
        if (from->ns[i] > 0)
            add_to(to, from->name[i], from->ns[i]);
    to->busy = busy;
}

/* Returns the number of runs that begin at or before the cell. Most spans are painted in order of
   time, so the search begins at the last run. */
static size_t runs_until(const struct tch_lane_runs *lane, uint32_t cell)
{
    size_t i = lane->count;

    while (i > 0 && lane->runs[i - 1].first > cell)
        i--;
    return i;
}

static uint32_t end_of(const struct tch_cell_run *run)
{
    return run->first + run->count;
}

/* Inserts a run before the i-th. */
static void insert(struct tch_lanes *l, struct tch_lane_runs *lane, size_t i,
                   struct tch_cell_run run)
{
    if (tch_array_reserve(&lane->runs, &lane->room, lane->count + 1) < 0) {
        l->failed = true;
        return;
    }
    memmove(lane->runs + i + 1, lane->runs + i, (lane->count - i) * sizeof *lane->runs);
    lane->runs[i] = run;
    lane->count++;
}

/* Makes a run begin at the cell, if one contains it and begins before. */
static void split(struct tch_lanes *l, struct tch_lane_runs *lane, uint32_t cell)
{
    size_t i = runs_until(lane, cell);
    struct tch_cell_run rest;

    if (i == 0 || lane->runs[i - 1].first == cell || end_of(&lane->runs[i - 1]) <= cell)
        return;
    rest = lane->runs[i - 1];
    rest.count = end_of(&rest) - cell;
    rest.first = cell;
    insert(l, lane, i, rest);
    if (!l->failed)
        lane->runs[i - 1].count -= rest.count;
}

/* Returns a cell that no other cell shares, or NULL when memory ran out. */
static struct tch_cell *cell_at(struct tch_lanes *l, struct tch_lane_runs *lane, uint32_t cell)
{
    size_t i;

    split(l, lane, cell);
    split(l, lane, cell + 1);
    i = runs_until(lane, cell);
    if (i == 0 || lane->runs[i - 1].first != cell)
        insert(l, lane, i++, (struct tch_cell_run){.first = cell, .count = 1});
    return l->failed ? NULL : &lane->runs[i - 1].cell;
}

/* Adds time to `count` cells from `first` on, `ns` to each. */
static void add_to_cells(struct tch_lanes *l, size_t number, uint32_t first, uint32_t count,
                         uint32_t name, uint64_t ns)
{
    struct tch_lane_runs *lane = &l->lanes[number];
    struct tch_cell *cell;

    if (count > 1 && (lane->count == 0 || end_of(&lane->runs[lane->count - 1]) <= first)) {
        struct tch_cell_run run = {.first = first, .count = count};

        add_to(&run.cell, name, ns);
        insert(l, lane, lane->count, run);
        return;
    }
    for (uint32_t i = 0; i < count && (cell = cell_at(l, lane, first + i)) != NULL; i++)
        add_to(cell, name, ns);
}

/* Adds a run to those that a lane will have with half as many cells. */
static void add_half(struct tch_cell_run *half, size_t *count, uint32_t first, uint32_t cells,
                     const struct tch_cell *cell)
{
    if (*count > 0 && half[*count - 1].first == first)
        merge_into(&half[*count - 1].cell, cell);
    else
        half[(*count)++] = (struct tch_cell_run){first, cells, *cell};
}

/* Joins pairs of cells of a lane. A run consists of an odd cell, pairs, and an even cell. */
static void halve_lane(struct tch_lanes *l, struct tch_lane_runs *lane)
{
    struct tch_cell_run half[TCH_LANE_CELLS];
    size_t count = 0;

    for (size_t i = 0; i < lane->count; i++) {
        struct tch_cell_run *run = &lane->runs[i];
        uint32_t from = run->first, to = end_of(run);
        struct tch_cell both = run->cell;

        merge_into(&both, &run->cell);
        if (from % 2 == 1)
            add_half(half, &count, from++ / 2, 1, &run->cell);
        if (to - from > 1)
            add_half(half, &count, from / 2, (to - from) / 2, &both);
        if (from < to && to % 2 == 1)
            add_half(half, &count, to / 2, 1, &run->cell);
    }
    if (tch_array_reserve(&lane->runs, &lane->room, count) < 0) {
        l->failed = true;
        count = 0;
    }
    if (count > 0)
        memcpy(lane->runs, half, count * sizeof *half);
    lane->count = count;
}

/* Halves the number of cells. */
static void halve(struct tch_lanes *l)
{
    for (size_t i = 0; i < l->count; i++)
        halve_lane(l, &l->lanes[i]);
    l->shift++;
}

/* Moves all cells to the right to make room for an earlier time. */
static void make_room_before(struct tch_lanes *l, int64_t ts)
{
    while (ts < l->start) {
        int64_t half;

        halve(l);
        half = (int64_t)(TCH_LANE_CELLS / 2) << l->shift;
        for (size_t i = 0; i < l->count; i++)
            for (size_t k = 0; k < l->lanes[i].count; k++)
                l->lanes[i].runs[k].first += TCH_LANE_CELLS / 2;
        if (l->start < INT64_MIN + half)
            return;
        l->start -= half;
    }
}

static uint64_t cell_of(const struct tch_lanes *l, int64_t ts)
{
    return ((uint64_t)ts - (uint64_t)l->start) >> l->shift;
}

void tch_lanes_paint(struct tch_lanes *l, size_t lane, uint32_t name, int64_t from, int64_t to)
{
    if (to <= from)
        return;
    if (!l->started) {
        l->started = true;
        l->start = from;
    }
    if (from < l->start)
        make_room_before(l, from);
    while (l->shift < 62 && cell_of(l, to - 1) >= TCH_LANE_CELLS)
        halve(l);
    while (from < to) {
        uint64_t cell = cell_of(l, from), last = cell_of(l, to - 1);
        uint64_t edge = (uint64_t)l->start + ((cell + 1) << l->shift);
        int64_t until = (int64_t)edge > from && (int64_t)edge < to ? (int64_t)edge : to;
        bool is_whole = (uint64_t)until - (uint64_t)from == UINT64_C(1) << l->shift;

        if (cell >= TCH_LANE_CELLS)
            return;
        if (is_whole && last > cell + 1 && last < TCH_LANE_CELLS) {
            add_to_cells(l, lane, (uint32_t)cell, (uint32_t)(last - cell), name,
                         UINT64_C(1) << l->shift);
            from = (int64_t)((uint64_t)l->start + (last << l->shift));
            continue;
        }
        add_to_cells(l, lane, (uint32_t)cell, 1, name, (uint64_t)(until - from));
        from = until;
    }
}

uint32_t tch_lanes_column(const struct tch_lanes *l, size_t lane, int64_t first, int64_t last,
                          size_t column, size_t columns, double *share)
{
    double span = (double)last - (double)first, width = (double)(UINT64_C(1) << l->shift);
    double from = (double)first + span * (double)column / (double)columns;
    double to = (double)first + span * (double)(column + 1) / (double)columns;
    double at = (from - (double)l->start) / width, end = (to - (double)l->start) / width;
    const struct tch_lane_runs *row = &l->lanes[lane];
    struct tch_cell sum = {.busy = 0};
    size_t best = 0, cells;

    at = at < 0 ? 0 : (double)(uint64_t)at;
    end = end > TCH_LANE_CELLS ? TCH_LANE_CELLS : ceil(end);
    cells = end > at ? (size_t)(end - at) : 0;
    for (size_t i = 0; i < row->count; i++) {
        const struct tch_cell_run *run = &row->runs[i];

        for (uint32_t k = run->first; k < end_of(run); k++)
            if (k >= at && k < end)
                merge_into(&sum, &run->cell);
    }
    *share = cells > 0 ? (double)sum.busy / (width * (double)cells) : 0;
    for (size_t i = 1; i < TCH_CELL_NAMES; i++)
        if (sum.ns[i] > sum.ns[best])
            best = i;
    return sum.ns[best] > 0 ? sum.name[best] : UINT32_MAX;
}
