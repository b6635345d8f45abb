/* Checks what a verdict says besides its word: remarks and advised runs. */
#include "rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit/judge/run_compare.h"
#include "kit/stats/flip.h"
#include "kit/stats/random.h"
#include "random.h"

/* The advice is the number of pairs that PASS if nothing changed. It depends on the noise, not on
   the estimate: half of these 20 pairs differ by 20 %. */
static void the_advised_runs_ignore_the_estimate(void **state)
{
    static const double ratios[] = {0.97, 1, 1.02, 1.04};
    uint64_t advised = 0;

    (void)state;
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        struct tch_verdict_row row;

        fill(20, ratios[i], 0.2);
        row = row_of(20, 0.05);
        assert_int_equal(verdict_of(&row), TCH_INCONCLUSIVE);
        assert_true(i == 0 || row.advised == advised);
        advised = row.advised;
    }
    assert_in_range(advised, 21, 400);
}

/* A few runs that take three times as long do not make the advice grow without limit. */
static void the_advised_runs_are_robust(void **state)
{
    uint64_t seed = 344;
    size_t large = 0;
    size_t open = 0;

    (void)state;
    for (int k = 0; k < 200; k++) {
        struct tch_verdict_row row = row_of(20, 0.05);

        for (size_t i = 0; i < 20; i++) {
            a[i] = exp(0.02 * random_normal(&seed)) * (tch_random_below(&seed, 10) ? 1 : 3);
            b[i] = exp(0.02 * random_normal(&seed)) * (tch_random_below(&seed, 10) ? 1 : 3);
        }
        if (verdict_of(&row) != TCH_INCONCLUSIVE)
            continue;
        open++;
        large += row.advised > 100;
    }
    assert_true(open > 10 && large < 10);
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

/* Pairs do not differ, but the medians of their values do. */
static void medians_that_differ_from_the_pairs_are_named(void **state)
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

/* A minimum effect above the tolerance decides, so the row names it. */
static void names_the_minimum_effect_that_decided(void **state)
{
    struct tch_verdict_row row;

    (void)state;
    fill(20, 1.012, 0.001);
    row = row_of(20, 0.01);
    assert_int_equal(verdict_of(&row), TCH_PASS);
    assert_string_equal(row.why,
                        "judged by the minimum effect of 2 %, which is above the tolerance");
    row.budget.min_effect = tch_budget_least_effect(&row.budget);
    assert_true(row.budget.min_effect == 0.01);
    assert_int_equal(verdict_of(&row), TCH_FAIL);
    fill(20, 1.001, 0.001);
    row = row_of(20, 0.01); /* the tolerance alone would have decided in the same way */
    row.why[0] = '\0';
    assert_int_equal(verdict_of(&row), TCH_PASS);
    assert_string_equal(row.why, "");
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

static void a_lost_sentence_fails_the_report(void **state)
{
    (void)state;
    test_every_allocation_fails(note_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_advised_runs_ignore_the_estimate),
        cmocka_unit_test(the_advised_runs_are_robust),
        cmocka_unit_test(too_few_runs_are_named),
        cmocka_unit_test(medians_that_differ_from_the_pairs_are_named),
        cmocka_unit_test(slow_runs_that_got_slower_are_named),
        cmocka_unit_test(names_the_minimum_effect_that_decided),
        cmocka_unit_test(a_lost_sentence_fails_the_report),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
