/*
 * In which order a sweep runs: blocks, each of them every cell once, shuffled anew.
 *
 * What drifts meanwhile (heat, neighbours, the time of day) so falls on all cells alike. With a
 * baseline a block is made of rounds of a few cells, and in each round the baseline is run once,
 * at a place of its own: a cell is compared with the baseline of the same round.
 *
 * The same grid and seed give the same order, block by block, so that a sweep that was killed goes
 * on where it was.
 */
#ifndef TCH_SWEEP_ORDER_H
#define TCH_SWEEP_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

enum { TCH_ROUND_CELLS = 8 };

/** One run that is to be made. */
struct tch_step {
    uint32_t unit; /**< a cell, or cells + the number of a baseline */
    uint32_t run;  /**< which of its runs, from 1 */
    uint32_t pair; /**< the round, from 1, counted through all blocks */
};

struct tch_order {
    size_t cells;
    size_t baselines;         /**< may be 0 */
    const uint32_t *baseline; /**< of each cell; without baselines not looked at */
    uint64_t seed;
    size_t rounds; /**< in a block; set by tch_order_init() */
    size_t steps;  /**< in a block; likewise */
};

void tch_order_init(struct tch_order *order);

/** The steps of block `block` (from 0); room for order->steps. 0 or TACHO_ENOMEM. */
int tch_order_block(const struct tch_order *order, uint64_t block, struct tch_step *steps,
                    tacho_error *err);

#endif
