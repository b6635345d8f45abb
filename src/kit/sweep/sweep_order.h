/*
 * The order in which a sweep runs: in blocks, each of which runs every cell once in a new random
 * order.
 *
 * A drift (heat, neighbours, the time of day) then affects all cells alike. With a baseline, a
 * block consists of rounds of a few cells. The baseline runs once in each round, at a random
 * position, and a cell is compared with the baseline of the same round.
 *
 * The same grid and seed give the same order, block by block. A killed sweep therefore continues
 * where it stopped. A sweep that was extended has several parts, each with its own order
 * (sweep_parts.h), whose blocks, rounds and runs are numbered on from those of the part before.
 */
#ifndef TCH_SWEEP_ORDER_H
#define TCH_SWEEP_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

enum { TCH_ROUND_CELLS = 8 };

/** One run to make. */
struct tch_step {
    uint32_t unit; /**< a cell, or cells + the number of a baseline */
    uint32_t run;  /**< which of its runs, from 1 */
    uint32_t pair; /**< the round, numbered from 1 through all blocks of all parts */
};

struct tch_order {
    size_t cells;
    size_t baselines;         /**< may be 0 */
    const uint32_t *baseline; /**< number of each cell's baseline; ignored without baselines */
    uint64_t seed;
    const bool *in;         /**< for each cell, whether it runs; NULL: all do */
    const uint32_t *before; /**< runs of each unit before the first block; NULL: none */
    uint64_t blocks_before;
    uint64_t pairs_before;
    size_t rounds; /**< number per block; set by tch_order_init() */
    size_t steps;  /**< number per block; set by tch_order_init() */
};

void tch_order_init(struct tch_order *order);

/** Returns the number of rounds that a baseline, or all cells without one, need per block. */
size_t tch_order_rounds(const struct tch_order *order, size_t baseline);

/** Writes the steps of block `block` (from 0) to `steps`, which has room for order->steps. Returns
    0 or TACHO_ENOMEM. */
int tch_order_block(const struct tch_order *order, uint64_t block, struct tch_step *steps,
                    tacho_error *err);

#endif
