/* The probability that a change is found: what is computed from some pairs against reports that are
   simulated whole, by the test of flip.h. */
#include "support/test.h"

#include <math.h>

#include "kit/stats/flip.h"
#include "kit/stats/random.h"
#include "kit/stats/sight.h"

enum {
    PAIRS = 40,
    REPORTS = 400,
    FEWER = 150
}; /* of FEWER, 6 % are two and a half standard errors */

enum kind { NORMAL, DEPENDENT, OUTLIERS, TIES, KINDS };

static double uniform(uint64_t *seed)
{
    return ((double)(tch_random_bits(seed) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *seed)
{
    double r = sqrt(-2 * log(uniform(seed)));

    return r * cos(2 * acos(-1) * uniform(seed));
}

/* Draws pairs of runs, one after the other, in random order; b is changed. */
static void measure(enum kind kind, uint64_t *seed, double *d, size_t n, double change)
{
    double before = normal(seed);

    for (size_t i = 0; i < n; i++) {
        double x[2];
        double sign = tch_random_below(seed, 2) ? 1 : -1;

        for (int k = 0; k < 2; k++) {
            double z = normal(seed);

            before = kind == DEPENDENT ? 0.5 * before + sqrt(0.75) * z : z;
            x[k] = (kind == OUTLIERS ? 0.02 : 0.05) * before;
            x[k] += kind == OUTLIERS && uniform(seed) < 0.1 ? log(3) : 0;
            x[k] += (k == 1) == (sign > 0) ? log1p(change) : 0;
            if (kind == TIES)
                x[k] = log(2.5 * floor(100 * exp(x[k]) / 2.5));
        }
        d[i] = sign * (x[1] - x[0]);
    }
}

static double p_of(const double *d, size_t n)
{
    struct tch_flip_tails tails;

    assert_int_equal(tch_flip_test(d, n, &tails, NULL), 0);
    return tails.above;
}

static bool is_large(const double *d, size_t n, double least)
{
    struct tch_flip_interval interval;

    assert_int_equal(tch_flip_interval(d, n, 0.05, &interval, NULL), 0);
    return interval.estimate >= log1p(least);
}

/* Simulates a report: an analysis of all metrics and, for a gate, a fresh block of the suspects. */
static bool report_fails(enum kind kind, uint64_t *seed, const struct tch_sight_rule *rule,
                         double change)
{
    double d[PAIRS];
    size_t n = rule->fresh > 0 ? rule->fresh : rule->pairs;
    size_t judged = rule->metrics;
    double p;

    measure(kind, seed, d, rule->pairs, change);
    p = p_of(d, rule->pairs);
    if (rule->fresh > 0) {
        if (p > 0.1)
            return false;
        judged = 1;
        for (size_t k = 1; k < rule->metrics; k++) {
            measure(kind, seed, d, rule->pairs, 0);
            judged += p_of(d, rule->pairs) <= 0.1;
        }
        measure(kind, seed, d, n, change);
        p = p_of(d, n);
    }
    return p <= rule->alpha / (double)judged && (rule->least == 0 || is_large(d, n, rule->least));
}

/* Over many calibrations, a change of the size that each of them names FAILs in nine of ten. */
static void the_change_it_names_is_found_in_nine_of_ten_reports(void **state)
{
    static const struct tch_sight_rule rules[] = {
        {.pairs = 20, .metrics = 1, .alpha = 0.05},
        {.pairs = 40, .metrics = 20, .alpha = 0.05},
        {.pairs = 40, .metrics = 1, .alpha = 0.05, .least = 0.05},
        {.pairs = 20, .fresh = 40, .metrics = 1, .alpha = 0.05},
        {.pairs = 20, .fresh = 40, .metrics = 20, .alpha = 0.05},
    };
    uint64_t seed = 7;

    (void)state;
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++)
        for (enum kind kind = NORMAL; kind < KINDS; kind++) {
            size_t found = 0;

            for (int i = 0; i < FEWER; i++) {
                struct tch_noise noise;
                double d[PAIRS];
                double change;

                measure(kind, &seed, d, PAIRS, 0);
                assert_int_equal(tch_noise_measure(&noise, d, PAIRS, 0, NULL), 0);
                change = tch_sight_change(&noise, &rules[r], 0.9);
                assert_true(change > rules[r].least && isfinite(change));
                found += report_fails(kind, &seed, &rules[r], change);
            }
            /* 5 points to each side, and two standard errors. */
            if (found < FEWER * 76 / 100)
                print_message("rule %zu, kind %d: %zu of %d\n", r, (int)kind, found, FEWER);
            assert_in_range(found, FEWER * 76 / 100, FEWER);
        }
}

/* The number of pairs that it names is enough in nine of ten, with outliers, too. */
static void the_pairs_it_names_are_enough_in_nine_of_ten_reports(void **state)
{
    uint64_t seed = 8;

    (void)state;
    for (enum kind kind = NORMAL; kind <= OUTLIERS; kind++) {
        static double d[4000];
        size_t found = 0;
        double sum = 0;

        for (int i = 0; i < REPORTS; i++) {
            struct tch_noise noise;
            uint64_t pairs;

            measure(kind, &seed, d, 20, 0);
            assert_int_equal(tch_noise_measure(&noise, d, 20, 0, NULL), 0);
            pairs = tch_sight_pairs(&noise, 0.05, 0.9, 0.025);
            assert_in_range(pairs, 6, 4000);
            sum += (double)pairs / REPORTS;
            measure(kind, &seed, d, (size_t)pairs, 0.05);
            found += p_of(d, (size_t)pairs) <= 0.025;
        }
        assert_in_range(found, REPORTS * 82 / 100, REPORTS * 98 / 100);
        assert_true(sum < 60);
    }
}

static void larger_changes_and_more_pairs_are_found_more_often(void **state)
{
    struct tch_sight_rule rule = {.pairs = 10, .fresh = 20, .metrics = 4, .alpha = 0.05};
    struct tch_noise noise;
    double d[PAIRS];
    double before = 0;
    uint64_t seed = 9;

    (void)state;
    measure(OUTLIERS, &seed, d, PAIRS, 0);
    assert_int_equal(tch_noise_measure(&noise, d, PAIRS, 0, NULL), 0);
    assert_true(tch_sight_share(&noise, &rule, 0) == 0);
    for (double change = 0.01; change < 0.2; change += 0.01) {
        double share = tch_sight_share(&noise, &rule, change);

        assert_true(share >= before && share <= 1);
        before = share;
        rule.pairs = 20;
        assert_true(tch_sight_share(&noise, &rule, change) >= share);
        rule.pairs = 10;
    }
    /* Thousands of pairs are thinned to the same distribution. */
    assert_true(tch_sight_pairs(&noise, 1e-6, 0.9, 0.05) == 0);
}

static void pairs_without_noise_see_any_change(void **state)
{
    static const double d[20] = {0};
    struct tch_sight_rule rule = {.pairs = 10, .fresh = 10, .metrics = 1, .alpha = 0.05};
    struct tch_noise noise;

    (void)state;
    assert_int_equal(tch_noise_measure(&noise, d, 20, 0, NULL), 0);
    assert_true(tch_sight_change(&noise, &rule, 0.9) <= 1e-6);
    rule.least = 0.02;
    assert_true(fabs(tch_sight_change(&noise, &rule, 0.9) - 0.02) < 1e-4);
    rule.pairs = rule.fresh = 4; /* so few can never FAIL */
    assert_true(isinf(tch_sight_change(&noise, &rule, 0.9)));
    assert_int_equal(tch_sight_pairs(&noise, 0.01, 0.9, 0.05), 5);
}

static int measure_one(void *arg)
{
    static const double d[] = {0.1, -0.1, 0.2, 0, 0.1};
    struct tch_noise noise;

    (void)arg;
    return tch_noise_measure(&noise, d, 5, 0, NULL);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    test_every_allocation_fails(measure_one, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_change_it_names_is_found_in_nine_of_ten_reports),
        cmocka_unit_test(the_pairs_it_names_are_enough_in_nine_of_ten_reports),
        cmocka_unit_test(larger_changes_and_more_pairs_are_found_more_often),
        cmocka_unit_test(pairs_without_noise_see_any_change),
        cmocka_unit_test(survives_every_failing_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
