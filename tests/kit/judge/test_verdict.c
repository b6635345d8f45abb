/* The rule: what is PASS, WARN, FAIL, INCONCLUSIVE, and what is said when it cannot be told. */
#include "kit/judge/findings.h"
#include "kit/judge/verdict_rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit/stats/flip.h"
#include "random.h"
#include "support/test.h"

enum { MOST = 100000 };

static double a[MOST];
static double b[MOST];

/* Values around 100 and 100 * ratio; the same pattern of noise on both sides, shifted. */
static void fill(size_t n, double ratio, double noise)
{
    for (size_t i = 0; i < n; i++) {
        a[i] = 100 * (1 + noise * ((double)(i * 7 % 11) / 5 - 1));
        b[i] = 100 * ratio * (1 + noise * ((double)(i * 5 % 13) / 6 - 1));
    }
}

static struct tch_verdict_row row_of(size_t n, double tolerance)
{
    return (struct tch_verdict_row){
        .a = a,
        .a_count = n,
        .b = b,
        .b_count = n,
        .ask = TCH_ASK_RATIO,
        .budget = {.tolerance = tolerance, .min_effect = 0.02, .max = NAN, .quantile = 0.5},
    };
}

static enum tch_verdict verdict_of(struct tch_verdict_row *row)
{
    assert_int_equal(tch_judge(row, 1, 0.05, NULL), 0);
    return row->verdict;
}

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
    assert_true(row.settle == 0 || row.settle > 20);
    fill(20, 1.01, 0.2);
    row = row_of(20, 0.05);
    assert_int_equal(verdict_of(&row), TCH_INCONCLUSIVE);
    assert_true(row.settle > 20);
    fill(20, 0.7, 0.01); /* better is never bad */
    row = row_of(20, 0);
    assert_int_equal(verdict_of(&row), TCH_PASS);
}

static void more_is_better_where_it_is(void **state)
{
    struct tch_verdict_row row;

    (void)state;
    fill(20, 1 / 1.15, 0.01);
    row = row_of(20, 0.05);
    row.budget.higher = true;
    assert_int_equal(verdict_of(&row), TCH_FAIL);
    assert_true(row.ratio.estimate < 0.9 && row.ratio.low < row.ratio.high); /* b / a for people */
    fill(20, 1.15, 0.01);
    row = row_of(20, 0.05);
    row.budget.higher = true;
    assert_int_equal(verdict_of(&row), TCH_PASS);
}

static void a_small_effect_never_matters(void **state)
{
    struct tch_verdict_row row;

    (void)state;
    fill(40, 1.01, 0.001); /* 1 % worse, beyond doubt */
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
    row.paired = true;
    row.budget.min_effect = 0;
    assert_int_equal(verdict_of(&row), TCH_PASS);
    assert_true(row.ratio.low == 1 && row.ratio.high == 1);
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    row = row_of(10, 0);
    assert_int_equal(verdict_of(&row), TCH_PASS);
}

static void zeros_have_no_ratio_and_a_verdict(void **state)
{
    struct tch_verdict_row row;

    (void)state;
    for (size_t i = 0; i < 20; i++) {
        a[i] = (double)(i % 3);
        b[i] = 10 + (double)(i % 3);
    }
    row = row_of(20, 0.05);
    assert_int_equal(verdict_of(&row), TCH_FAIL);
    assert_false(row.has_ratio);
    assert_non_null(strstr(row.why, "0"));
    row = row_of(20, 0.05);
    row.a = b;
    row.b = a;
    assert_int_equal(verdict_of(&row), TCH_PASS);
    b[0] = 0;
    memcpy(b, a, 20 * sizeof *a);
    b[0] = 1;
    row = row_of(20, 0.05);
    assert_int_equal(verdict_of(&row), TCH_INCONCLUSIVE);
}

static void too_few_runs_are_named(void **state)
{
    struct tch_verdict_row rows[4];
    struct tch_verdict_row row;

    (void)state;
    fill(10, 1.5, 0.01);
    row = row_of(3, 0.05);
    assert_int_equal(verdict_of(&row), TCH_INCONCLUSIVE);
    assert_int_equal(row.settle, 4);
    row = row_of(5, 0.05);
    row.paired = true;
    assert_int_equal(verdict_of(&row), TCH_INCONCLUSIVE);
    assert_int_equal(row.settle, 6);
    row = row_of(0, 0.05);
    assert_int_equal(verdict_of(&row), TCH_INCONCLUSIVE);
    /* 6 pairs can never fail any of 4 metrics, whatever they show. */
    for (size_t i = 0; i < 4; i++) {
        rows[i] = row_of(6, 0.05);
        rows[i].paired = true;
    }
    assert_int_equal(tch_judge(rows, 4, 0.05, NULL), 0);
    assert_int_equal(rows[0].verdict, TCH_WARN);
    assert_true(rows[0].settle >= 7);
    assert_non_null(strstr(rows[0].why, "6 pairs cannot fail 4 metrics"));
    assert_int_equal(tch_judge_least_runs(true, 0.05, 1), 6);
    assert_int_equal(tch_judge_least_runs(true, 0.05, 26), 10);
    assert_int_equal(tch_judge_least_runs(true, 0.05, 52), 11);
    assert_true(tch_flip_least(11) * 52 <= 0.05);
    assert_true(tch_flip_least(10) * 52 > 0.05);
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
    row.budget.quantile = 0.95; /* of 20 runs nobody knows the p95 well enough to pass */
    row.budget.max = 150;
    assert_int_equal(verdict_of(&row), TCH_INCONCLUSIVE);
    assert_int_equal(row.settle, 72);
    row.budget.max = 90;
    assert_int_equal(verdict_of(&row), TCH_FAIL);
    row.budget.quantile = 0.5;
    row.budget.higher = true; /* at least 90 */
    assert_int_equal(verdict_of(&row), TCH_PASS);
    row.budget.max = 150;
    assert_int_equal(verdict_of(&row), TCH_FAIL);
}

static void rows_share_one_chance(void **state)
{
    struct tch_verdict_row rows[40];
    size_t failed = 0;
    uint64_t seed = 3;

    (void)state;
    /* A p between 0.05 / 40 and 0.05: alone it fails, among 40 it does not. */
    for (size_t i = 0; i < 10; i++) {
        a[i] = 100 + random_normal(&seed);
        b[i] = 102.2 + random_normal(&seed);
    }
    rows[0] = row_of(10, 0);
    rows[0].budget.min_effect = 0;
    assert_int_equal(verdict_of(&rows[0]), TCH_FAIL);
    assert_true(rows[0].p > 0.05 / 40 / 40);
    for (size_t i = 0; i < 40; i++) {
        rows[i] = row_of(10, i == 0 ? 0 : 0.5);
        rows[i].budget.min_effect = 0;
    }
    assert_int_equal(tch_judge(rows, 40, 0.05, NULL), 0);
    for (size_t i = 0; i < 40; i++)
        failed += rows[i].verdict == TCH_FAIL;
    assert_true(rows[0].p_adjusted >= 39 * rows[0].p || rows[0].p_adjusted == 1);
    assert_true(failed == (rows[0].p * 40 <= 0.05));
    assert_int_equal(tch_judge_worst(rows, 40), failed ? TCH_FAIL : TCH_WARN);
    /* Rows without a budget have no part in it. */
    for (size_t i = 1; i < 40; i++)
        rows[i].ask = TCH_ASK_NOTHING;
    rows[0] = row_of(10, 0);
    rows[0].budget.min_effect = 0;
    assert_int_equal(tch_judge(rows, 40, 0.05, NULL), 0);
    assert_int_equal(rows[0].verdict, TCH_FAIL);
}

static void occasions_widen(void **state)
{
    struct tch_verdict_row near;
    struct tch_verdict_row far;

    (void)state;
    fill(20, 1.12, 0.01);
    near = row_of(20, 0.05);
    far = row_of(20, 0.05);
    far.spread = 0.05;
    assert_int_equal(verdict_of(&near), TCH_FAIL);
    assert_int_not_equal(verdict_of(&far), TCH_FAIL);
    assert_true(far.ratio.low < near.ratio.low && far.ratio.high > near.ratio.high);
    assert_true(far.ratio.estimate == near.ratio.estimate);
    fill(20, 1.5, 0.01);
    far = row_of(20, 0.05);
    far.spread = 0.05;
    assert_int_equal(verdict_of(&far), TCH_FAIL);
}

/* Above TCH_JUDGE_EXACT values the answer is wider, and about the same. */
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
        row.paired = paired;
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
    struct tch_verdict_row rows[2] = {row_of(12, 0.05), row_of(12, 0.05)};

    (void)arg;
    rows[1].paired = true;
    return tch_judge(rows, 2, 0.05, NULL);
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    fill(12, 1.1, 0.01);
    test_every_allocation_fails(judge_once, NULL);
}

/* A sentence that there is no memory for fails the report. */
static int note_once(void *arg)
{
    struct tch_findings f;
    int status;

    (void)arg;
    tch_findings_init(&f, "compare");
    tch_findings_note(&f, "%s was not measured", "wall");
    tch_findings_problem(&f, "%s has no baseline", "a");
    status = tch_findings_judge(&f, 0.05, NULL);
    if (status == 0)
        assert_true(f.note_count == 1 && f.problem_count == 1);
    tch_findings_release(&f);
    return status;
}

static void loses_no_sentence(void **state)
{
    (void)state;
    test_every_allocation_fails(note_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loses_no_sentence),
        cmocka_unit_test(each_verdict_has_its_case),
        cmocka_unit_test(more_is_better_where_it_is),
        cmocka_unit_test(a_small_effect_never_matters),
        cmocka_unit_test(the_same_values_pass),
        cmocka_unit_test(zeros_have_no_ratio_and_a_verdict),
        cmocka_unit_test(too_few_runs_are_named),
        cmocka_unit_test(a_maximum_is_about_the_quantile),
        cmocka_unit_test(rows_share_one_chance),
        cmocka_unit_test(occasions_widen),
        cmocka_unit_test(many_values_are_thinned),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(survives_every_allocation_failing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
