/* Corrects the p-values of a report for the number of its questions and analyses. */
#include "rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

/* The p of two sessions counts twice if two directions are tested. */
static void both_directions_share_alpha(void **state)
{
    struct tch_verdict_row row = sessions_of(20, 0.05);
    double p;

    (void)state;
    fill(20, 1.1, 0.01);
    (void)verdict_of(&row);
    p = row.p_adjusted;
    assert_true(p > 0 && p < 0.5);
    row = sessions_of(20, 0.05);
    row.budget.equivalent = true;
    (void)verdict_of(&row);
    assert_true(fabs(row.p_adjusted - 2 * p) < 1e-12);
    assert_true(fabs(row.p - 2 * p) < 1e-12);
}

static void rows_share_one_alpha(void **state)
{
    struct tch_verdict_row rows[40];
    size_t failed = 0;
    uint64_t seed = 3;

    (void)state;
    /* A p between 0.05 / 40 and 0.05: alone it FAILs, among 40 it does not. */
    for (size_t i = 0; i < 10; i++) {
        a[i] = 100 + random_normal(&seed);
        b[i] = 102.2 + random_normal(&seed);
    }
    rows[0] = row_of(10, 0);
    rows[0].budget.min_effect = 0;
    assert_int_equal(verdict_of(&rows[0]), TCH_FAIL);
    for (size_t i = 0; i < 40; i++) {
        rows[i] = row_of(10, i == 0 ? 0 : 0.5);
        rows[i].budget.min_effect = 0;
        rows[i].coins = i;
    }
    assert_int_equal(tch_judge(rows, 40, 0.05, NULL), 0);
    for (size_t i = 0; i < 40; i++)
        failed += rows[i].verdict == TCH_FAIL;
    assert_true(rows[0].p_adjusted >= 39 * rows[0].p || rows[0].p_adjusted == 1);
    assert_true(failed == (rows[0].p * 40 <= 0.05));
    assert_int_equal(tch_judge_worst(rows, 40), failed ? TCH_FAIL : TCH_INCONCLUSIVE);
    /* Rows without a budget do not count. */
    for (size_t i = 1; i < 40; i++)
        rows[i].ask = TCH_ASK_NOTHING;
    rows[0] = row_of(10, 0);
    rows[0].budget.min_effect = 0;
    assert_int_equal(tch_judge(rows, 40, 0.05, NULL), 0);
    assert_int_equal(rows[0].verdict, TCH_FAIL);
}

/* Metrics with the same values are one question if they share their coins, and several if they do
   not. */
static void rows_that_share_coins_are_judged_jointly(void **state)
{
    struct tch_verdict_row rows[20];
    double alone;

    (void)state;
    fill(12, 1.03, 0.05);
    rows[0] = row_of(12, 0);
    (void)verdict_of(&rows[0]);
    alone = rows[0].p;
    assert_true(alone > 0.0025 && alone < 0.05);
    for (int apart = 0; apart < 2; apart++) {
        for (size_t i = 0; i < 20; i++) {
            rows[i] = row_of(12, 0);
            rows[i].coins = apart ? i : 7;
        }
        assert_int_equal(tch_judge(rows, 20, 0.05, NULL), 0);
        if (apart)
            assert_true(fabs(rows[0].p_adjusted - fmin(1, 20 * alone)) < 1e-12);
        else
            assert_true(fabs(rows[0].p_adjusted - alone) < 0.02);
    }
}

/* Interim analyses share alpha by the square of their share of the runs. Intervals hold over all of
   them. */
static void analyses_share_alpha(void **state)
{
    static const struct tch_analyses first = {{0.25}, 0};
    static const struct tch_analyses last = {{0.25, 0.5, 1}, 2};
    struct tch_verdict_row early;
    struct tch_verdict_row late;
    struct tch_verdict_row once;

    (void)state;
    fill(12, 1.10, 0.04);
    once = row_of(12, 0.05);
    early = once;
    early.analyses = &first;
    late = once;
    late.analyses = &last;
    (void)verdict_of(&once);
    (void)verdict_of(&early);
    (void)verdict_of(&late);
    assert_true(fabs(early.p_adjusted - 16 * once.p) < 0.01 * once.p);
    assert_true(late.p_adjusted > 1.05 * once.p && late.p_adjusted < 1.4 * once.p);
    assert_true(early.ratio.low < late.ratio.low && late.ratio.low <= once.ratio.low);
    assert_true(early.ratio.level == 0.95 && late.ratio.level == 0.95);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_directions_share_alpha),
        cmocka_unit_test(rows_share_one_alpha),
        cmocka_unit_test(rows_that_share_coins_are_judged_jointly),
        cmocka_unit_test(analyses_share_alpha),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
