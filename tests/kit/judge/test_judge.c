/* <tacho/judge.h>: clear cases get clear verdicts, and bad input is refused. The statistics have
   tests of their own. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include <tacho/judge.h>

enum { N = 24 };

/* Fills in values around `middle` that vary by 1 %, in the same order for each seed. */
static void fill(double *values, double middle, unsigned seed)
{
    for (unsigned i = 0; i < N; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = middle * (1 + 0.02 * ((double)(seed >> 8) / (1 << 24) - 0.5));
    }
}

static tacho_judge *new_judge(void)
{
    tacho_judge *judge = NULL;

    assert_int_equal(tacho_judge_new(&judge, NULL), 0);
    return judge;
}

static tacho_judge_answer answer_of(const tacho_judge *judge, size_t i)
{
    tacho_judge_answer a = TACHO_JUDGE_ANSWER_INIT;

    assert_int_equal(tacho_judge_answer_at(judge, i, &a, NULL), 0);
    return a;
}

/* Returns the verdict on pairs around 100 and around `b`. */
static enum tacho_verdict verdict_of_pairs(double b, enum tacho_direction direction)
{
    tacho_judge_budget budget = TACHO_JUDGE_BUDGET_INIT;
    tacho_judge *judge = new_judge();
    enum tacho_verdict verdict;
    double x[N], y[N];

    fill(x, 100, 1);
    fill(y, b, 2);
    budget.direction = direction;
    assert_int_equal(tacho_judge_add_pairs(judge, "x", x, y, N, &budget, NULL), 0);
    assert_int_equal(tacho_judge_verdict(judge), TACHO_VERDICT_NONE);
    assert_int_equal(tacho_judge_decide(judge, 0.05, NULL), 0);
    verdict = tacho_judge_verdict(judge);
    tacho_judge_free(judge);
    return verdict;
}

static void pairs_that_are_worse_fail_in_their_direction(void **state)
{
    (void)state;
    assert_int_equal(verdict_of_pairs(130, TACHO_DIRECTION_KNOWN), TACHO_VERDICT_FAIL);
    assert_int_equal(verdict_of_pairs(130, TACHO_DIRECTION_LOWER), TACHO_VERDICT_FAIL);
    assert_int_equal(verdict_of_pairs(130, TACHO_DIRECTION_HIGHER), TACHO_VERDICT_PASS);
    assert_int_equal(verdict_of_pairs(70, TACHO_DIRECTION_HIGHER), TACHO_VERDICT_FAIL);
    assert_int_equal(verdict_of_pairs(70, TACHO_DIRECTION_LOWER), TACHO_VERDICT_PASS);
    assert_int_equal(verdict_of_pairs(100, TACHO_DIRECTION_LOWER), TACHO_VERDICT_PASS);
}

static void an_answer_has_estimate_interval_and_p(void **state)
{
    tacho_judge *judge = new_judge();
    double x[N], y[N];
    tacho_judge_answer a;
    char line[200];

    (void)state;
    fill(x, 100, 1);
    fill(y, 130, 2);
    assert_int_equal(tacho_judge_add_pairs(judge, "decode", x, y, N, NULL, NULL), 0);
    assert_int_equal(tacho_judge_decide(judge, 0.05, NULL), 0);
    a = answer_of(judge, 0);
    assert_string_equal(a.name, "decode");
    assert_true(a.paired && !a.limit && a.a_count == N && a.b_count == N);
    assert_true(a.verdict == TACHO_VERDICT_FAIL);
    assert_true(a.estimate > 1.28 && a.estimate < 1.32);
    assert_true(a.low > 1.2 && a.low <= a.estimate && a.estimate <= a.high && a.high < 1.4);
    assert_true(a.a_median > 99 && a.a_median < 101 && a.b_median > 128 && a.b_median < 132);
    assert_true(a.p >= 0 && a.p <= a.p_adjusted && a.p_adjusted < 0.01);
    tacho_judge_text(judge, 0, line, sizeof line);
    assert_non_null(strstr(line, "decode: FAIL, 1.3"));
    assert_non_null(strstr(line, "tolerance 5 %"));
    assert_string_equal(tacho_judge_text(judge, 1, line, sizeof line), "");
    assert_int_equal(strlen(tacho_judge_text(judge, 0, line, 10)), 9);
    tacho_judge_free(judge);
}

static void two_samples_are_judged_as_such(void **state)
{
    tacho_judge_budget budget = TACHO_JUDGE_BUDGET_INIT;
    tacho_judge *judge = new_judge();
    double x[N], same[N], worse[N];

    (void)state;
    fill(x, 100, 1);
    fill(same, 100, 3);
    fill(worse, 200, 3);
    budget.tolerance = 0.25;
    assert_int_equal(tacho_judge_add_samples(judge, "same", x, N, same, N - 4, &budget, NULL), 0);
    assert_int_equal(tacho_judge_add_samples(judge, "worse", x, N, worse, N - 4, &budget, NULL), 0);
    assert_int_equal(tacho_judge_decide(judge, 0.05, NULL), 0);
    assert_int_equal(tacho_judge_count(judge), 2);
    assert_int_equal(answer_of(judge, 0).verdict, TACHO_VERDICT_PASS);
    assert_int_equal(answer_of(judge, 1).verdict, TACHO_VERDICT_FAIL);
    assert_false(answer_of(judge, 1).paired);
    assert_int_equal(answer_of(judge, 1).b_count, N - 4);
    assert_int_equal(tacho_judge_verdict(judge), TACHO_VERDICT_FAIL); /* the worst */
    tacho_judge_free(judge);
}

static void a_limit_is_a_question_of_its_own(void **state)
{
    tacho_judge_budget budget = TACHO_JUDGE_BUDGET_INIT;
    tacho_judge *judge = new_judge();
    double x[N];
    tacho_judge_answer a;

    (void)state;
    fill(x, 100, 1);
    budget.limit = 50;
    assert_int_equal(tacho_judge_add_pairs(judge, "x", x, x, N, &budget, NULL), 0);
    assert_int_equal(tacho_judge_count(judge), 2);
    assert_int_equal(tacho_judge_decide(judge, 0.05, NULL), 0);
    assert_int_equal(answer_of(judge, 0).verdict, TACHO_VERDICT_PASS);
    a = answer_of(judge, 1);
    assert_true(a.limit && a.verdict == TACHO_VERDICT_FAIL && a.a_count == 0);
    assert_true(isnan(a.a_median) && a.estimate > 1.9 && a.estimate < 2.1);
    tacho_judge_free(judge);
}

static void few_values_are_inconclusive_and_advise_more_runs(void **state)
{
    tacho_judge *judge = new_judge();
    double x[N], y[N];

    (void)state;
    fill(x, 100, 1);
    fill(y, 130, 2);
    assert_int_equal(tacho_judge_add_pairs(judge, "x", x, y, 2, NULL, NULL), 0);
    assert_int_equal(tacho_judge_decide(judge, 0.05, NULL), 0);
    assert_int_equal(tacho_judge_verdict(judge), TACHO_VERDICT_INCONCLUSIVE);
    assert_true(answer_of(judge, 0).advised > 2);
    assert_true(answer_of(judge, 0).why[0] != '\0');
    tacho_judge_free(judge);
}

/* Asserts that the budget is refused with a message that contains `why`. */
static void assert_refused(const tacho_judge_budget *budget, const char *why)
{
    const double x[2] = {1, 2};
    tacho_judge *judge = new_judge();
    tacho_error err;

    assert_int_equal(tacho_judge_add_pairs(judge, "x", x, x, 2, budget, &err), TACHO_EINVAL);
    assert_non_null(strstr(err.message, why));
    assert_int_equal(tacho_judge_count(judge), 0);
    tacho_judge_free(judge);
}

static void budgets_that_make_no_sense_are_refused(void **state)
{
    tacho_judge_budget budget = TACHO_JUDGE_BUDGET_INIT;

    (void)state;
    budget.tolerance = -0.1;
    assert_refused(&budget, "tolerance");
    budget = (tacho_judge_budget)TACHO_JUDGE_BUDGET_INIT;
    budget.min_effect = NAN;
    assert_refused(&budget, "min_effect");
    budget = (tacho_judge_budget)TACHO_JUDGE_BUDGET_INIT;
    budget.limit = INFINITY;
    assert_refused(&budget, "limit");
    budget = (tacho_judge_budget)TACHO_JUDGE_BUDGET_INIT;
    budget.direction = (enum tacho_direction)7;
    assert_refused(&budget, "direction");
    budget = (tacho_judge_budget){.tolerance = 0.05};
    assert_refused(&budget, "TACHO_JUDGE_BUDGET_INIT");
}

static void values_that_cannot_be_judged_are_refused(void **state)
{
    static const double bad[][2] = {{1, NAN}, {-1, 1}, {1, INFINITY}};
    static const double good[2] = {1, 1};
    tacho_judge *judge = new_judge();
    tacho_judge_answer a = TACHO_JUDGE_ANSWER_INIT;
    tacho_error err;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(tacho_judge_add_pairs(judge, "x", good, bad[i], 2, NULL, &err),
                         TACHO_EINVAL);
        assert_non_null(strstr(err.message, "of b of 'x'"));
    }
    assert_int_equal(tacho_judge_add_samples(judge, "x", good, 0, good, 2, NULL, &err),
                     TACHO_EINVAL);
    assert_int_equal(tacho_judge_add_pairs(judge, "", good, good, 2, NULL, &err), TACHO_EINVAL);
    assert_true(tacho_judge_add_runs(judge, "/nonexistent", "/nonexistent", "wall", NULL, &err) <
                0);
    assert_int_equal(tacho_judge_answer_at(judge, 0, &a, &err), TACHO_EINVAL);
    assert_int_equal(tacho_judge_decide(judge, 0, &err), TACHO_EINVAL);
    assert_int_equal(tacho_judge_add_pairs(judge, "x", good, good, 2, NULL, &err), 0);
    assert_int_equal(tacho_judge_decide(judge, 0.05, &err), 0);
    assert_int_equal(tacho_judge_decide(judge, 0.05, &err), TACHO_EINVAL);
    assert_int_equal(tacho_judge_add_pairs(judge, "x", good, good, 2, NULL, &err), TACHO_EINVAL);
    tacho_judge_free(judge);
    tacho_judge_free(NULL);
    assert_string_equal(tacho_verdict_name(TACHO_VERDICT_FAIL), "FAIL");
    assert_string_equal(tacho_verdict_name((enum tacho_verdict)9), "-");
}

static int judge_once(void *arg)
{
    tacho_judge *judge = NULL;
    double x[N], y[N];
    int status = tacho_judge_new(&judge, NULL);

    (void)arg;
    fill(x, 100, 1);
    fill(y, 130, 2);
    if (status == 0)
        status = tacho_judge_add_pairs(judge, "x", x, y, N, NULL, NULL);
    if (status == 0)
        status = tacho_judge_add_samples(judge, "y", x, N, y, N, NULL, NULL);
    if (status == 0)
        status = tacho_judge_decide(judge, 0.05, NULL);
    tacho_judge_free(judge);
    return status;
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    test_every_allocation_fails(judge_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_that_are_worse_fail_in_their_direction),
        cmocka_unit_test(an_answer_has_estimate_interval_and_p),
        cmocka_unit_test(two_samples_are_judged_as_such),
        cmocka_unit_test(a_limit_is_a_question_of_its_own),
        cmocka_unit_test(few_values_are_inconclusive_and_advise_more_runs),
        cmocka_unit_test(budgets_that_make_no_sense_are_refused),
        cmocka_unit_test(values_that_cannot_be_judged_are_refused),
        cmocka_unit_test(survives_every_failing_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
