/* The order of a sweep's runs. */
#include "sweep_order.h"

#include "base/fail.h"
#include "kit/stats/random.h"

static size_t rounds_of(size_t cells)
{
    return (cells + TCH_ROUND_CELLS - 1) / TCH_ROUND_CELLS;
}

static bool takes_part(const struct tch_order *order, size_t cell, size_t baseline)
{
    return (!order->in || order->in[cell]) &&
           (order->baselines == 0 || order->baseline[cell] == baseline);
}

size_t tch_order_rounds(const struct tch_order *order, size_t baseline)
{
    size_t cells = 0;

    for (size_t i = 0; i < order->cells; i++)
        cells += takes_part(order, i, baseline);
    return rounds_of(cells);
}

void tch_order_init(struct tch_order *order)
{
    order->rounds = order->steps = 0;
    for (size_t b = 0; b < (order->baselines > 0 ? order->baselines : 1); b++)
        order->rounds += tch_order_rounds(order, b);
    for (size_t i = 0; i < order->cells; i++)
        order->steps += !order->in || order->in[i];
    order->steps += order->baselines > 0 ? order->rounds : 0;
}

/* A round: some cells that share a baseline. */
struct round {
    uint32_t first; /* index into the cells sorted by baseline */
    uint32_t count;
    uint32_t baseline;
    uint32_t of; /* rounds of that baseline per block */
};

/* Sorts the cells by baseline, shuffles the cells of each baseline, and splits them into rounds of
   about the same size. */
static void make_rounds(const struct tch_order *order, uint32_t *cells, struct round *rounds,
                        uint64_t *state)
{
    size_t n = 0;
    size_t r = 0;

    for (size_t b = 0; b < (order->baselines > 0 ? order->baselines : 1); b++) {
        size_t from = n;
        size_t parts;

        for (size_t i = 0; i < order->cells; i++)
            if (takes_part(order, i, b))
                cells[n++] = (uint32_t)i;
        tch_random_shuffle(state, cells + from, n - from);
        parts = rounds_of(n - from);
        for (size_t k = 0; k < parts; k++) {
            size_t begin = from + (n - from) * k / parts;
            size_t end = from + (n - from) * (k + 1) / parts;

            rounds[r++] = (struct round){.first = (uint32_t)begin,
                                         .count = (uint32_t)(end - begin),
                                         .baseline = (uint32_t)b,
                                         .of = (uint32_t)parts};
        }
    }
}

/* Returns a step; `run` counts from the first block of this order. */
static struct tch_step step_of(const struct tch_order *order, size_t unit, uint64_t run,
                               uint32_t pair)
{
    return (struct tch_step){.unit = (uint32_t)unit,
                             .run = (uint32_t)run + (order->before ? order->before[unit] : 0),
                             .pair = pair};
}

/* Lists the steps of a block. A baseline runs once in each of its rounds, and its runs are numbered
   in the order of the rounds. */
static void order_steps(const struct tch_order *order, uint64_t block, uint32_t *memory,
                        struct round *rounds, struct tch_step *steps)
{
    uint32_t *cells = memory;
    uint32_t *turn = memory + order->cells;
    uint32_t *seen = turn + order->rounds; /* rounds so far, per baseline */
    uint64_t state = order->seed ^ (order->blocks_before + block + 1) * 0xD1342543DE82EF95u;
    size_t n = 0;

    make_rounds(order, cells, rounds, &state);
    for (size_t i = 0; i < order->rounds; i++)
        turn[i] = (uint32_t)i;
    tch_random_shuffle(&state, turn, order->rounds);
    for (size_t i = 0; i < order->rounds; i++) {
        const struct round *r = &rounds[turn[i]];
        uint32_t pair = (uint32_t)(order->pairs_before + block * order->rounds + i + 1);
        size_t place = order->baselines > 0 ? tch_random_below(&state, r->count + 1u) : SIZE_MAX;

        for (size_t k = 0; k <= r->count; k++) {
            if (k == place)
                steps[n++] = step_of(order, order->cells + r->baseline,
                                     block * r->of + ++seen[r->baseline], pair);
            if (k < r->count)
                steps[n++] = step_of(order, cells[r->first + k], block + 1, pair);
        }
    }
}

int tch_order_block(const struct tch_order *order, uint64_t block, struct tch_step *steps,
                    tacho_error *err)
{
    uint32_t *memory = calloc(order->cells + order->rounds + order->baselines + 1, sizeof *memory);
    struct round *rounds = calloc(order->rounds + 1, sizeof *rounds);
    int status = 0;

    if (!memory || !rounds)
        status = tch_fail_memory(err);
    else
        order_steps(order, block, memory, rounds, steps);
    free(memory);
    free(rounds);
    return status;
}
