/* Judges runs that were not interleaved: sessions differ, and runs may depend on each other. */
#include "rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void sessions_widen(void **state)
{
    struct tch_verdict_row near;
    struct tch_verdict_row far;

    (void)state;
    fill(20, 1.09, 0.01);
    near = row_of(20, 0.05);
    far = sessions_of(20, 0.05);
    assert_int_equal(verdict_of(&near), TCH_FAIL);
    assert_int_equal(verdict_of(&far), TCH_WARN);
    assert_true(far.ratio.low < near.ratio.low && far.ratio.high > near.ratio.high);
    assert_true(fabs(far.ratio.estimate - near.ratio.estimate) < 0.01);
    far = sessions_of(20, 0.05);
    far.spread = 0.005; /* a session spread that the user gives */
    assert_int_equal(verdict_of(&far), TCH_FAIL);
    fill(20, 1.5, 0.01);
    far = sessions_of(20, 0.05);
    assert_int_equal(verdict_of(&far), TCH_FAIL);
}

/* If the session term alone is wider than the tolerance, more runs help only an estimate that is
   far from the tolerance. */
static void more_runs_do_not_narrow_the_session_term(void **state)
{
    static const struct {
        double change;
        double spread;
        enum tch_verdict verdict;
        bool useless;
    } cases[] = {
        {1.00, 0.026, TCH_INCONCLUSIVE, true},  {1.09, 0.026, TCH_WARN, true},
        {1.03, 0.015, TCH_INCONCLUSIVE, false}, /* an interval of +-4.3 % fits */
        {0.90, 0.026, TCH_PASS, false},         {1.30, 0.026, TCH_FAIL, false},
        {1.01, 0.026, TCH_INCONCLUSIVE, false}, /* much noise: more runs may change everything */
    };
    struct tch_budget budget = {.higher = false};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t n = cases[i].change == 1.01 ? 4 : 20;
        struct tch_verdict_row row;

        fill(n, cases[i].change, n == 4 ? 0.04 : 0.001);
        row = sessions_of(n, 0.05);
        row.spread = cases[i].spread;
        assert_int_equal(verdict_of(&row), cases[i].verdict);
        assert_int_equal(row.runs_useless, cases[i].useless);
        assert_int_equal(strstr(row.why, "more runs do not help") != NULL, cases[i].useless);
        assert_int_equal(strstr(row.why, "more runs cannot make it PASS") != NULL,
                         cases[i].change == 1.01);
    }
    assert_true(fabs(tch_session_reach(&budget, 0.026, 0.05) - 0.07486) < 1e-4);
    budget.higher = true;
    assert_true(fabs(tch_session_reach(&budget, 0.026, 0.05) - 0.06965) < 1e-4);
}

static void drift_and_dependent_runs_are_refused(void **state)
{
    struct tch_verdict_row row;

    (void)state;
    for (size_t i = 0; i < 20; i++) { /* ever slower; a was measured first */
        a[i] = 100 + 2 * (double)i + (double)(i * 7 % 3);
        b[i] = 140 + 2 * (double)i + (double)(i * 5 % 3);
    }
    row = sessions_of(20, 0.05);
    assert_int_equal(verdict_of(&row), TCH_INCONCLUSIVE);
    assert_true(row.rho >= TCH_SESSION_DEPENDENT && row.trend >= TCH_SESSION_TREND);
    assert_non_null(strstr(row.why, "depend on each other"));
    for (size_t i = 0; i < 20; i++) { /* the same trend with much noise */
        a[i] = 100 + (double)i / 2 + (i % 2 ? 6 : 0);
        b[i] = 150 + (double)i / 2 + (i % 2 ? 6 : 0);
    }
    row = sessions_of(20, 0.05);
    assert_int_equal(verdict_of(&row), TCH_INCONCLUSIVE);
    assert_non_null(strstr(row.why, "got worse and worse"));
    row = sessions_of(20, 0.05);
    row.budget.higher = true; /* then it got better and better, and b is better */
    assert_int_equal(verdict_of(&row), TCH_PASS);
}

static void a_burst_on_one_side_is_refused(void **state)
{
    struct tch_verdict_row row;

    (void)state;
    fill(20, 1.3, 0.01);
    row = sessions_of(20, 0.05);
    assert_int_equal(verdict_of(&row), TCH_FAIL);
    for (size_t i = 0; i < 20; i++) /* 13 of the runs of b are disturbed, one after the other */
        b[i] = a[i] * (i >= 4 && i < 17 ? 1.3 : 1);
    row = sessions_of(20, 0.05);
    assert_int_equal(verdict_of(&row), TCH_INCONCLUSIVE);
    assert_true(row.rho < TCH_SESSION_DEPENDENT && row.side_rho >= TCH_SESSION_DEPENDENT);
    assert_non_null(strstr(row.why, "runs of one side depend on each other"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions_widen),
        cmocka_unit_test(more_runs_do_not_narrow_the_session_term),
        cmocka_unit_test(drift_and_dependent_runs_are_refused),
        cmocka_unit_test(a_burst_on_one_side_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
