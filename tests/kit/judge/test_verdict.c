/* The rule: when a row is PASS, WARN, FAIL or INCONCLUSIVE. */
#include "rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

static void each_verdict_has_its_case(void **state)
{
    struct tch_verdict_row row;

    (void)state;
    fill(20, 1.00, 0.01);
    row = row_of(20, 0.05);
    assert_int_equal(verdict_of(&row), TCH_PASS);
    fill(20, 1.15, 0.01);
    row = row_of(20, 0.05);
    assert_int_equal(verdict_of(&row), TCH_FAIL);
    assert_true(row.ratio.low > 1.1 && row.ratio.high < 1.2);
    fill(20, 1.05, 0.03);
    row = row_of(20, 0.05);
    assert_int_equal(verdict_of(&row), TCH_WARN); /* worse, but perhaps by less than 5 % */
    assert_true(row.advised ==
                0); /* it did change, so runs for a PASS with nothing changed do not help */
    fill(20, 1.01, 0.2);
    row = row_of(20, 0.05);
    assert_int_equal(verdict_of(&row), TCH_INCONCLUSIVE);
    assert_true(row.advised > 20);
    fill(20, 0.7, 0.01); /* better is never bad */
    row = row_of(20, 0);
    assert_int_equal(verdict_of(&row), TCH_PASS);
}

static enum tch_verdict equivalence_of(size_t n, double tolerance, bool higher)
{
    struct tch_verdict_row row = row_of(n, tolerance);

    row.budget.equivalent = true;
    row.budget.higher = higher;
    (void)verdict_of(&row);
    assert_true(row.budget.tolerance == tolerance && row.budget.higher == higher);
    return row.verdict;
}

static void equivalence_has_two_bounds(void **state)
{
    static const struct {
        double ratio;
        double noise;
        enum tch_verdict verdict;
    } cases[] = {
        {1, 0.01, TCH_PASS},       {1.15, 0.01, TCH_FAIL},         {0.85, 0.01, TCH_FAIL},
        {0.97, 0, TCH_PASS},       {1 / 1.05, 0, TCH_PASS},        {1.05, 0, TCH_PASS},
        {0.951, 0, TCH_FAIL},      {0.95, 0.03, TCH_INCONCLUSIVE}, {1.05, 0.03, TCH_INCONCLUSIVE},
        {1, 0.2, TCH_INCONCLUSIVE}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fill(20, cases[i].ratio, cases[i].noise);
        assert_int_equal(equivalence_of(20, 0.05, false), cases[i].verdict);
        assert_int_equal(equivalence_of(20, 0.05, true), cases[i].verdict);
    }
    fill(20, 1.015, 0); /* no minimum effect widens the bounds */
    assert_int_equal(equivalence_of(20, 0.01, false), TCH_FAIL);
}

static void more_is_better_if_the_budget_says_so(void **state)
{
    struct tch_verdict_row row;

    (void)state;
    fill(20, 1 / 1.15, 0.01);
    row = row_of(20, 0.05);
    row.budget.higher = true;
    assert_int_equal(verdict_of(&row), TCH_FAIL);
    assert_true(row.ratio.estimate < 0.9 &&
                row.ratio.low < row.ratio.high); /* displayed as b / a */
    fill(20, 1.15, 0.01);
    row = row_of(20, 0.05);
    row.budget.higher = true;
    assert_int_equal(verdict_of(&row), TCH_PASS);
}

static void a_small_effect_never_matters(void **state)
{
    struct tch_verdict_row row;

    (void)state;
    fill(40, 1.01, 0.001); /* clearly 1 % worse */
    row = row_of(40, 0);
    assert_int_equal(verdict_of(&row), TCH_PASS);
    row = row_of(40, 0);
    row.budget.min_effect = 0;
    assert_int_equal(verdict_of(&row), TCH_FAIL);
}

static void the_same_values_pass(void **state)
{
    struct tch_verdict_row row;

    (void)state;
    fill(10, 1, 0.01);
    memcpy(b, a, 10 * sizeof *a);
    row = row_of(10, 0);
    row.budget.min_effect = 0;
    assert_int_equal(verdict_of(&row), TCH_PASS);
    assert_true(row.ratio.low == 1 && row.ratio.high == 1);
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    row = row_of(10, 0);
    assert_int_equal(verdict_of(&row), TCH_PASS);
}

static void a_maximum_is_about_the_quantile(void **state)
{
    struct tch_verdict_row row;

    (void)state;
    fill(20, 1, 0.01);
    row = row_of(20, NAN);
    row.ask = TCH_ASK_MAX;
    row.budget.max = 150;
    assert_int_equal(verdict_of(&row), TCH_PASS);
    row.budget.max = 90;
    assert_int_equal(verdict_of(&row), TCH_FAIL);
    row.budget.max = 100;
    assert_int_equal(verdict_of(&row), TCH_INCONCLUSIVE);
    row.budget.quantile = 0.95; /* 20 runs do not determine the p95 well enough to PASS */
    row.budget.max = 150;
    assert_int_equal(verdict_of(&row), TCH_INCONCLUSIVE);
    assert_int_equal(row.advised, 72);
    row.budget.max = 90;
    assert_int_equal(verdict_of(&row), TCH_FAIL);
    row.budget.quantile = 0.5;
    row.budget.higher = true; /* at least 90 */
    assert_int_equal(verdict_of(&row), TCH_PASS);
    row.budget.max = 150;
    assert_int_equal(verdict_of(&row), TCH_FAIL);
}

/* 9 of 40 runs are within the maximum. In one stretch, the 40 are worth fewer runs. */
static void a_maximum_allows_for_runs_that_depend_on_each_other(void **state)
{
    struct tch_verdict_row row;

    (void)state;
    for (size_t i = 0; i < 40; i++)
        b[i] = 100 + (double)(i * 7 % 5) + (i % 5 == 0 || i == 2 ? -20 : 0);
    row = row_of(40, NAN);
    row.ask = TCH_ASK_MAX;
    row.budget.max = 95;
    assert_int_equal(verdict_of(&row), TCH_FAIL);
    assert_string_equal(row.why, "assumes independent runs");
    for (size_t i = 0; i < 40; i++)
        b[i] = 100 + (double)(i * 7 % 5) + (i < 9 ? -20 : 0);
    row = row_of(40, NAN);
    row.ask = TCH_ASK_MAX;
    row.budget.max = 95;
    assert_int_equal(verdict_of(&row), TCH_INCONCLUSIVE);
    assert_true(row.rho > 0.5);
}

/* Both sides are constant, exactly at the tolerance: rounding decides nothing. */
static void exactly_at_the_tolerance_is_allowed(void **state)
{
    (void)state;
    for (int higher = 0; higher < 2; higher++)
        for (double base = 1; base < 2; base += 0.011) {
            struct tch_verdict_row row;

            for (size_t i = 0; i < 8; i++) {
                a[i] = base;
                b[i] = base * (higher ? 0.98 : 1.02);
            }
            row = row_of(8, 0.02);
            row.budget.higher = higher;
            assert_int_equal(verdict_of(&row), TCH_PASS);
            row = row_of(8, 0.0199999);
            row.budget.min_effect = 0;
            row.budget.higher = higher;
            assert_int_equal(verdict_of(&row), TCH_FAIL);
        }
}

/* The tolerance applies to the change that is shown: 1000 -> 951 is -4.9 %, and 5 % are allowed. */
static void more_is_better_by_the_change_shown(void **state)
{
    struct tch_verdict_row row;

    (void)state;
    for (size_t i = 0; i < 12; i++) {
        a[i] = 1000;
        b[i] = 951;
    }
    row = row_of(12, 0.05);
    row.budget.higher = true;
    assert_int_equal(verdict_of(&row), TCH_PASS);
    row = row_of(12, 0.0489);
    row.budget.higher = true;
    assert_int_equal(verdict_of(&row), TCH_FAIL);
    row = row_of(12, 1.5); /* a loss is at most everything */
    row.budget.higher = true;
    assert_int_equal(verdict_of(&row), TCH_PASS);
}

/* Above TCH_JUDGE_EXACT values the interval is wider, and the answer about the same. */
static void many_values_are_thinned(void **state)
{
    uint64_t seed = 1;
    struct tch_verdict_row row;

    (void)state;
    for (size_t i = 0; i < MOST; i++) {
        a[i] = exp(0.05 * random_normal(&seed));
        b[i] = 1.02 * exp(0.05 * random_normal(&seed));
    }
    for (int paired = 0; paired < 2; paired++) {
        row = row_of(MOST, 0.01);
        row.paired = paired; /* unpaired: with no session spread */
        (void)verdict_of(&row);
        assert_true(row.thinned);
        assert_true(fabs(row.ratio.estimate - 1.02) < 0.001);
        assert_true(row.ratio.low < 1.02 && row.ratio.high > 1.02);
        assert_true(row.ratio.high - row.ratio.low < 0.01);
        assert_int_equal(row.verdict, TCH_FAIL);
    }
}

static void wrong_calls_are_refused(void **state)
{
    struct tch_verdict_row row;

    (void)state;
    fill(10, 1, 0.01);
    row = row_of(10, 0.05);
    assert_int_equal(tch_judge(&row, 1, 0, NULL), TACHO_EINVAL);
    assert_int_equal(tch_judge(&row, 1, 1, NULL), TACHO_EINVAL);
    row.paired = true;
    row.b_count = 9;
    assert_int_equal(tch_judge(&row, 1, 0.05, NULL), TACHO_EINVAL);
    assert_int_equal(tch_judge(NULL, 0, 0.05, NULL), 0);
    assert_int_equal(tch_judge_worst(NULL, 0), TCH_NO_VERDICT);
}

static int judge_once(void *arg)
{
    struct tch_verdict_row rows[3] = {row_of(12, 0.05), row_of(12, 0.05), sessions_of(12, 0.05)};

    (void)arg;
    return tch_judge(rows, 3, 0.05, NULL);
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    fill(12, 1.1, 0.01);
    test_every_allocation_fails(judge_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_verdict_has_its_case),
        cmocka_unit_test(equivalence_has_two_bounds),
        cmocka_unit_test(more_is_better_if_the_budget_says_so),
        cmocka_unit_test(a_small_effect_never_matters),
        cmocka_unit_test(the_same_values_pass),
        cmocka_unit_test(a_maximum_is_about_the_quantile),
        cmocka_unit_test(a_maximum_allows_for_runs_that_depend_on_each_other),
        cmocka_unit_test(exactly_at_the_tolerance_is_allowed),
        cmocka_unit_test(more_is_better_by_the_change_shown),
        cmocka_unit_test(many_values_are_thinned),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(survives_every_allocation_failing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
