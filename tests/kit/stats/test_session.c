/* Two sessions: Student's t, dependence, trend, and the session term. */
#include "support/test.h"

#include <math.h>

#include "kit/stats/session.h"

static bool is_near(double x, double y)
{
    return fabs(x - y) <= 1e-9 * fmax(1, fabs(y));
}

static void knows_students_t_with_4_degrees(void **state)
{
    /* Tables: 5 % at 2.132, 2.5 % at 2.776, 0.05 % at 8.610. */
    static const double table[][2] = {{0.05, 2.1318467863},
                                      {0.025, 2.7764451052},
                                      {0.0025, 5.5975683670},
                                      {0.0005, 8.6103015814}};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_true(is_near(tch_t4_cut(table[i][0]), table[i][1]));
        assert_true(is_near(tch_t4_above(table[i][1]), table[i][0]));
        assert_true(is_near(tch_t4_above(-table[i][1]), 1 - table[i][0]));
    }
    assert_true(tch_t4_above(0) == 0.5 && is_near(tch_t4_cut(0.5), 0));
    assert_true(tch_t4_above(1e6) > 0 && tch_t4_above(1e6) < 2e-23);
}

static void sees_runs_that_depend_on_each_other(void **state)
{
    static const double steps[] = {1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1, 1, 2, 2, 2, 2};
    static const double turns[] = {1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2};
    static const double same[] = {3, 3, 3, 3};
    double room[32];

    (void)state;
    assert_true(tch_session_lag1(steps, 16, room) > 0.5);
    assert_true(tch_session_lag1(turns, 16, room) < -0.9);
    assert_true(tch_session_lag1(same, 4, room) == 0 && tch_session_lag1(same, 1, room) == 0);
    assert_true(is_near(tch_session_rho(0, 20), 0.05 / 0.85));
    assert_true(tch_session_rho(-0.9, 20) == 0 && tch_session_rho(1, 20) == 0.95);
    assert_true(is_near(tch_session_inflation(0.5), 3) && tch_session_inflation(0) == 1);
}

static void sees_a_trend(void **state)
{
    static const double up[] = {1, 2, 3, 4, 5};
    static const double down[] = {5, 4, 3, 2, 1};

    (void)state;
    assert_true(is_near(tch_session_trend(up, 5, up, 5), sqrt(2) * 10 / sqrt(5 * 4 * 15 / 18.0)));
    assert_true(tch_session_trend(up, 5, down, 5) == 0);
    assert_true(tch_session_trend(down, 5, down, 5) < -TCH_SESSION_TREND);
}

/* With constant sides only the session term is left. */
static void sessions_widen(void **state)
{
    static const double a[] = {50, 50, 50, 50, 50, 50};
    static const double b[] = {56, 56, 56, 56, 56, 56};
    struct tch_ratio r;

    (void)state;
    assert_int_equal(tch_ratio_unpaired(a, 6, b, 6, 0.05, 1, &r, NULL), 0);
    tch_session_widen(&r, 0.3, 0.026, 0.05, 1);
    assert_true(is_near(r.p_above, tch_t4_above(log(1.12) / 0.026)) && r.p_more == r.p_above);
    assert_true(is_near(r.low, 1.12 * exp(-2.7764451052 * 0.026)));
    assert_true(is_near(r.high, 1.12 * exp(2.7764451052 * 0.026)) && r.level == 0.95);
    assert_int_equal(tch_ratio_unpaired(a, 6, b, 6, 0.05, 1, &r, NULL), 0);
    tch_session_widen(&r, 0.3, 0.026, 0.05, 1.12);
    assert_true(is_near(r.p_above, 0.5) && r.p_more < 0.01);
    assert_int_equal(tch_ratio_unpaired(a, 6, b, 6, 0.05, 1, &r, NULL), 0);
    tch_session_widen(&r, 0, 0, 0.05, 1.12);
    assert_true(r.p_above == 1 && r.p_more == 0);
}

static void three_runs_have_no_standard_error(void **state)
{
    static const double a[] = {50, 51, 52};
    struct tch_ratio r;

    (void)state;
    assert_int_equal(tch_ratio_unpaired(a, 3, a, 3, 0.05, 1, &r, NULL), 0);
    tch_session_widen(&r, 0, 0.026, 0.05, 1);
    assert_true(r.level == 0 && r.p_above == 1 && r.p_more == 1 && r.p == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_students_t_with_4_degrees),
        cmocka_unit_test(sees_runs_that_depend_on_each_other),
        cmocka_unit_test(sees_a_trend),
        cmocka_unit_test(sessions_widen),
        cmocka_unit_test(three_runs_have_no_standard_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
