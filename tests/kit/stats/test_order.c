/* Order statistics, their intervals, and Student's interval of a mean. */
#include "support/test.h"

#include <math.h>

#include "kit/stats/mean_interval.h"
#include "kit/stats/order_stats.h"
#include "support/vectors.h"

static void takes_the_mean_of_the_two_in_the_middle(void **state)
{
    double one[] = {5};
    double even[] = {4, 1, 3, 2};
    double odd[] = {9, 1, 5};

    (void)state;
    assert_true(tch_median(one, 1) == 5);
    assert_true(tch_median(even, 4) == 2.5);
    assert_true(tch_median(odd, 3) == 5);
}

static void finds_the_nearest_rank(void **state)
{
    (void)state;
    assert_int_equal(tch_nearest_rank(1, 0.99), 0);
    assert_int_equal(tch_nearest_rank(2, 0.5), 0);
    assert_int_equal(tch_nearest_rank(100, 0.95), 94);
    assert_int_equal(tch_nearest_rank(100, 0), 0);
    assert_int_equal(tch_nearest_rank(100, 1), 99);
}

static void check_percentile(const struct test_case *c, void *arg)
{
    size_t n;
    double *x = test_f64s_bits(test_member(c->input, "xs_bits"), &n);
    double q = test_f64_bits(test_member(c->input, "q_bits"));

    (void)arg;
    tch_sort(x, n);
    test_same_f64(c->id, tch_quantile_linear(x, n, q),
                  test_f64_bits(test_member(c->expect, "bits")));
    free(x);
}

static void interpolates_as_the_reference_does(void **state)
{
    (void)state;
    test_each_case("percentile_linear.jsonl", 28, check_percentile, NULL);
}

static void check_scalar(const struct test_case *c, void *arg)
{
    size_t n;
    double *x = test_f64s_bits(test_member(c->input, "xs_bits"), &n);
    struct test_json bits = test_member(c->expect, "bits");
    struct tch_scalar got;

    (void)arg;
    tch_scalar_of(x, n, &got);
    test_same_f64(c->id, got.mean, test_f64_bits(test_element(bits, 0)));
    test_same_f64(c->id, got.stddev, test_f64_bits(test_element(bits, 1)));
    test_same_f64(c->id, got.half_width, test_f64_bits(test_element(bits, 2)));
    free(x);
}

static void gives_students_interval_as_the_reference_does(void **state)
{
    (void)state;
    test_each_case("scalar_stats.jsonl", 16, check_scalar, NULL);
}

static void interpolates_between_ranks(void **state)
{
    static const double x[] = {1, 2, 3, 5};

    (void)state;
    assert_true(tch_quantile_linear(x, 4, 0) == 1 && tch_quantile_linear(x, 4, 1) == 5);
    assert_true(tch_quantile_linear(x, 4, 0.5) == 2.5);
    assert_true(fabs(tch_quantile_linear(x, 4, 0.9) - 4.4) <
                1e-12); /* 0.7 of the way from 3 to 5 */
    assert_true(tch_quantile_linear(x, 1, 0.9) == 1);
}

/* t with 4 degrees of freedom is 2.776 in every table. */
static void gives_students_interval_by_the_table(void **state)
{
    struct tch_scalar s;

    (void)state;
    tch_scalar_of((double[]){1, 2, 3, 4, 5}, 5, &s);
    assert_true(s.mean == 3 && fabs(s.stddev - sqrt(2.5)) < 1e-15);
    assert_true(fabs(s.half_width - 2.776 * sqrt(2.5 / 5)) < 1e-3);
}

static void has_no_interval_of_two_runs(void **state)
{
    struct tch_scalar s;

    (void)state;
    tch_scalar_of((double[]){1, 3}, 2, &s);
    assert_true(s.mean == 2 && s.half_width == 0 && fabs(s.stddev - sqrt(2)) < 1e-15);
    tch_scalar_of(NULL, 0, &s);
    assert_true(s.mean == 0 && s.stddev == 0 && s.half_width == 0);
}

/* From Hollander and Wolfe, Nonparametric Statistical Methods, and any table of sign test
   intervals. */
static void encloses_a_median_as_printed_tables_do(void **state)
{
    static const struct {
        size_t n, low, high;
        double level;
    } table[] = {{6, 1, 6, 0.96875},    {8, 1, 8, 0.9921875},  {10, 2, 9, 0.978515625},
                 {15, 4, 12, 0.96484},  {20, 6, 15, 0.95861},  {25, 8, 18, 0.95671},
                 {50, 18, 33, 0.96716}, {100, 40, 61, 0.96480}};

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct tch_rank_interval got;

        assert_int_equal(tch_quantile_interval(table[i].n, 0.5, 0.05, &got, NULL), 0);
        assert_int_equal(got.low + 1, table[i].low);
        assert_int_equal(got.high + 1, table[i].high);
        assert_true(fabs(got.level - table[i].level) < 1e-5);
    }
}

static void intervals_of_both_tails_are_symmetric(void **state)
{
    struct tch_rank_interval p99;
    struct tch_rank_interval p01;

    (void)state;
    assert_int_equal(tch_quantile_interval(10000, 0.99, 0.05, &p99, NULL), 0);
    assert_int_equal(tch_quantile_interval(10000, 0.01, 0.05, &p01, NULL), 0);
    assert_int_equal(p99.low, 9999 - p01.high);
    assert_int_equal(p99.high, 9999 - p01.low);
    assert_in_range(p99.low, 9878, 9882); /* 9900 less 1.96 times 9.95, and half a step */
    assert_in_range(p99.high, 9917, 9921);
    assert_int_equal(tch_quantile_interval(100000000, 0.5, 0.05, &p99, NULL), 0);
    assert_true(fabs((double)p99.low - (50000000 - 1.959964 * 5000)) < 3);
}

/* Compares with the normal approximation, which is close for all of these. */
static void encloses_every_percentile(void **state)
{
    static const double quantiles[] = {0.01, 0.05, 0.1, 0.3, 0.5, 0.9, 0.95, 0.99, 0.999};
    static const size_t sizes[] = {20000, 150000, 1000000, 30000000};

    (void)state;
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
            double mean = quantiles[i] * (double)sizes[j];
            double half = 1.959964 * sqrt(mean * (1 - quantiles[i]));
            struct tch_rank_interval got;

            assert_int_equal(tch_quantile_interval(sizes[j], quantiles[i], 0.05, &got, NULL), 0);
            assert_true(fabs((double)got.low - (mean - half)) < 3);
            assert_true(fabs((double)got.high - (mean + half)) < 3);
            assert_true(got.level >= 0.95 && got.level < 0.98);
        }
}

static void says_when_values_are_too_few_for_an_interval(void **state)
{
    struct tch_rank_interval got;
    tacho_error err;

    (void)state;
    assert_int_equal(tch_quantile_interval(5, 0.5, 0.05, &got, &err), TACHO_EINVAL);
    assert_string_equal(err.message, "5 values are too few for an interval at 0.95");
    assert_true(got.low == 0 && got.high == 4 && got.level == 0);
    assert_int_equal(tch_quantile_interval(0, 0.5, 0.05, &got, &err), TACHO_EINVAL);
    assert_int_equal(tch_quantile_interval(9, 1.5, 0.05, &got, &err), TACHO_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_mean_of_the_two_in_the_middle),
        cmocka_unit_test(finds_the_nearest_rank),
        cmocka_unit_test(interpolates_as_the_reference_does),
        cmocka_unit_test(gives_students_interval_as_the_reference_does),
        cmocka_unit_test(interpolates_between_ranks),
        cmocka_unit_test(gives_students_interval_by_the_table),
        cmocka_unit_test(has_no_interval_of_two_runs),
        cmocka_unit_test(encloses_a_median_as_printed_tables_do),
        cmocka_unit_test(intervals_of_both_tails_are_symmetric),
        cmocka_unit_test(encloses_every_percentile),
        cmocka_unit_test(says_when_values_are_too_few_for_an_interval),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
