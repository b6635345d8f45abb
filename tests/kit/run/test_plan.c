/* Tests when the precision is checked, and CPU lists. */
#include "support/test.h"

#include "kit/run/plan/run_plan.h"

static void checks_after_10_20_40_runs_and_at_the_end(void **state)
{
    unsigned checks = 0;

    (void)state;
    for (uint64_t n = 0; n <= 1000; n++)
        checks += tch_precision_check_due(n, 1000);
    assert_int_equal(checks, tch_precision_checks(1000));
    assert_int_equal(checks, 8);
    assert_true(tch_precision_check_due(10, 1000) && tch_precision_check_due(640, 1000));
    assert_true(tch_precision_check_due(1000, 1000));
    assert_false(tch_precision_check_due(11, 1000) || tch_precision_check_due(5, 1000));
    assert_int_equal(tch_precision_checks(5), 1);
    assert_true(tch_precision_check_due(5, 5));
}

static void spends_the_alpha_that_the_checks_left(void **state)
{
    (void)state;
    assert_float_equal(tch_precision_alpha_left(0, 1000), 0.05, 1e-15);
    assert_float_equal(tch_precision_alpha_left(10, 1000), 0.05,
                       1e-15); /* no check before this one */
    assert_float_equal(tch_precision_alpha_left(11, 1000), TCH_PRECISION_CHECK_ALPHA, 1e-15);
    assert_float_equal(tch_precision_alpha_left(1000, 1000), TCH_PRECISION_CHECK_ALPHA, 1e-15);
    assert_float_equal(tch_precision_check_alpha(1000), TCH_PRECISION_CHECK_ALPHA, 1e-15);
    assert_float_equal(tch_precision_check_alpha(10), 0.05, 1e-15); /* one check alone */
    assert_float_equal(tch_precision_alpha_left(5, 5), 0.05, 1e-15);
}

static void reads_cpu_lists(void **state)
{
    static const char *const bad[] = {"", "a", "1-", "-1", "3-1", "1,,2", "1,", "99999"};
    cpu_set_t set;

    (void)state;
    assert_int_equal(tch_parse_cpus("0-2,5", &set), 0);
    assert_int_equal(CPU_COUNT(&set), 4);
    assert_true(CPU_ISSET(0, &set) && CPU_ISSET(2, &set) && CPU_ISSET(5, &set));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(tch_parse_cpus(bad[i], &set), TACHO_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_after_10_20_40_runs_and_at_the_end),
        cmocka_unit_test(spends_the_alpha_that_the_checks_left),
        cmocka_unit_test(reads_cpu_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
