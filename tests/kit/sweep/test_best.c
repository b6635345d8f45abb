/* Tests the choice of the best cells by comparisons round by round. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

#include "kit/stats/random.h"
#include "kit/sweep/sweep_results.h"

enum { CELLS = 5, ROUNDS = 20, MANY = 24 };

/* Three measures: wall, memory and score. */
struct table {
    struct tch_sweep sweep;
    struct tch_results r;
    struct tch_measure measures[3];
    struct tch_cell_result cells[MANY];
    struct tch_cell_value values[MANY][3];
    double value[MANY][3][ROUNDS];
    uint64_t pair[ROUNDS];
};

static double normal(uint64_t *seed)
{
    double u = (double)(tch_random_bits(seed) >> 11) * 0x1p-53;
    double v = (double)(tch_random_bits(seed) >> 11) * 0x1p-53;

    return sqrt(-2 * log(1 - u)) * cos(6.283185307179586 * v);
}

static void make(struct table *t, size_t cells, const double (*medians)[3], double noise,
                 uint64_t seed)
{
    *t = (struct table){.sweep = {.cells = cells},
                        .measures = {{.name = (char *)"wall_ns"},
                                     {.name = (char *)"max_rss_bytes"},
                                     {.name = (char *)"score"}}};
    t->r = (struct tch_results){
        .sweep = &t->sweep, .measures = t->measures, .measure_count = 3, .cells = t->cells};
    for (size_t i = 0; i < ROUNDS; i++)
        t->pair[i] = i + 1;
    for (size_t c = 0; c < cells; c++) {
        t->cells[c].value = t->values[c];
        t->cells[c].runs = ROUNDS;
        for (int m = 0; m < 3; m++) {
            for (int i = 0; i < ROUNDS; i++)
                t->value[c][m][i] = medians[c][m] * exp(noise * normal(&seed));
            t->values[c][m] = (struct tch_cell_value){.median = medians[c][m],
                                                      .series = {t->value[c][m], t->pair, ROUNDS}};
        }
    }
}

static void are(const struct table *t, const enum tch_best *want)
{
    for (int i = 0; i < CELLS; i++)
        assert_int_equal(t->cells[i].best, want[i]);
}

static void no_other_beats_them(void **state)
{
    static const double medians[CELLS][3] = {
        {10, 100, 1}, {20, 50, 2}, {40, 20, 3}, {41, 110, 4}, {20.01, 50, 2}};
    const struct tch_sweep_asked both = {.pareto = "wall,memory"};
    struct table t;

    (void)state;
    make(&t, CELLS, medians, 0.02, 1);
    assert_int_equal(tch_results_best(&t.r, &both, NULL), 0);
    are(&t, (const enum tch_best[]){TCH_BEST_YES, TCH_BEST_MAYBE, TCH_BEST_YES, TCH_BEST_NO,
                                    TCH_BEST_MAYBE});
    assert_int_equal(tch_results_best(&t.r, &(struct tch_sweep_asked){0}, NULL), 0);
    are(&t,
        (const enum tch_best[]){TCH_BEST_YES, TCH_BEST_NO, TCH_BEST_NO, TCH_BEST_NO, TCH_BEST_NO});
}

/* Slightly less memory does not make a cell best that is four times as slow. */
static void noise_makes_no_best(void **state)
{
    static const double medians[CELLS][3] = {
        {10, 100, 1}, {40, 99.9, 1}, {40, 99.8, 1}, {40, 99.7, 1}, {40, 99.6, 1}};
    const struct tch_sweep_asked both = {.pareto = "wall,memory"};
    struct table t;

    (void)state;
    make(&t, CELLS, medians, 0.02, 2);
    assert_int_equal(tch_results_best(&t.r, &both, NULL), 0);
    are(&t,
        (const enum tch_best[]){TCH_BEST_YES, TCH_BEST_NO, TCH_BEST_NO, TCH_BEST_NO, TCH_BEST_NO});
}

static void more_may_be_better(void **state)
{
    static const double medians[CELLS][3] = {
        {10, 1, 1}, {20, 1, 2}, {30, 1, 3}, {40, 1, 2.5}, {50, 1, 5}};
    struct table t;

    (void)state;
    make(&t, CELLS, medians, 0.01, 1);
    assert_int_equal(
        tch_results_best(&t.r, &(struct tch_sweep_asked){.pareto = "wall_ns,max:score"}, NULL), 0);
    are(&t, (const enum tch_best[]){TCH_BEST_YES, TCH_BEST_YES, TCH_BEST_YES, TCH_BEST_NO,
                                    TCH_BEST_YES});
    assert_int_equal(tch_results_best(&t.r, &(struct tch_sweep_asked){.pareto = "min:score"}, NULL),
                     0);
    are(&t,
        (const enum tch_best[]){TCH_BEST_YES, TCH_BEST_NO, TCH_BEST_NO, TCH_BEST_NO, TCH_BEST_NO});
}

/* Two parameters: cells 0 and 1 have n = 1, the others n = 2. Measures have the names of tacho
   compare. */
static void each_workload_has_its_best(void **state)
{
    static const double medians[CELLS][3] = {
        {10, 1, 1}, {20, 1, 1}, {1000, 1, 1}, {900, 1, 1}, {2000, 1, 1}};
    struct tch_grid grid = {0};
    struct tch_sweep_plan plan = {.grid = &grid};
    struct tch_sweep_asked asked = {.pareto = "wall", .best_per = "n"};
    tacho_error err;
    struct table t;

    (void)state;
    assert_int_equal(tch_grid_add(&grid, "n=1,2", NULL), 0);
    assert_int_equal(tch_grid_add(&grid, "how=a,b", NULL), 0);
    make(&t, CELLS, medians, 0.01, 1);
    t.sweep.plan = &plan;
    t.sweep.cells = 4;
    assert_int_equal(tch_results_best(&t.r, &asked, NULL), 0);
    are(&t,
        (const enum tch_best[]){TCH_BEST_YES, TCH_BEST_NO, TCH_BEST_NO, TCH_BEST_YES, TCH_BEST_NO});
    asked.best_per = "kb";
    assert_int_equal(tch_results_best(&t.r, &asked, &err), TACHO_EINVAL);
    assert_non_null(strstr(err.message, "no parameter 'kb'"));
    tch_grid_release(&grid);
}

/* None of 24 equal cells is called the best, and a given one stays in the set nearly always. */
static void equal_cells_have_no_best(void **state)
{
    double medians[MANY][3];
    static struct table t;
    size_t left = 0;
    int lost = 0;

    (void)state;
    for (int i = 0; i < MANY; i++)
        medians[i][0] = medians[i][1] = medians[i][2] = 100;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        make(&t, MANY, (const double(*)[3])medians, 0.05, seed);
        assert_int_equal(tch_results_best(&t.r, &(struct tch_sweep_asked){0}, NULL), 0);
        for (int i = 0; i < MANY; i++) {
            assert_int_not_equal(t.cells[i].best, TCH_BEST_YES);
            left += t.cells[i].best == TCH_BEST_MAYBE;
        }
        lost += t.cells[0].best == TCH_BEST_NO;
    }
    printf("of 24 equal cells %.1f are left; a given one is lost in %d of 100\n",
           (double)left / 100, lost);
    assert_true(left > 2200 && lost <= 10);
    medians[7][0] = 85;
    make(&t, MANY, (const double(*)[3])medians, 0.05, 1);
    assert_int_equal(tch_results_best(&t.r, &(struct tch_sweep_asked){0}, NULL), 0);
    assert_int_equal(t.cells[7].best, TCH_BEST_YES);
}

/* Two given cells of 24 rarely share a round, so they are compared block by block. */
static void nine_blocks_name_the_best_of_many(void **state)
{
    enum { BLOCKS = 9, BLOCK_ROUNDS = 3 };
    static uint64_t pairs[MANY][BLOCKS];
    static struct table t;
    bool all[MANY];
    double medians[MANY][3];
    int found = 0;

    (void)state;
    memset(all, true, sizeof all);
    for (int i = 0; i < MANY; i++)
        medians[i][0] = medians[i][1] = medians[i][2] = i == 7 ? 50 : 100;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        const struct tch_order base = {.cells = MANY, .seed = seed};

        make(&t, MANY, (const double(*)[3])medians, 0.1, seed);
        assert_int_equal(tch_parts_add(&t.sweep.parts, &base, all, BLOCKS, NULL), 0);
        assert_int_equal(t.sweep.parts.part[0].order.rounds, BLOCK_ROUNDS);
        for (size_t block = 0; block < BLOCKS; block++) {
            struct tch_step steps[MANY];

            assert_int_equal(tch_order_block(&t.sweep.parts.part[0].order, block, steps, NULL), 0);
            for (size_t i = 0; i < MANY; i++)
                pairs[steps[i].unit][block] = steps[i].pair;
        }
        for (int i = 0; i < MANY; i++)
            t.values[i][0].series = (struct tch_series){t.value[i][0], pairs[i], BLOCKS};
        assert_int_equal(tch_results_best(&t.r, &(struct tch_sweep_asked){0}, NULL), 0);
        found += t.cells[7].best == TCH_BEST_YES;
        tch_parts_release(&t.sweep.parts);
    }
    printf("24 cells, 9 blocks, one at half the cost: found in %d of 100\n", found);
    assert_true(found >= 95);
}

/* Too few rounds distinguish no cells. Values without a logarithm are compared, too. */
static void few_rounds_and_zeros(void **state)
{
    static const double medians[CELLS][3] = {
        {10, 0, 1}, {20, 4, 1}, {30, 4, 1}, {40, 4, 1}, {50, 4, 1}};
    struct table t;

    (void)state;
    make(&t, CELLS, medians, 0.01, 1);
    assert_int_equal(tch_results_best(&t.r, &(struct tch_sweep_asked){.pareto = "memory"}, NULL),
                     0);
    are(&t,
        (const enum tch_best[]){TCH_BEST_YES, TCH_BEST_NO, TCH_BEST_NO, TCH_BEST_NO, TCH_BEST_NO});
    for (int i = 0; i < CELLS; i++)
        t.values[i][0].series.count = 4;
    assert_int_equal(tch_results_best(&t.r, &(struct tch_sweep_asked){0}, NULL), 0);
    are(&t, (const enum tch_best[]){TCH_BEST_MAYBE, TCH_BEST_MAYBE, TCH_BEST_MAYBE, TCH_BEST_MAYBE,
                                    TCH_BEST_MAYBE});
}

static void names_an_unknown_measure(void **state)
{
    static const double medians[CELLS][3] = {{1, 1, 1}};
    struct table t;
    tacho_error err;

    (void)state;
    make(&t, 1, medians, 0, 1);
    assert_int_equal(
        tch_results_best(&t.r, &(struct tch_sweep_asked){.pareto = "wall_ns,max:speed"}, &err),
        TACHO_EINVAL);
    assert_non_null(strstr(err.message, "'speed'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_other_beats_them),
        cmocka_unit_test(noise_makes_no_best),
        cmocka_unit_test(more_may_be_better),
        cmocka_unit_test(each_workload_has_its_best),
        cmocka_unit_test(equal_cells_have_no_best),
        cmocka_unit_test(few_rounds_and_zeros),
        cmocka_unit_test(nine_blocks_name_the_best_of_many),
        cmocka_unit_test(names_an_unknown_measure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
