/* Tests layouts: the spread within and between them, and one value per layout. */
#include "support/test.h"

#include <math.h>

#include "kit/result/layouts.h"
#include "kit/run/run.h"

static void add_run(struct tch_result *r, uint64_t layout, double wall)
{
    uint64_t number = r->run_count + 1;
    struct tch_result_run run = {.run = number, .pair = number, .layout = layout};

    assert_int_equal(tch_result_add_run(r, &run, NULL), 0);
    r->columns[TCH_WALL].value[r->run_count - 1] = wall;
}

/* Layouts at 0, 1 and 2 on the scale of logarithms, runs at -0.1 and +0.1: the sums of squares are
   0.06 within (3 degrees of freedom) and 4 between (2), so the variances are 0.02 and
   (2 - 0.02) / 2. */
static void splits_the_variance(void **state)
{
    struct tch_result r;
    struct tch_layout_spread s;

    (void)state;
    assert_int_equal(tch_result_init(&r, NULL), 0);
    for (int layout = 0; layout < 3; layout++) {
        add_run(&r, (uint64_t)layout + 1, exp(layout - 0.1));
        add_run(&r, (uint64_t)layout + 1, exp(layout + 0.1));
    }
    tch_layout_spread(&r, TCH_WALL, &s);
    assert_int_equal(s.layouts, 3);
    assert_int_equal(s.runs, 6);
    assert_float_equal(s.within, sqrt(0.02), 1e-12);
    assert_float_equal(s.between, sqrt(0.99), 1e-12);
    tch_result_release(&r);
}

/* With one run of each layout, the spread within and between layouts cannot be separated. */
static void needs_two_runs_of_a_layout(void **state)
{
    struct tch_result r;
    struct tch_layout_spread s;

    (void)state;
    assert_int_equal(tch_result_init(&r, NULL), 0);
    tch_layout_spread(&r, TCH_WALL, &s);
    assert_int_equal(s.layouts, 0);
    for (uint64_t layout = 1; layout <= 4; layout++)
        add_run(&r, layout, (double)layout);
    tch_layout_spread(&r, TCH_WALL, &s);
    assert_int_equal(s.layouts, 4);
    assert_true(isnan(s.within) && isnan(s.between));
    tch_result_release(&r);
}

static void a_layout_is_the_median_of_its_runs(void **state)
{
    double values[] = {5, 1, 3, 10, 20, 7};
    uint64_t layout[] = {1, 1, 1, 2, 2, 4};

    (void)state;
    assert_int_equal(tch_layout_medians(values, layout, 6), 3);
    assert_float_equal(values[0], 3, 0);
    assert_float_equal(values[1], 15, 0);
    assert_float_equal(values[2], 7, 0);
    assert_int_equal(layout[2], 4);
    layout[0] = 0; /* not linked again */
    assert_int_equal(tch_layout_medians(values, layout, 6), 6);
}

static void rounds_are_in_blocks(void **state)
{
    struct tch_run_plan plan = {.layouts = 4, .layout_runs = 3};

    (void)state;
    assert_int_equal(tch_run_layout_of(&plan, 1), 1);
    assert_int_equal(tch_run_layout_of(&plan, 3), 1);
    assert_int_equal(tch_run_layout_of(&plan, 4), 2);
    plan.layouts = 0;
    assert_int_equal(tch_run_layout_of(&plan, 4), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_the_variance),
        cmocka_unit_test(needs_two_runs_of_a_layout),
        cmocka_unit_test(a_layout_is_the_median_of_its_runs),
        cmocka_unit_test(rounds_are_in_blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
