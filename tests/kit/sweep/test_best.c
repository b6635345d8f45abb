/* The best cells: by medians, and by what the intervals leave open. */
#include "support/test.h"

#include "kit/sweep/sweep_results.h"

enum { CELLS = 5 };

/* wall, memory and score of each cell; the intervals reach 5 % to both sides. */
static void set(struct tch_cell_value *v, const double *medians, double width)
{
    for (int i = 0; i < 3; i++)
        v[i] = (struct tch_cell_value){.median = medians[i],
                                       .low = medians[i] * (1 - width),
                                       .high = medians[i] * (1 + width),
                                       .level = 0.95};
}

struct table {
    struct tch_sweep sweep;
    struct tch_results r;
    struct tch_measure measures[3];
    struct tch_cell_result cells[CELLS];
    struct tch_cell_value values[CELLS][3];
};

static void make(struct table *t, const double medians[CELLS][3], double width)
{
    *t = (struct table){.sweep = {.cells = CELLS},
                        .measures = {{.name = (char *)"wall_ns"},
                                     {.name = (char *)"max_rss_bytes"},
                                     {.name = (char *)"score"}}};
    t->r = (struct tch_results){
        .sweep = &t->sweep, .measures = t->measures, .measure_count = 3, .cells = t->cells};
    for (int i = 0; i < CELLS; i++) {
        t->cells[i].value = t->values[i];
        set(t->values[i], medians[i], width);
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
        {10, 100, 1}, {20, 50, 2}, {40, 20, 3}, {41, 110, 4}, {20.1, 50, 2}};
    struct table t;

    (void)state;
    make(&t, medians, 0.05);
    assert_int_equal(tch_results_best(&t.r, &(struct tch_sweep_asked){0}, NULL), 0);
    are(&t, (const enum tch_best[]){TCH_BEST_YES, TCH_BEST_YES, TCH_BEST_YES, TCH_BEST_NO,
                                    TCH_BEST_MAYBE});
}

/* More memory by a hair is no merit of a cell that is four times as slow. */
static void noise_makes_no_best(void **state)
{
    static const double medians[CELLS][3] = {
        {10, 100, 1}, {40, 99.9, 1}, {40, 99.8, 1}, {40, 99.7, 1}, {40, 99.6, 1}};
    struct table t;

    (void)state;
    make(&t, medians, 0.05);
    assert_int_equal(tch_results_best(&t.r, &(struct tch_sweep_asked){0}, NULL), 0);
    are(&t,
        (const enum tch_best[]){TCH_BEST_YES, TCH_BEST_NO, TCH_BEST_NO, TCH_BEST_NO, TCH_BEST_NO});
}

static void more_may_be_better(void **state)
{
    static const double medians[CELLS][3] = {
        {10, 1, 1}, {20, 1, 2}, {30, 1, 3}, {40, 1, 2.5}, {50, 1, 5}};
    struct table t;

    (void)state;
    make(&t, medians, 0.01);
    assert_int_equal(
        tch_results_best(&t.r, &(struct tch_sweep_asked){.pareto = "wall_ns,max:score"}, NULL), 0);
    are(&t, (const enum tch_best[]){TCH_BEST_YES, TCH_BEST_YES, TCH_BEST_YES, TCH_BEST_NO,
                                    TCH_BEST_YES});
    assert_int_equal(tch_results_best(&t.r, &(struct tch_sweep_asked){.pareto = "min:score"}, NULL),
                     0);
    are(&t,
        (const enum tch_best[]){TCH_BEST_YES, TCH_BEST_NO, TCH_BEST_NO, TCH_BEST_NO, TCH_BEST_NO});
}

/* Two parameters: cells 0 and 1 have n = 1, the others n = 2; names as those of compare. */
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
    make(&t, medians, 0.01);
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

static void names_what_was_not_measured(void **state)
{
    static const double medians[CELLS][3] = {{1, 1, 1}};
    struct table t;
    tacho_error err;

    (void)state;
    make(&t, medians, 0);
    assert_int_equal(
        tch_results_best(&t.r, &(struct tch_sweep_asked){.pareto = "wall_ns,max:speed"}, &err),
        TACHO_EINVAL);
    assert_non_null(strstr(err.message, "'speed'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_other_beats_them),         cmocka_unit_test(noise_makes_no_best),
        cmocka_unit_test(more_may_be_better),          cmocka_unit_test(each_workload_has_its_best),
        cmocka_unit_test(names_what_was_not_measured),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
