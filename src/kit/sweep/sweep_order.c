/* The order of a sweep's runs. */
#include "sweep_order.h"

#include "base/fail.h"
#include "kit/stats/random.h"

static size_t rounds_of(size_t cells)
{
    return (cells + TCH_ROUND_CELLS - 1) / TCH_ROUND_CELLS;
}

void tch_order_init(struct tch_order *order)
{
    order->rounds = order->baselines == 0 ? rounds_of(order->cells) : 0;
    for (size_t b = 0; b < order->baselines; b++) {
        size_t cells = 0;

        for (size_t i = 0; i < order->cells; i++)
            cells += order->baseline[i] == b;
        order->rounds += rounds_of(cells);
    }
    order->steps = order->cells + (order->baselines > 0 ? order->rounds : 0);
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
            if (order->baselines == 0 || order->baseline[i] == b)
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

/* Lists the steps of a block. A baseline runs once in each of its rounds, and its runs are numbered
   in the order of the rounds. */
static void order_steps(const struct tch_order *order, uint64_t block, uint32_t *memory,
                        struct round *rounds, struct tch_step *steps)
{
    uint32_t *cells = memory;
    uint32_t *turn = memory + order->cells;
    uint32_t *seen = turn + order->rounds; /* rounds so far, per baseline */
    uint64_t state = order->seed ^ (block + 1) * 0xD1342543DE82EF95u;
    size_t n = 0;

    make_rounds(order, cells, rounds, &state);
    for (size_t i = 0; i < order->rounds; i++)
        turn[i] = (uint32_t)i;
    tch_random_shuffle(&state, turn, order->rounds);
    for (size_t i = 0; i < order->rounds; i++) {
        const struct round *r = &rounds[turn[i]];
        uint32_t pair = (uint32_t)(block * order->rounds + i + 1);
        size_t place = order->baselines > 0 ? tch_random_below(&state, r->count + 1u) : SIZE_MAX;

        for (size_t k = 0; k <= r->count; k++) {
            if (k == place)
                steps[n++] =
                    (struct tch_step){.unit = (uint32_t)order->cells + r->baseline,
                                      .run = (uint32_t)(block * r->of + ++seen[r->baseline]),
                                      .pair = pair};
            if (k < r->count)
                steps[n++] = (struct tch_step){
                    .unit = cells[r->first + k], .run = (uint32_t)(block + 1), .pair = pair};
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
