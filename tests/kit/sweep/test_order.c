/* Tests the order of a sweep: every cell once per block, the baseline in every round, no bias by
   drift. */
#include "support/test.h"

#include <math.h>

#include "kit/sweep/sweep_order.h"

enum { CELLS = 30, BLOCKS = 400, STEPS_MOST = 100 };

static struct tch_order order_of(size_t baselines, const uint32_t *baseline, uint64_t seed)
{
    struct tch_order order = {
        .cells = CELLS, .baselines = baselines, .baseline = baseline, .seed = seed};

    tch_order_init(&order);
    assert_in_range(order.steps, CELLS, STEPS_MOST);
    return order;
}

static void every_block_has_every_cell_once(void **state)
{
    struct tch_order order = order_of(0, NULL, 7);
    struct tch_step steps[STEPS_MOST];

    (void)state;
    assert_int_equal(order.steps, CELLS);
    for (uint64_t block = 0; block < BLOCKS; block++) {
        unsigned seen[CELLS] = {0};

        assert_int_equal(tch_order_block(&order, block, steps, NULL), 0);
        for (size_t i = 0; i < order.steps; i++) {
            assert_int_equal(steps[i].run, block + 1);
            seen[steps[i].unit]++;
        }
        for (size_t i = 0; i < CELLS; i++)
            assert_int_equal(seen[i], 1);
    }
}

static void a_baseline_is_in_every_round_of_its_cells(void **state)
{
    uint32_t baseline[CELLS];
    uint32_t runs[3] = {0};
    struct tch_step steps[STEPS_MOST];
    struct tch_order order;
    uint32_t last_pair = 0;

    (void)state;
    for (uint32_t i = 0; i < CELLS; i++)
        baseline[i] = i % 3;
    order = order_of(3, baseline, 1);
    assert_int_equal(order.rounds, 6); /* ten cells each, at most eight per round */
    for (uint64_t block = 0; block < 20; block++) {
        assert_int_equal(tch_order_block(&order, block, steps, NULL), 0);
        for (size_t i = 0; i < order.steps;) {
            size_t bases = 0;
            size_t end = i;
            uint32_t which = 0;

            assert_int_equal(steps[i].pair, ++last_pair);
            for (; end < order.steps && steps[end].pair == last_pair; end++)
                if (steps[end].unit >= CELLS) {
                    which = steps[end].unit - CELLS;
                    bases++;
                    assert_int_equal(steps[end].run, ++runs[which]);
                }
            assert_int_equal(bases, 1);
            for (; i < end; i++)
                assert_true(steps[i].unit == CELLS + which || baseline[steps[i].unit] == which);
        }
    }
    assert_int_equal(last_pair, 20 * order.rounds);
}

static void only_the_seed_decides_the_order(void **state)
{
    struct tch_order one = order_of(0, NULL, 1);
    struct tch_order two = order_of(0, NULL, 2);
    struct tch_step a[STEPS_MOST] = {0};
    struct tch_step b[STEPS_MOST] = {0};

    (void)state;
    assert_int_equal(tch_order_block(&one, 5, a, NULL), 0);
    assert_int_equal(tch_order_block(&one, 5, b, NULL), 0);
    assert_memory_equal(a, b, sizeof a);
    assert_int_equal(tch_order_block(&two, 5, b, NULL), 0);
    assert_memory_not_equal(a, b, sizeof a);
    assert_int_equal(tch_order_block(&one, 6, b, NULL), 0);
    assert_memory_not_equal(a, b, sizeof a);
}

/* A machine that gets slower with every run makes no cell look slower than another. The mean
   position of each cell is that of all within four standard errors; the seed fixes the order. */
static void drift_affects_all_cells_alike(void **state)
{
    struct tch_order order = order_of(0, NULL, 3);
    struct tch_step steps[STEPS_MOST];
    double sum[CELLS] = {0};
    double middle = (CELLS - 1) / 2.0;
    double error = sqrt((CELLS * CELLS - 1) / 12.0 / BLOCKS);

    (void)state;
    for (uint64_t block = 0; block < BLOCKS; block++) {
        assert_int_equal(tch_order_block(&order, block, steps, NULL), 0);
        for (size_t i = 0; i < order.steps; i++)
            sum[steps[i].unit] += (double)i;
    }
    for (size_t i = 0; i < CELLS; i++)
        assert_true(fabs(sum[i] / BLOCKS - middle) < 4 * error);
}

static int lay_out_once(void *arg)
{
    struct tch_order order = order_of(0, NULL, 3);
    struct tch_step steps[STEPS_MOST];

    (void)arg;
    return tch_order_block(&order, 0, steps, NULL);
}

static void survives_without_memory(void **state)
{
    (void)state;
    test_every_allocation_fails(lay_out_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_has_every_cell_once),
        cmocka_unit_test(a_baseline_is_in_every_round_of_its_cells),
        cmocka_unit_test(only_the_seed_decides_the_order),
        cmocka_unit_test(drift_affects_all_cells_alike),
        cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
