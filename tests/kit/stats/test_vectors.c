/* The data sets of vectors/promise.jsonl: pairs by sign flips, two samples with a session term. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

#include "kit/stats/flip.h"
#include "kit/stats/session.h"
#include "support/vectors.h"

enum { MOST = 32 };

static double number(struct test_json json)
{
    assert_non_null(json.text);
    return json.text[0] == 'n' ? INFINITY : strtod(json.text, NULL);
}

static size_t numbers(struct test_json array, double *x)
{
    size_t n = test_count(array);

    assert_true(n <= MOST);
    for (size_t i = 0; i < n; i++)
        x[i] = number(test_element(array, i));
    return n;
}

static void same(struct test_json line, const char *key, double got)
{
    double want = number(test_member(line, key));

    if (!(got == want || fabs(got - want) <= 1e-9 * fmax(1, fabs(want))))
        fail_msg("%.60s: %s is %.17g, not %.17g", line.text, key, got, want);
}

static void check_pairs(struct test_json line)
{
    double a[MOST];
    double b[MOST];
    double weights[MOST];
    double e[MOST];
    double room[MOST];
    int scores[MOST];
    size_t n = numbers(test_member(line, "a"), a);
    double bound = 1 + number(test_member(line, "tolerance"));
    struct tch_ratio got;

    numbers(test_member(line, "b"), b);
    numbers(test_member(line, "weights"), weights);
    for (size_t i = 0; i < n; i++)
        e[i] = log(b[i] / a[i]) - log(bound);
    tch_flip_scores(e, n, room, scores);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(abs(scores[i]), weights[i]);
    assert_int_equal(tch_ratio_paired(a, b, n, 0.05, bound, &got, NULL), 0);
    same(line, "p_above", got.p_above);
    same(line, "p_below", got.p_below);
    same(line, "p_above_1", got.p_more);
    same(line, "estimate", got.estimate);
    same(line, "low", got.low);
    same(line, "high", got.high);
}

static void check_two_samples(struct test_json line)
{
    double a[MOST];
    double b[MOST];
    double room[2 * MOST];
    size_t m = numbers(test_member(line, "a"), a);
    size_t n = numbers(test_member(line, "b"), b);
    double bound = 1 + number(test_member(line, "tolerance"));
    double lag1_a = tch_session_lag1(a, m, room);
    double lag1_b = tch_session_lag1(b, n, room);
    double rho = tch_session_rho((lag1_a + lag1_b) / 2, m < n ? m : n);
    double trend = tch_session_trend(a, m, b, n);
    struct tch_ratio got;

    same(line, "lag1_a", lag1_a);
    same(line, "lag1_b", lag1_b);
    same(line, "rho", rho);
    same(line, "inflation", tch_session_inflation(rho));
    same(line, "trend_z", trend);
    assert_int_equal(tch_ratio_unpaired(a, m, b, n, 0.05, bound, &got, NULL), 0);
    same(line, "level", got.level);
    tch_session_widen(&got, rho, number(test_member(line, "session")), 0.05, bound);
    same(line, "estimate", got.estimate);
    same(line, "p_above", got.p_above);
    same(line, "low", got.low);
    same(line, "high", got.high);
    assert_int_equal(rho >= TCH_SESSION_DEPENDENT || trend >= TCH_SESSION_TREND,
                     test_true(test_member(line, "refused")));
}

static void check_data_set(const char *text, size_t len, void *arg)
{
    struct test_json line = {text, len};

    (void)arg;
    if (test_member(line, "kind").text[1] == 'p')
        check_pairs(line);
    else
        check_two_samples(line);
}

static void agrees_with_every_data_set(void **state)
{
    (void)state;
    test_each_line("promise.jsonl", 20, check_data_set, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_every_data_set)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
