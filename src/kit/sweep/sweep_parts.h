/*
 * The parts of a sweep. A sweep has one part until it is extended by more blocks or by more
 * values of a parameter.
 *
 * Nothing that was measured is measured again. More blocks are a part of all cells. New cells get
 * a part of their own, with as many blocks as the other cells have, in which only they and their
 * baselines run. Cells are compared with each other block by block, so a new cell is compared with
 * an old one only in the blocks of a later part in which both run: otherwise a change of the
 * machine between two parts would look like a difference between cells.
 *
 * sweep.json lists what each command line asked for: the blocks, and the values of all parameters.
 */
#ifndef TCH_SWEEP_PARTS_H
#define TCH_SWEEP_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "sweep_grid.h"
#include "sweep_order.h"

struct tch_part {
    struct tch_order order;
    uint64_t blocks;
    bool *in;         /**< for each cell, whether it runs */
    uint32_t *before; /**< runs of each unit in earlier parts */
};

struct tch_parts {
    struct tch_part *part;
    size_t count;
    uint32_t *total;        /**< runs of each unit in all parts; NULL without parts */
    uint64_t blocks, pairs; /**< in all parts */
    uint64_t repeat;        /**< blocks of each cell */
    bool *in;               /**< for each cell, whether any part has it */
};

/**
 * Adds what a command line asks for: `repeat` blocks of all cells with in[cell]. These include all
 * cells of earlier calls, and repeat is not smaller.
 *
 * @param base  the order without in, before and numbers; its pointers must outlive the parts
 */
int tch_parts_add(struct tch_parts *s, const struct tch_order *base, const bool *in,
                  uint64_t repeat, tacho_error *err);
void tch_parts_release(struct tch_parts *s);

/** Returns the block of a round, which is a tch_step's `pair`. A cell runs at most once per
    block. Without parts, every round is a block. */
uint64_t tch_parts_block_of(const struct tch_parts *s, uint64_t pair);

/** Returns the number of blocks in which every cell runs. */
uint64_t tch_parts_shared(const struct tch_parts *s);

/** Returns the largest number of steps of a block. */
size_t tch_parts_steps(const struct tch_parts *s);

/** Writes one element of "parts" in sweep.json: what a command line asks for. */
void tch_parts_write(struct tch_buf *b, const struct tch_grid *grid, uint64_t repeat);

/**
 * Adds the parts of an array that tch_parts_write() wrote the elements of.
 *
 * @return 0, TACHO_ENOMEM, TACHO_EPARSE, or TACHO_EINVAL: the grid lacks a value of it. `why` then
 * contains "n=3".
 */
int tch_parts_read(struct tch_parts *s, const struct tch_order *base, const struct tch_grid *grid,
                   const char *json, size_t len, struct tch_buf *why, tacho_error *err);

#endif
