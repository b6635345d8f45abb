/* The rule: when a row is PASS, WARN, FAIL or INCONCLUSIVE, and what the report says if it cannot
   decide. */
#include "kit/judge/findings.h"
#include "kit/judge/verdict_rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit/stats/flip.h"
#include "kit/stats/session.h"
#include "random.h"
#include "support/test.h"

enum { MOST = 100000 };

static double a[MOST];
static double b[MOST];

/* Fills in values around 100 and 100 * ratio, with the same pattern of noise on both sides,
   shifted. */
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
        .paired = true,
        .ask = TCH_ASK_RATIO,
        .budget = {.tolerance = tolerance, .min_effect = 0.02, .max = NAN, .quantile = 0.5},
    };
}

/* Makes a row of the same values, not interleaved: two sessions that differ by 2.6 %. */
static struct tch_verdict_row sessions_of(size_t n, double tolerance)
{
    struct tch_verdict_row row = row_of(n, tolerance);

    row.paired = false;
    row.spread = TCH_SESSION_SPREAD;
    return row;
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

static void more_is_better_where_it_is(void **state)
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
    row = row_of(20, 0);
    assert_int_equal(verdict_of(&row), TCH_INCONCLUSIVE);
    for (size_t i = 0; i < 20; i++)
        b[i] = 10 + (double)(i % 3);
    row = sessions_of(20, 0.05); /* the session could be the cause */
    assert_int_equal(verdict_of(&row), TCH_INCONCLUSIVE);
    assert_non_null(strstr(row.why, "interleav"));
}

/* The advice is the number of pairs that PASS if nothing changed. It depends on the spread, not on
   the estimate. Computed here by the formula, with the 10 % quantile of chi-square of 19 degrees of
   freedom. */
static void the_estimate_does_not_change_what_is_advised(void **state)
{
    static const double ratios[] = {0.97, 1, 1.02, 1.04};
    double sum = 0;
    double squares = 0;
    double need;

    (void)state;
    fill(20, 1, 0.2);
    for (size_t i = 0; i < 20; i++) {
        sum += log(b[i] / a[i]);
        squares += log(b[i] / a[i]) * log(b[i] / a[i]);
    }
    squares -= sum * sum / 20;
    need = (1.959964 + 1.281552) / log(1.05);
    need = ceil(need * need * squares / 11.650910 / 0.95 + 1.959964 * 1.959964 / 2);
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        struct tch_verdict_row row;

        fill(20, ratios[i], 0.2);
        row = row_of(20, 0.05);
        assert_int_equal(verdict_of(&row), TCH_INCONCLUSIVE);
        assert_int_equal(row.advised, (uint64_t)need);
    }
}

static void too_few_runs_are_named(void **state)
{
    struct tch_verdict_row rows[4];
    struct tch_verdict_row row;

    (void)state;
    fill(10, 1.5, 0.01);
    row = sessions_of(3, 0.05);
    assert_int_equal(verdict_of(&row), TCH_INCONCLUSIVE);
    assert_int_equal(row.advised, 4);
    row = row_of(5, 0.05);
    assert_int_equal(verdict_of(&row), TCH_INCONCLUSIVE);
    assert_int_equal(row.advised, 6);
    row = row_of(0, 0.05);
    assert_int_equal(verdict_of(&row), TCH_INCONCLUSIVE);
    /* 6 pairs can never FAIL for any of 4 benches, whatever they show. */
    for (size_t i = 0; i < 4; i++) {
        rows[i] = row_of(6, 0.05);
        rows[i].coins = i;
    }
    assert_int_equal(tch_judge(rows, 4, 0.05, NULL), 0);
    assert_int_equal(rows[0].verdict, TCH_INCONCLUSIVE);
    assert_true(rows[0].advised >= 7);
    assert_non_null(strstr(rows[0].why, "6 pairs cannot fail a report of 4 benches"));
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

static void rows_share_one_chance(void **state)
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
static void sessions_make_runs_useless(void **state)
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

/* Pairs do not differ, but the medians of their values do. */
static void other_medians_are_named(void **state)
{
    struct tch_verdict_row row;

    (void)state;
    for (size_t i = 0; i < 20; i++) {
        a[i] = i < 11 ? 100 : 120;
        b[i] = i < 2 ? 120 : a[i];
    }
    row = row_of(20, 0.05);
    assert_int_equal(verdict_of(&row), TCH_PASS);
    assert_string_equal(row.why, "this is the change within pairs; the medians differ by +20.0 %");
    row = row_of(20, 0.25);
    assert_int_equal(verdict_of(&row), TCH_PASS);
    assert_string_equal(row.why, "");
}

/* Both sides have the same median, but b has a long tail. */
static void slow_runs_that_got_slower_are_named(void **state)
{
    struct tch_verdict_row row;
    uint64_t seed = 1;

    (void)state;
    for (size_t i = 0; i < 1000; i++) {
        a[i] = exp(0.05 * random_normal(&seed));
        b[i] = 0.99 * exp(0.1 * (-log(random_share(&seed)) - log(2)));
    }
    row = row_of(1000, 0);
    row.budget.min_effect = 0;
    assert_int_equal(verdict_of(&row), TCH_FAIL);
    assert_true(row.b_median < row.a_median && row.ratio.low > 1);
    assert_string_equal(row.why, "the middle runs are alike, the slow runs of B are slower");
    for (size_t i = 0; i < 40;
         i++) { /* medians that differ by less than the minimum effect, and a WARN */
        a[i] = 1000 + (double)(i % 10);
        b[i] = i % 20 < 9 ? 1300 + (double)(i % 7) : 1005 + (double)(i % 10);
    }
    row = row_of(40, 0.05);
    assert_int_equal(verdict_of(&row), TCH_WARN);
    assert_true(row.b_median > row.a_median);
    assert_string_equal(row.why, "the middle runs are alike, the slow runs of B are slower");
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

/* The report fails if memory runs out for a sentence. */
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

/* --- The smallest change that would have been seen --- */

/* Judges n interleaved runs with 5 % noise; b is changed. */
static struct tch_verdict_row judge_noise(uint64_t *seed, size_t n, double change, double tolerance,
                                          bool higher)
{
    struct tch_verdict_row row = row_of(n, tolerance);

    for (size_t i = 0; i < n; i++) {
        a[i] = exp(0.05 * random_normal(seed));
        b[i] = (1 + change) * exp(0.05 * random_normal(seed));
    }
    row.budget.higher = higher;
    verdict_of(&row);
    return row;
}

/* The change that reports with nothing changed name, on average, is a FAIL in nine of ten
   reports. */
static void names_the_change_that_it_would_have_seen(void **state)
{
    static const struct {
        size_t n;
        double tolerance;
        bool higher;
    } cases[] = {{20, 0, false}, {20, 0.05, false}, {20, 0.05, true}, {40, 0.02, false}};
    uint64_t seed = 341;

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double sees = 0;
        size_t named = 0;
        size_t found = 0;

        for (int i = 0; i < 400; i++) {
            struct tch_verdict_row row =
                judge_noise(&seed, cases[k].n, 0, cases[k].tolerance, cases[k].higher);

            if (row.verdict != TCH_PASS && row.verdict != TCH_INCONCLUSIVE)
                continue;
            sees += row.sees;
            named++;
        }
        sees /= (double)named;
        assert_true(cases[k].higher ? sees < 0 : sees > cases[k].tolerance);
        for (int i = 0; i < 400; i++)
            found +=
                judge_noise(&seed, cases[k].n, sees, cases[k].tolerance, cases[k].higher).verdict ==
                TCH_FAIL;
        assert_in_range(found, 330, 390); /* 82 to 97 % */
    }
}

static void names_no_change_where_there_is_none_to_name(void **state)
{
    uint64_t seed = 342;
    struct tch_verdict_row row = judge_noise(&seed, 20, 0.5, 0.05, false);

    (void)state;
    assert_int_equal(row.verdict, TCH_FAIL);
    assert_true(isnan(row.sees));
    row = judge_noise(&seed, 5, 0, 0.05, false); /* too few for an interval */
    assert_int_equal(row.verdict, TCH_INCONCLUSIVE);
    assert_true(isnan(row.sees));
    fill(20, 1, 0);
    row = row_of(20, 0.05);
    assert_int_equal(verdict_of(&row), TCH_PASS); /* without noise the tolerance is the limit */
    assert_true(fabs(row.sees - 0.05) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loses_no_sentence),
        cmocka_unit_test(each_verdict_has_its_case),
        cmocka_unit_test(equivalence_has_two_bounds),
        cmocka_unit_test(both_directions_share_alpha),
        cmocka_unit_test(more_is_better_where_it_is),
        cmocka_unit_test(a_small_effect_never_matters),
        cmocka_unit_test(the_same_values_pass),
        cmocka_unit_test(zeros_have_no_ratio_and_a_verdict),
        cmocka_unit_test(the_estimate_does_not_change_what_is_advised),
        cmocka_unit_test(too_few_runs_are_named),
        cmocka_unit_test(a_maximum_is_about_the_quantile),
        cmocka_unit_test(rows_share_one_chance),
        cmocka_unit_test(rows_that_share_coins_are_judged_jointly),
        cmocka_unit_test(sessions_widen),
        cmocka_unit_test(sessions_make_runs_useless),
        cmocka_unit_test(drift_and_dependent_runs_are_refused),
        cmocka_unit_test(exactly_at_the_tolerance_is_allowed),
        cmocka_unit_test(more_is_better_by_the_change_shown),
        cmocka_unit_test(other_medians_are_named),
        cmocka_unit_test(slow_runs_that_got_slower_are_named),
        cmocka_unit_test(analyses_share_alpha),
        cmocka_unit_test(many_values_are_thinned),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(survives_every_allocation_failing),
        cmocka_unit_test(names_the_change_that_it_would_have_seen),
        cmocka_unit_test(names_no_change_where_there_is_none_to_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
