/* Keeps, for each cell of a lane, the names that took the most time. The candidates are found by a
   variant of the frequent-items algorithm of Misra and Gries (1982). */

#include "trace_lanes.h"

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
        free(l->lanes[i]);
    free(l->lanes);
    tch_lanes_init(l);
}

int tch_lanes_add(struct tch_lanes *l)
{
    if (tch_array_extend(&l->lanes, l->count) < 0)
        return -1;
    l->lanes[l->count] = calloc(TCH_LANE_CELLS, sizeof **l->lanes);
    if (!l->lanes[l->count])
        return -1;
    l->count++;
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

/* Joins pairs of cells, which halves their number. */
static void halve(struct tch_lanes *l)
{
    for (size_t i = 0; i < l->count; i++) {
        struct tch_cell *cells = l->lanes[i];

        for (size_t k = 0; k < TCH_LANE_CELLS / 2; k++) {
            struct tch_cell both = cells[2 * k];

            merge_into(&both, &cells[2 * k + 1]);
            cells[k] = both;
        }
        memset(cells + TCH_LANE_CELLS / 2, 0, TCH_LANE_CELLS / 2 * sizeof *cells);
    }
    l->shift++;
}

/* Moves all cells to the right to make room for an earlier time. */
static void make_room_before(struct tch_lanes *l, int64_t ts)
{
    while (ts < l->start) {
        int64_t half;

        halve(l);
        half = (int64_t)(TCH_LANE_CELLS / 2) << l->shift;
        for (size_t i = 0; i < l->count; i++) {
            memcpy(l->lanes[i] + TCH_LANE_CELLS / 2, l->lanes[i],
                   TCH_LANE_CELLS / 2 * sizeof **l->lanes);
            memset(l->lanes[i], 0, TCH_LANE_CELLS / 2 * sizeof **l->lanes);
        }
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
        uint64_t cell = cell_of(l, from);
        uint64_t edge = (uint64_t)l->start + ((cell + 1) << l->shift);
        int64_t until = (int64_t)edge > from && (int64_t)edge < to ? (int64_t)edge : to;

        if (cell >= TCH_LANE_CELLS)
            return;
        add_to(&l->lanes[lane][cell], name, (uint64_t)(until - from));
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
    struct tch_cell sum = {.busy = 0};
    size_t best = 0, cells = 0;

    for (double k = at < 0 ? 0 : (double)(uint64_t)at; k < end && k < TCH_LANE_CELLS; k++, cells++)
        merge_into(&sum, &l->lanes[lane][(size_t)k]);
    *share = cells > 0 ? (double)sum.busy / (width * (double)cells) : 0;
    for (size_t i = 1; i < TCH_CELL_NAMES; i++)
        if (sum.ns[i] > sum.ns[best])
            best = i;
    return sum.ns[best] > 0 ? sum.name[best] : UINT32_MAX;
}
