/* The ratio of two samples: estimate, interval, p-values. */
#include "support/test.h"

#include <math.h>

#include "kit/stats/order_stats.h"
#include "kit/stats/rank_null.h"
#include "kit/stats/rank_test.h"
#include "kit/stats/ratio.h"

static const double a6[] = {100, 102, 98, 101, 99, 103};
static const double b6[] = {110, 111, 109, 112, 107, 114};

static void pairs_are_judged_by_sign_flips(void **state)
{
    struct tch_ratio got;

    (void)state;
    assert_int_equal(tch_ratio_paired(a6, b6, 6, 0.05, 1, &got, NULL), 0);
    assert_true(1 < got.low && got.low < got.estimate && got.estimate < got.high);
    assert_true(got.level == 0.95);
    assert_true(got.p == 2.0 / 64 && got.p_more == 1.0 / 64);
    assert_true(got.p_above == 1.0 / 64 && got.p_above == got.p_least);
    assert_true(got.p_below == 1 && got.effect == 1 && got.exact);
}

static void unpaired_is_the_median_of_all_ratios(void **state)
{
    double all[36];
    size_t count = 0;
    struct tch_ratio got;

    (void)state;
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 6; j++)
            all[count++] = b6[j] / a6[i];
    tch_sort(all, 36);
    assert_int_equal(tch_ratio_unpaired(a6, 6, b6, 6, 0.05, 1, &got, NULL), 0);
    assert_true(fabs(got.estimate - sqrt(all[17] * all[18])) < 1e-14);
    assert_true(fabs(got.low - all[5]) < 1e-14); /* critical U of 6 and 6 is 5: the 6th */
    assert_true(fabs(got.high - all[30]) < 1e-14);
    assert_true(fabs(got.p - 2.0 / 924) < 1e-14);
    assert_true(got.effect == 1);
}

/* Estimates and ends of intervals are sums themselves: exactly those that sorting all sums gives,
   for every size, with ties and with extreme values. */
static void finds_the_same_sums_as_sorting_all(void **state)
{
    static double sums[50 * 50];
    uint64_t seed = 1;

    (void)state;
    for (size_t n = 4; n <= 50; n++)
        for (int kind = 0; kind < 3; kind++) {
            double a[50];
            double b[50];
            size_t count = 0;
            struct tch_rank_null null;
            struct tch_ratio got;
            double level;
            size_t k;

            for (size_t i = 0; i < n; i++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                a[i] = 1 + (double)(seed >> 40) * 0x1p-24;
                b[i] = 1 + (double)(seed >> 20 & 0xFFFFF) * 0x1p-20;
                if (kind == 1) { /* few different values */
                    a[i] = floor(4 * a[i]);
                    b[i] = floor(4 * b[i]);
                } else if (kind == 2 && i % 5 == 0) {
                    b[i] *= 1e200;
                }
            }
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++)
                    sums[count++] = -log(a[i]) + log(b[j]);
            tch_sort(sums, count);
            assert_int_equal(tch_rank_sum_null(&null, n, n, NULL), 0);
            k = tch_rank_null_cut(&null, 0.05, &level);
            tch_rank_null_release(&null);
            assert_int_equal(tch_ratio_unpaired(a, n, b, n, 0.05, 1, &got, NULL), 0);
            assert_true(got.low == exp(sums[k - 1]) && got.high == exp(sums[count - k]));
            assert_true(got.level == level && got.low <= got.estimate && got.estimate <= got.high);
        }
}

static void tests_against_a_tolerance(void **state)
{
    struct tch_ratio got;

    (void)state;
    assert_int_equal(tch_ratio_paired(a6, b6, 6, 0.05, 1.05, &got, NULL), 0);
    assert_true(fabs(got.p_above - 1.0 / 64) < 1e-14); /* all are more than 5 % slower */
    assert_int_equal(tch_ratio_paired(a6, b6, 6, 0.05, 1.2, &got, NULL), 0);
    assert_true(got.p_above == 1 && fabs(got.p_below - 1.0 / 64) < 1e-14);
    assert_true(fabs(got.p - 2.0 / 64) < 1e-14); /* this p is about a ratio of 1 */
}

static void the_same_values_give_exactly_one(void **state)
{
    struct tch_ratio got;

    (void)state;
    assert_int_equal(tch_ratio_paired(a6, a6, 6, 0.05, 1, &got, NULL), 0);
    assert_true(got.estimate == 1 && got.low == 1 && got.high == 1 && got.p == 1);
    assert_true(got.effect == 0.5);
    assert_int_equal(tch_ratio_unpaired(a6, 6, a6, 6, 0.05, 1, &got, NULL), 0);
    assert_true(fabs(got.estimate - 1) < 1e-15 && got.low < 1 && got.high > 1 && got.p == 1);
    assert_true(got.effect == 0.5);
}

static void swapping_inverts(void **state)
{
    struct tch_ratio ab;
    struct tch_ratio ba;

    (void)state;
    assert_int_equal(tch_ratio_unpaired(a6, 6, b6, 5, 0.05, 1, &ab, NULL), 0);
    assert_int_equal(tch_ratio_unpaired(b6, 5, a6, 6, 0.05, 1, &ba, NULL), 0);
    assert_true(fabs(ab.estimate * ba.estimate - 1) < 1e-14);
    assert_true(fabs(ab.low * ba.high - 1) < 1e-14);
    assert_true(fabs(ab.p - ba.p) < 1e-14 && fabs(ab.effect + ba.effect - 1) < 1e-14);
}

static void too_few_runs_have_no_interval(void **state)
{
    struct tch_ratio got;

    (void)state;
    assert_int_equal(tch_ratio_paired(a6, b6, 5, 0.05, 1, &got, NULL), 0);
    assert_true(got.low == 0 && isinf(got.high) && got.level == 0);
    assert_true(got.least > 0 && got.least <= got.estimate && got.estimate <= got.most);
    assert_true(got.estimate > 1.08 && got.estimate < 1.12);
    assert_int_equal(tch_ratio_unpaired(a6, 3, b6, 3, 0.05, 1, &got, NULL), 0);
    assert_true(got.low == 0 && isinf(got.high));
    assert_int_equal(tch_ratio_unpaired(a6, 4, b6, 4, 0.05, 1, &got, NULL), 0);
    assert_true(got.low > 1 && got.high < 1.2);
    assert_int_equal(tch_ratio_unpaired(a6, 1, b6, 1, 0.05, 1, &got, NULL), 0);
    assert_true(fabs(got.estimate - 1.1) < 1e-14 && got.p == 1);
}

static void names_the_value_that_has_no_ratio(void **state)
{
    double bad[] = {1, 2, 0};
    struct tch_ratio got = {.estimate = 42};
    tacho_error err;

    (void)state;
    assert_int_equal(tch_ratio_paired(a6, bad, 3, 0.05, 1, &got, &err), TACHO_EINVAL);
    assert_string_equal(err.message, "value 3 of b is 0: a ratio needs positive numbers");
    bad[2] = NAN;
    assert_int_equal(tch_ratio_unpaired(bad, 3, a6, 6, 0.05, 1, &got, &err), TACHO_EINVAL);
    assert_int_equal(tch_ratio_unpaired(a6, 0, b6, 6, 0.05, 1, &got, &err), TACHO_EINVAL);
    assert_string_equal(err.message, "a has no values to compare");
    assert_int_equal(tch_ratio_paired(a6, b6, 6, 0, 1, &got, &err), TACHO_EINVAL);
    assert_int_equal(tch_ratio_paired(a6, b6, 6, 0.05, -1, &got, &err), TACHO_EINVAL);
    assert_true(got.estimate == 42);
}

/* 3,000 values of each have 9 million ratios, none of which is stored. */
static void takes_thousands_of_values(void **state)
{
    enum { N = 3000 };
    static double a[N];
    static double b[N];
    struct tch_ratio got;

    (void)state;
    for (size_t i = 0; i < N; i++) {
        a[i] = 1000 + (double)(i * 7919 % N) / 30;
        b[i] = 1.02 * (1000 + (double)(i * 6007 % N) / 30);
    }
    assert_int_equal(tch_ratio_unpaired(a, N, b, N, 0.05, 1, &got, NULL), 0);
    assert_false(got.exact);
    assert_true(fabs(got.estimate - 1.02) < 1e-3 && got.low > 1.017 && got.high < 1.023);
    assert_int_equal(tch_ratio_paired(a, b, N, 0.05, 1, &got, NULL), 0);
    assert_true(fabs(got.estimate - 1.02) < 1e-3 && got.p < 1e-100);
}

/* Interval and p-value belong to the same test: 1 is outside exactly if p <= alpha. */
static void interval_and_p_agree(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (int round = 0; round < 400; round++) {
        double a[9];
        double b[9];
        struct tch_ratio paired;
        struct tch_ratio unpaired;

        for (size_t i = 0; i < 9; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            a[i] = 100 + (double)(seed >> 40) / (1 << 20);
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            b[i] = 100 + (double)(seed >> 40) / (1 << 20) + round / 50.0;
        }
        assert_int_equal(tch_ratio_paired(a, b, 9, 0.05, 1, &paired, NULL), 0);
        assert_int_equal(paired.low > 1 || paired.high < 1, paired.p <= 0.05);
        assert_int_equal(tch_ratio_unpaired(a, 9, b, 9, 0.05, 1, &unpaired, NULL), 0);
        assert_int_equal(unpaired.low > 1 || unpaired.high < 1, unpaired.p <= 0.05);
    }
}

static int compare_once(void *arg)
{
    struct tch_ratio got;

    (void)arg;
    if (tch_ratio_unpaired(a6, 6, b6, 6, 0.05, 1, &got, NULL) < 0)
        return -1;
    return tch_ratio_paired(a6, b6, 6, 0.05, 1, &got, NULL);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    test_every_allocation_fails(compare_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_judged_by_sign_flips),
        cmocka_unit_test(unpaired_is_the_median_of_all_ratios),
        cmocka_unit_test(finds_the_same_sums_as_sorting_all),
        cmocka_unit_test(tests_against_a_tolerance),
        cmocka_unit_test(the_same_values_give_exactly_one),
        cmocka_unit_test(swapping_inverts),
        cmocka_unit_test(too_few_runs_have_no_interval),
        cmocka_unit_test(names_the_value_that_has_no_ratio),
        cmocka_unit_test(takes_thousands_of_values),
        cmocka_unit_test(interval_and_p_agree),
        cmocka_unit_test(survives_every_failing_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
