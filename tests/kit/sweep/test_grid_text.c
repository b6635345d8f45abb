/* Tests grids: parsing, the cells, and filling a cell's values into a text. */
#include "support/test.h"

#include <math.h>

#include "kit/sweep/sweep_grid.h"

static void makes_every_combination_once(void **state)
{
    struct tch_grid grid = {0};
    char name[TCH_CELL_NAME];

    (void)state;
    assert_int_equal(tch_grid_add(&grid, "lambda=0.3,0.5,0.7", NULL), 0);
    assert_int_equal(tch_grid_add(&grid, "tau=0,2", NULL), 0);
    assert_int_equal(tch_grid_cells(&grid), 6);
    tch_grid_name(&grid, 0, tch_grid_all(&grid), "cell", name);
    assert_string_equal(name, "lambda=0.3_tau=0");
    tch_grid_name(&grid, 5, tch_grid_all(&grid), "cell", name);
    assert_string_equal(name, "lambda=0.7_tau=2");
    tch_grid_name(&grid, 5, 2, "baseline", name);
    assert_string_equal(name, "baseline_tau=2");
    tch_grid_name(&grid, 5, 0, "baseline", name);
    assert_string_equal(name, "baseline");
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(tch_grid_index(&grid, i, 0) * tch_grid_step(&grid, 0) +
                             tch_grid_index(&grid, i, 1) * tch_grid_step(&grid, 1),
                         i);
    tch_grid_release(&grid);
}

static void range_is(const char *spec, const char *want)
{
    struct tch_grid grid = {0};
    struct tch_buf b;

    tch_buf_init(&b, 4096);
    assert_int_equal(tch_grid_add_range(&grid, spec, NULL), 0);
    for (size_t i = 0; i < grid.param[0].count; i++)
        tch_buf_addf(&b, "%s%s", i > 0 ? " " : "", grid.param[0].text[i]);
    assert_string_equal(b.data, want);
    assert_true(grid.param[0].numeric);
    tch_buf_release(&b);
    tch_grid_release(&grid);
}

static void ranges_reach_their_end(void **state)
{
    (void)state;
    range_is("n=1:1000:log10", "1 10 100 1000");
    range_is("n=1:16:log2", "1 2 4 8 16");
    range_is("n=1:20:log2", "1 2 4 8 16");
    range_is("n=1:10:log1.5", "1 2 3 5 8");
    range_is("n=0.5:8:log4", "0.5 2 8");
    range_is("n=1:5", "1 2 3 4 5");
    range_is("n=0:1:0.25", "0 0.25 0.5 0.75 1");
    range_is("n=0:0.7:0.1", "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7");
    range_is("n=-2:2:2", "-2 0 2");
    range_is("n=7:7", "7");
}

static void refuses_with_the_reason(void **state)
{
    static const struct {
        const char *spec;
        bool range;
        const char *why;
    } bad[] = {
        {"lambda", false, "not NAME=VALUE"},
        {"=1,2", false, "cannot be a parameter"},
        {"a b=1", false, "cannot be a parameter"},
        {"1a=1", false, "cannot be a parameter"},
        {"runs=1", false, "results.csv has a column"},
        {"a=", false, "empty value"},
        {"a=1,,2", false, "empty value"},
        {"a=1,2,1", false, "twice"},
        {"n=1", true, "not a range"},
        {"n=a:2", true, "not a range"},
        {"n=1:2:", true, "not a range"},
        {"n=1:2:log", true, "not a range"},
        {"n=1:1e999", true, "not a range"},
        {"n=2:1", true, "ends before"},
        {"n=0:10:log10", true, "start above 0"},
        {"n=1:10:log1", true, "base above 1"},
        {"n=1:10:0", true, "step above 0"},
        {"n=1:1000000", true, "10000 cells"},
        {"n=1:9:log1.0000001", true, "too many steps"},
        {"n=1e300:1e308:1", true, "too many steps"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct tch_grid grid = {0};
        tacho_error err;
        int status = bad[i].range ? tch_grid_add_range(&grid, bad[i].spec, &err)
                                  : tch_grid_add(&grid, bad[i].spec, &err);

        assert_true(status < 0);
        if (!strstr(err.message, bad[i].why))
            fail_msg("'%s': %s", bad[i].spec, err.message);
        tch_grid_release(&grid);
    }
}

static void limits_the_product_not_only_the_values(void **state)
{
    struct tch_grid grid = {0};

    (void)state;
    assert_int_equal(tch_grid_add_range(&grid, "a=1:100", NULL), 0);
    assert_int_equal(tch_grid_add_range(&grid, "b=1:100", NULL), 0);
    assert_int_equal(tch_grid_cells(&grid), TCH_GRID_CELLS);
    assert_int_equal(tch_grid_add(&grid, "c=1,2", NULL), TACHO_ELIMIT);
    tch_grid_release(&grid);
}

static void fills_only_parameters_in_braces(void **state)
{
    struct tch_grid grid = {0};
    char *text;

    (void)state;
    assert_int_equal(tch_grid_add(&grid, "n=10,20", NULL), 0);
    assert_int_equal(tch_grid_add(&grid, "mode=a b,c", NULL), 0);
    text = tch_grid_fill(&grid, 2, tch_grid_all(&grid),
                         "awk '{print $1}' --n={n}{n} {mode} {other} {n");
    assert_string_equal(text, "awk '{print $1}' --n=2020 a b {other} {n");
    free(text);
    assert_int_equal(tch_grid_used(&grid, "{mode} {n"), 2);
    assert_int_equal(tch_grid_used(&grid, "{{n}}"), 1);
    assert_int_equal(tch_grid_used(&grid, "nothing"), 0);
    tch_grid_release(&grid);
}

static void names_stay_valid_for_folders(void **state)
{
    struct tch_grid grid = {0};
    char name[TCH_CELL_NAME];

    (void)state;
    assert_int_equal(tch_grid_add(&grid, "path=/etc/passwd,..", NULL), 0);
    tch_grid_name(&grid, 0, 1, "cell", name);
    assert_string_equal(name, "cell-ad61111bd196"); /* sha256sum of the value and a NUL */
    tch_grid_name(&grid, 1, 1, "cell", name);
    assert_string_equal(name, "path=..");
    tch_grid_release(&grid);

    /* Another value before it, as in a sweep that is extended, does not change its name. */
    assert_int_equal(tch_grid_add(&grid, "path=a,/etc/passwd", NULL), 0);
    tch_grid_name(&grid, 1, 1, "cell", name);
    assert_string_equal(name, "cell-ad61111bd196");
    tch_grid_release(&grid);
}

static void fingerprints_numbers_as_numbers(void **state)
{
    struct tch_grid grid = {0};
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 4096);
    assert_int_equal(tch_grid_add(&grid, "x=0.50,1", NULL), 0);
    assert_int_equal(tch_grid_add(&grid, "y=1,one", NULL), 0);
    assert_true(grid.param[0].numeric && !grid.param[1].numeric);
    tch_grid_json(&grid, 0, tch_grid_all(&grid), &b);
    assert_string_equal(b.data, "{\"x\":0.5,\"y\":\"1\"}");
    tch_buf_release(&b);
    tch_grid_release(&grid);
}

static int make_once(void *arg)
{
    struct tch_grid grid = {0};
    int status = tch_grid_add(&grid, "a=1,2", NULL);
    char *text = NULL;

    (void)arg;
    if (status == 0)
        status = tch_grid_add_range(&grid, "n=1:10:log10", NULL);
    if (status == 0 && !(text = tch_grid_fill(&grid, 0, tch_grid_all(&grid), "{a} and {n}")))
        status = TACHO_ENOMEM;
    free(text);
    tch_grid_release(&grid);
    return status;
}

static void survives_without_memory(void **state)
{
    (void)state;
    test_every_allocation_fails(make_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_every_combination_once),
        cmocka_unit_test(ranges_reach_their_end),
        cmocka_unit_test(refuses_with_the_reason),
        cmocka_unit_test(limits_the_product_not_only_the_values),
        cmocka_unit_test(fills_only_parameters_in_braces),
        cmocka_unit_test(names_stay_valid_for_folders),
        cmocka_unit_test(fingerprints_numbers_as_numbers),
        cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
