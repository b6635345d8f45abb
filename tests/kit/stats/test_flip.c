/* The sign-flip test of pairs: against all signs, on cases computed by hand, and with shared
   coins. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

#include "kit/stats/flip.h"
#include "kit/stats/random.h"

/* Computes both tails from all 2^n signs, n <= 16. */
static struct tch_flip_tails try_all(const int *scores, unsigned n)
{
    struct tch_flip_tails tails = {0};
    long seen = 0;

    for (unsigned i = 0; i < n; i++)
        seen += scores[i];
    for (unsigned signs = 0; signs < 1u << n; signs++) {
        long sum = 0;

        for (unsigned i = 0; i < n; i++)
            sum += signs >> i & 1 ? abs(scores[i]) : -abs(scores[i]);
        tails.above += sum >= seen;
        tails.below += sum <= seen;
    }
    tails.above = ldexp(tails.above, -(int)n);
    tails.below = ldexp(tails.below, -(int)n);
    return tails;
}

static double difference(uint64_t *seed)
{
    return (double)tch_random_below(seed, 41) / 100 - 0.15;
}

static void agrees_with_trying_all_signs(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (unsigned n = 1; n <= 12; n++)
        for (int round = 0; round < 40; round++) {
            double e[12];
            double room[12];
            int scores[12];
            struct tch_flip_tails want;
            struct tch_flip_tails got;

            for (unsigned i = 0; i < n; i++)
                e[i] = difference(&seed); /* in steps of 0.01, so that there are ties and zeros */
            tch_flip_scores(e, n, room, scores);
            want = try_all(scores, n);
            assert_int_equal(tch_flip_test(e, n, &got, NULL), 0);
            assert_true(got.exact);
            assert_true(fabs(got.above - want.above) < 1e-15);
            assert_true(fabs(got.below - want.below) < 1e-15);
        }
}

static void clips_outliers(void **state)
{
    static const double e[] = {0.01, -0.02, 0.03, 5, 0, 1e-13};
    static const int want[] = {6, -13, 19, 24, 0, 0}; /* s is 0.025 */
    double room[6];
    int scores[6];

    (void)state;
    tch_flip_scores(e, 6, room, scores);
    for (int i = 0; i < 6; i++)
        assert_int_equal(scores[i], want[i]);
}

static void zeros_are_no_evidence(void **state)
{
    static const double e[4] = {0, 1e-13, -1e-13, 0};
    struct tch_flip_tails got;
    struct tch_flip_interval interval;

    (void)state;
    assert_int_equal(tch_flip_test(e, 4, &got, NULL), 0);
    assert_true(got.above == 1 && got.below == 1);
    assert_int_equal(tch_flip_test(NULL, 0, &got, NULL), 0);
    assert_true(got.above == 1 && got.below == 1);
    assert_int_equal(tch_flip_interval(e, 4, 0.5, &interval, NULL), 0);
    assert_true(fabs(interval.low) < 1e-12 && fabs(interval.high) < 1e-12);
}

/* At the ends of the interval the tails fall to alpha / 2, and the estimate is inside. */
static void the_interval_inverts_the_test(void **state)
{
    uint64_t seed = 5;

    (void)state;
    for (int round = 0; round < 200; round++) {
        double d[15];
        double e[15];
        size_t n = 6 + (size_t)round % 10;
        struct tch_flip_interval got;

        for (size_t i = 0; i < n; i++)
            d[i] = difference(&seed) + 1e-4 * (double)tch_random_below(&seed, 100);
        assert_int_equal(tch_flip_interval(d, n, 0.05, &got, NULL), 0);
        assert_true(got.low < got.estimate && got.estimate < got.high);
        for (int side = 0; side < 4; side++) {
            double at = (side & 1 ? got.high : got.low) + (side & 2 ? 1e-9 : -1e-9);
            bool inside = side == 1 || side == 2;
            struct tch_flip_tails tails;

            for (size_t i = 0; i < n; i++)
                e[i] = d[i] - at;
            assert_int_equal(tch_flip_test(e, n, &tails, NULL), 0);
            assert_int_equal((side & 1 ? tails.below : tails.above) > 0.025, inside);
        }
    }
}

static void five_pairs_have_no_interval(void **state)
{
    static const double d[] = {0.1, 0.2, 0.15, 0.12, 0.13};
    struct tch_flip_interval got;

    (void)state;
    assert_int_equal(tch_flip_interval(d, 5, 0.05, &got, NULL), 0);
    assert_true(isinf(got.low) && got.low < 0 && isinf(got.high) && got.high > 0);
    assert_true(got.estimate > 0.12 && got.estimate < 0.15);
    assert_true(tch_flip_least(5) == 1.0 / 32);
}

/* From 501 pairs on the normal approximation continues without a jump. */
static void many_pairs_are_approximated(void **state)
{
    static double d[TCH_FLIP_EXACT + 1];
    struct tch_flip_tails exact;
    struct tch_flip_tails normal;
    uint64_t seed = 3;

    (void)state;
    for (size_t i = 0; i <= TCH_FLIP_EXACT; i++)
        d[i] = difference(&seed) - 0.04;
    assert_int_equal(tch_flip_test(d, TCH_FLIP_EXACT, &exact, NULL), 0);
    d[TCH_FLIP_EXACT] = 0; /* has no weight */
    assert_int_equal(tch_flip_test(d, TCH_FLIP_EXACT + 1, &normal, NULL), 0);
    assert_true(exact.exact && !normal.exact);
    assert_true(fabs(exact.above - normal.above) < 3e-4);
    assert_true(fabs(exact.below - normal.below) < 3e-4);
}

enum { METRICS = 20, FLIPS = 20000 };

static int scores[METRICS][20];
static uint32_t pair[20];

/* Fills the scores of all metrics; those of the first are 16 in all but two pairs. */
static void make_scores(uint32_t pairs)
{
    uint64_t seed = 11;

    for (uint32_t i = 0; i < pairs; i++) {
        pair[i] = i;
        for (int k = 0; k < METRICS; k++)
            scores[k][i] = (int)tch_random_below(&seed, 41) - 20;
        scores[0][i] = i < pairs - 2 ? 16 : -16;
    }
}

/* Adjusts the metrics; with `same`, all of them are the first one. */
static void adjust_scores(uint32_t pairs, bool same, double *p)
{
    struct tch_flip_series series[METRICS];

    for (int k = 0; k < METRICS; k++) {
        series[k] = (struct tch_flip_series){scores[same ? 0 : k], pair, pairs};
        p[k] = try_all(series[k].score, pairs).above;
    }
    assert_int_equal(tch_flip_max_t(series, METRICS, pairs, FLIPS, p, NULL), 0);
}

/* For one metric alone, the share of flips is its own p. The same metric twenty times is one
   question; twenty independent metrics are twenty. */
static void shared_coins_count_correlated_metrics_once(void **state)
{
    static const uint32_t pairs[] = {12, 14}; /* all outcomes, random flips */
    double own;
    double p[METRICS];

    (void)state;
    for (int i = 0; i < 2; i++) {
        make_scores(pairs[i]);
        own = try_all(scores[0], pairs[i]).above;
        adjust_scores(pairs[i], true, p);
        for (int k = 0; k < METRICS; k++)
            assert_true(fabs(p[k] - own) <= (i == 0 ? 0 : 4 * sqrt(own / FLIPS)));
        adjust_scores(pairs[i], false, p);
        assert_true(p[0] > 5 * own && p[0] < METRICS * own * 1.2);
        for (int k = 1; k < METRICS; k++)
            assert_true(p[k] >= p[0]);
    }
}

/* With few flips an estimate of the share may fall below the exact p of one metric. */
static void an_adjusted_p_is_never_below_that_of_the_metric(void **state)
{
    static const uint32_t pairs[] = {6, 8, 10, 12, 14, 16};
    double p[METRICS];

    (void)state;
    for (int i = 0; i < 6; i++)
        for (int same = 0; same < 2; same++) {
            make_scores(pairs[i]);
            adjust_scores(pairs[i], same, p);
            for (int k = 0; k < METRICS; k++)
                assert_true(p[k] >= try_all(scores[same ? 0 : k], pairs[i]).above);
        }
}

static void a_metric_without_scores_takes_no_part(void **state)
{
    static const int none[3] = {0};
    static const int some[3] = {16, 16, 16};
    static const uint32_t three[] = {0, 1, 2};
    const struct tch_flip_series series[] = {{none, three, 3}, {some, three, 3}};
    double p[2] = {1, 0.125};

    (void)state;
    assert_int_equal(tch_flip_max_t(series, 2, 3, 999, p, NULL), 0);
    assert_true(p[0] == 1 && p[1] == 0.125);
}

static int test_once(void *arg)
{
    static const double d[] = {0.1, 0.2, -0.3, 0.4, 0.1, 0.2, 0.5};
    static const int score[] = {1, 2};
    static const uint32_t two[] = {0, 1};
    const struct tch_flip_series series = {score, two, 2};
    struct tch_flip_tails tails;
    struct tch_flip_interval interval;
    double p = 0.25;

    (void)arg;
    if (tch_flip_test(d, 7, &tails, NULL) < 0 || tch_flip_interval(d, 7, 0.05, &interval, NULL) < 0)
        return -1;
    return tch_flip_max_t(&series, 1, 2, 9, &p, NULL);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    test_every_allocation_fails(test_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_trying_all_signs),
        cmocka_unit_test(clips_outliers),
        cmocka_unit_test(zeros_are_no_evidence),
        cmocka_unit_test(the_interval_inverts_the_test),
        cmocka_unit_test(five_pairs_have_no_interval),
        cmocka_unit_test(many_pairs_are_approximated),
        cmocka_unit_test(shared_coins_count_correlated_metrics_once),
        cmocka_unit_test(an_adjusted_p_is_never_below_that_of_the_metric),
        cmocka_unit_test(a_metric_without_scores_takes_no_part),
        cmocka_unit_test(survives_every_failing_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
