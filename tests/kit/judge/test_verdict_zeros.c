/* Judges rows in which some values are 0. */
#include "rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

/* Some values are 0: the differences give a ratio and an interval, and the tolerance applies. */
static void zeros_are_judged_by_differences(void **state)
{
    static const struct {
        double ratio;
        double tolerance;
        enum tch_verdict verdict;
    } cases[] = {{1, 0.05, TCH_PASS},     {1.03, 0.05, TCH_PASS}, {1.04, 0, TCH_FAIL},
                 {1.045, 0.05, TCH_WARN}, {1.15, 0.05, TCH_FAIL}, {1.15, 0.2, TCH_PASS},
                 {1.01, 0, TCH_PASS},     {0.5, 0.05, TCH_PASS}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tch_verdict_row row = row_of(40, cases[i].tolerance);

        fill(40, cases[i].ratio, cases[i].verdict == TCH_WARN ? 0.03 : 0.01);
        a[3] = a[17] = b[17] = b[30] = 0;
        assert_int_equal(verdict_of(&row), cases[i].verdict);
        assert_true(row.has_ratio && row.ratio.low < row.ratio.high);
        assert_true(row.ratio.low <= cases[i].ratio && cases[i].ratio <= row.ratio.high);
        assert_true(fabs(row.ratio.estimate / cases[i].ratio - 1) < 0.02);
        assert_non_null(strstr(row.why, "4 of 80 values are 0"));
        row = row_of(40, cases[i].tolerance); /* the same question with more being better */
        row.budget.higher = true;
        row.a = b;
        row.b = a;
        (void)verdict_of(&row);
        assert_true(row.ratio.low <= 1 / cases[i].ratio && 1 / cases[i].ratio <= row.ratio.high);
    }
}

/* In a report of one metric with zeros, nothing changed: at most alpha of the reports FAIL. */
static void unchanged_zeros_fail_at_most_as_often_as_alpha(void **state)
{
    enum { REPORTS = 2000, PAIRS = 20 };
    uint64_t seed = 5;
    int failed = 0;
    int covered = 0;

    (void)state;
    for (int report = 0; report < REPORTS; report++) {
        struct tch_verdict_row row = row_of(PAIRS, 0);

        for (size_t i = 0; i < PAIRS; i++) { /* counts with many zeros and ties */
            a[i] = floor(exp(1.2 * random_normal(&seed)));
            b[i] = floor(exp(1.2 * random_normal(&seed)));
        }
        row.budget.min_effect = 0;
        failed += verdict_of(&row) == TCH_FAIL;
        covered += row.ratio.low <= 1 && row.ratio.high >= 1;
    }
    assert_in_range(failed, 20, 5 * REPORTS / 100 + 30); /* three standard errors above */
    assert_in_range(covered, 95 * REPORTS / 100 - 30, REPORTS);
}

/* The better side is 0 in every run, so no ratio exists and any difference is worse. */
static void nothing_but_zeros_has_no_ratio(void **state)
{
    struct tch_verdict_row row = row_of(20, 0.05);

    (void)state;
    for (size_t i = 0; i < 20; i++) {
        a[i] = 0;
        b[i] = 10 + (double)(i % 3);
    }
    assert_int_equal(verdict_of(&row), TCH_FAIL);
    assert_false(row.has_ratio);
    assert_non_null(strstr(row.why, "20 of 40 values are 0: there is no ratio"));
    row = row_of(20, 0.05);
    row.a = b;
    row.b = a;
    assert_int_equal(verdict_of(&row), TCH_PASS);
    assert_true(row.has_ratio && row.ratio.estimate == 0);
    row = row_of(20, 0.05);
    row.ask = TCH_ASK_NOTHING; /* said without a tolerance, too */
    (void)verdict_of(&row);
    assert_non_null(strstr(row.why, "there is no ratio"));
    a[0] = -1;
    row = row_of(20, 0.05);
    assert_int_equal(verdict_of(&row), TCH_INCONCLUSIVE);
    assert_non_null(strstr(row.why, "below 0"));
}

/* Two sessions: the session could be the cause of what is worse, and of what is a little better. */
static void zeros_of_two_sessions_are_never_worse(void **state)
{
    struct tch_verdict_row row = sessions_of(20, 0.05);

    (void)state;
    fill(20, 10, 0.01);
    a[4] = 0;
    assert_int_equal(verdict_of(&row), TCH_INCONCLUSIVE);
    assert_non_null(strstr(row.why, "interleav"));
    fill(20, 1, 0.005);
    a[4] = 0;
    row = sessions_of(20, 0.05); /* an interval reaches 7.5 % if sessions differ by 2.6 % */
    assert_int_equal(verdict_of(&row), TCH_INCONCLUSIVE);
    row = sessions_of(20, 0.1);
    assert_int_equal(verdict_of(&row), TCH_PASS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_are_judged_by_differences),
        cmocka_unit_test(unchanged_zeros_fail_at_most_as_often_as_alpha),
        cmocka_unit_test(nothing_but_zeros_has_no_ratio),
        cmocka_unit_test(zeros_of_two_sessions_are_never_worse),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
