/* Intervals of values that depend on the value before. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "kit/stats/dependence.h"
#include "kit/stats/random.h"
#include "kit/stats/session.h"

enum { RUNS = 50, REPORTS = 2000 };

static double normal(uint64_t *seed)
{
    double u = ((double)(tch_random_bits(seed) >> 11) + 0.5) * 0x1p-53;
    double v = ((double)(tch_random_bits(seed) >> 11) + 0.5) * 0x1p-53;

    return sqrt(-2 * log(u)) * cos(6.28318530717958648 * v);
}

/* Returns the share of reports whose interval contains the true median, 0. *ranks: the mean
   distance between the ranks of the ends. */
static double covered(double ar, bool allow, double *ranks)
{
    double x[RUNS];
    double room[2 * RUNS];
    uint64_t seed = 7;
    size_t held = 0;

    *ranks = 0;
    for (int r = 0; r < REPORTS; r++) {
        struct tch_rank_interval at;
        double before = normal(&seed);
        double rho;

        for (int i = 0; i < RUNS; i++)
            x[i] = before = ar * before + sqrt(1 - ar * ar) * normal(&seed);
        rho = allow ? tch_dependence(x, RUNS, room) : 0;
        (void)tch_dependent_interval(RUNS, 0.5, 0.05, rho, &at, NULL);
        tch_sort(x, RUNS);
        held += x[at.low] <= 0 && x[at.high] >= 0;
        *ranks += (double)(at.high - at.low) / REPORTS;
    }
    return (double)held / REPORTS;
}

static void covers_the_median_of_dependent_values(void **state)
{
    double ranks;

    (void)state;
    assert_true(covered(0.5, false, &ranks) < 0.88); /* what would be claimed otherwise */
    assert_true(covered(0.5, true, &ranks) > 0.92);
    assert_true(covered(0.8, true, &ranks) > 0.92);
}

static void is_hardly_wider_for_independent_values(void **state)
{
    double plain;
    double ranks;

    (void)state;
    covered(0, false, &plain);
    assert_true(covered(0, true, &ranks) > 0.95);
    assert_true(ranks < 1.1 * plain);
}

static void needs_more_values_if_they_depend_on_each_other(void **state)
{
    struct tch_rank_interval plain;
    struct tch_rank_interval at;
    tacho_error err;

    (void)state;
    assert_int_equal(tch_quantile_interval(40, 0.5, 0.05, &plain, NULL), 0);
    assert_int_equal(tch_dependent_interval(40, 0.5, 0.05, 0, &at, NULL), 0);
    assert_memory_equal(&at, &plain, sizeof at);
    assert_int_equal(tch_dependent_interval(40, 0.5, 0.05, 0.5, &at, NULL), 0);
    assert_true(at.low < plain.low && at.high > plain.high && at.level == plain.level);
    assert_int_equal(tch_dependent_interval(40, 0.5, 0.05, 0.95, &at, &err), TACHO_EINVAL);
    assert_true(at.low == 0 && at.high == 39 && at.level == 0);
    assert_non_null(strstr(err.message, "depend on each other"));
}

static void sees_no_dependence_in_few_or_equal_values(void **state)
{
    double x[30];
    double room[60];

    (void)state;
    for (int i = 0; i < 30; i++)
        x[i] = i;
    assert_true(tch_dependence(x, 19, room) == 0);
    assert_true(tch_dependence(x, 30, room) > TCH_DEPENDENCE_STRONG);
    for (int i = 0; i < 30; i++)
        x[i] = i % 2;
    assert_true(tch_dependence(x, 30, room) == 0);
    for (int i = 0; i < 30; i++)
        x[i] = 0;
    assert_true(tch_dependence(x, 30, room) == 0);
    assert_string_equal(tch_dependence_assumed(49, 0), "independent runs");
    assert_string_equal(tch_dependence_assumed(500, 0.95), "weaker dependence");
    assert_null(tch_dependence_assumed(50, 0.5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(covers_the_median_of_dependent_values),
        cmocka_unit_test(is_hardly_wider_for_independent_values),
        cmocka_unit_test(needs_more_values_if_they_depend_on_each_other),
        cmocka_unit_test(sees_no_dependence_in_few_or_equal_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
