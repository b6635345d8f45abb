/* Tests the overlay of many runs over time. */
#include "support/test.h"

#include <math.h>

#include "kit/report/run_overlay.h"

enum { RUNS = 5, SAMPLES = 11, ALL = RUNS * (SAMPLES + 1) };

/* Five runs of 100 us with a sample every 10 us. Run k has the value k, and at 50 us its peak 10 k.
   The order of the runs is not that of their values. */
static void make_runs(double *x, double *y)
{
    static const int values[RUNS] = {3, 1, 5, 2, 4};

    for (int run = 0; run < RUNS; run++)
        for (int i = 0; i <= SAMPLES; i++) {
            int at = run * (SAMPLES + 1) + i;

            x[at] = i == SAMPLES ? NAN : 10.0 * i;
            y[at] = i == SAMPLES ? NAN : i == 5 ? 10.0 * values[run] : values[run];
        }
}

static void has_median_quartiles_and_the_highest_run(void **state)
{
    double x[ALL];
    double y[ALL];
    struct tch_overlay o;

    (void)state;
    make_runs(x, y);
    assert_int_equal(tch_overlay_runs(y, ALL), RUNS);
    assert_int_equal(tch_overlay_make(&o, x, y, ALL, NULL), 0);
    assert_int_equal(o.runs, RUNS);
    assert_int_equal(o.count, TCH_OVERLAY_POINTS);
    assert_int_equal(o.highest, 2 * (SAMPLES + 1)); /* the third run */
    assert_int_equal(o.highest_count, SAMPLES);
    assert_true(o.peak == 50 && o.longest == 100);
    for (size_t i = 0; i < o.count; i++) {
        double factor = o.x[i] >= 50 && o.x[i] < 60 ? 10 : 1; /* a value holds until the next */

        assert_true(o.median[i] == 3 * factor);
        assert_true(o.low[i] <= 2 * factor && o.high[i] >= 4 * factor);
    }
}

/* A long run does not stand for all after the others have ended. */
static void ends_with_half_of_the_runs(void **state)
{
    const double x[] = {0, 10, NAN, 0, 10, NAN, 0, 10, NAN, 0, 10, 1000};
    const double y[] = {1, 1, NAN, 2, 2, NAN, 3, 3, NAN, 9, 9, 9};
    struct tch_overlay o;

    (void)state;
    assert_int_equal(tch_overlay_make(&o, x, y, 12, NULL), 0);
    assert_true(o.longest == 1000);
    assert_in_range(o.count, 1, 4);
    assert_true(o.x[o.count - 1] <= 10);
}

static int make_once(void *arg)
{
    const double y[] = {1, NAN, 2};
    struct tch_overlay o;
    tacho_error err;

    (void)arg;
    return tch_overlay_make(&o, y, y, 3, &err);
}

static void survives_without_memory(void **state)
{
    (void)state;
    test_every_allocation_fails(make_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_median_quartiles_and_the_highest_run),
        cmocka_unit_test(ends_with_half_of_the_runs),
        cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
