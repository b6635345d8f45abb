/* Tests the exact latency statistics and the list of records. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include <tacho/csv.h>
#include <tacho/latency.h>

#include "base/file.h"
#include "base/order.h"
#include "support/system.h"
#include "support/vectors.h"

static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9E3779B97F4A7C15u;

    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

static void check_stats(const struct test_case *c, void *arg)
{
    size_t n;
    uint64_t *x = test_u64s(test_member(c->input, "wall_time_us"), &n);
    tacho_latency_stats got = TACHO_LATENCY_STATS_INIT;

    (void)arg;
    assert_int_equal(tacho_latency_stats_of(x, n, &got, NULL), 0);
    assert_int_equal(got.n, test_u64(test_member(c->expect, "n")));
    assert_int_equal(got.p50, test_u64(test_member(c->expect, "p50_us")));
    assert_int_equal(got.p95, test_u64(test_member(c->expect, "p95_us")));
    assert_int_equal(got.p99, test_u64(test_member(c->expect, "p99_us")));
    test_same_f64(c->id, got.mean, test_f64_bits(test_member(c->expect, "mean_bits")));
    test_same_f64(c->id, got.std, test_f64_bits(test_member(c->expect, "std_bits")));
    free(x);
}

static void equals_the_reference(void **state)
{
    (void)state;
    test_each_case("latency_stats.jsonl", 33, check_stats, NULL);
}

static void five_values_by_hand(void **state)
{
    static const uint64_t x[] = {40, 10, 60, 30, 20};
    tacho_latency_stats got = TACHO_LATENCY_STATS_INIT;

    (void)state;
    assert_int_equal(tacho_latency_stats_of(x, 5, &got, NULL), 0);
    assert_true(got.n == 5 && got.min == 10 && got.p50 == 30 && got.p95 == 60 && got.p99 == 60);
    assert_true(got.max == 60 && got.mad == 10);
    assert_true(got.mean == 32 && fabs(got.std - 17.204650534085253) < 1e-14); /* root of 296 */
}

static void check_huge(const struct test_case *c, void *arg)
{
    size_t n;
    uint64_t *x = test_u64s(test_member(c->input, "wall_time_us"), &n);
    tacho_latency_stats got = TACHO_LATENCY_STATS_INIT;
    double mean = 0;

    (void)arg;
    assert_int_equal(tacho_latency_stats_of(x, n, &got, NULL), 0);
    for (size_t i = 0; i < n; i++)
        mean += (double)x[i] / (double)n;
    assert_true(fabs(got.mean / mean - 1) < 1e-14); /* the reference wraps around */
    assert_int_equal(got.p99, test_u64(test_member(c->expect, "p99_us")));
    free(x);
}

static void sums_that_pass_64_bits_do_not_wrap(void **state)
{
    (void)state;
    test_each_case("latency_overflow_quirk.jsonl", 4, check_huge, NULL);
}

static void twice_the_largest_value_has_it_as_mean(void **state)
{
    uint64_t x[] = {UINT64_MAX, UINT64_MAX};
    tacho_latency_stats got = TACHO_LATENCY_STATS_INIT;

    (void)state;
    assert_int_equal(tacho_latency_stats_of(x, 2, &got, NULL), 0);
    assert_true(got.mean == 0x1p64 && got.std == 0);
    assert_true(got.max == UINT64_MAX && got.min == UINT64_MAX && got.mad == 0);
}

static void no_values_give_zeros(void **state)
{
    tacho_latency_stats got = TACHO_LATENCY_STATS_INIT;

    (void)state;
    assert_int_equal(tacho_latency_stats_of(NULL, 0, &got, NULL), 0);
    assert_true(got.n == 0 && got.p50 == 0 && got.mean == 0 && got.max == 0);
}

/* Returns values of a given kind, as benchmarks, adversaries and coarse clocks produce them. */
static uint64_t value_of(int kind, uint64_t i, uint64_t *seed)
{
    uint64_t r = next_random(seed);

    switch (kind) {
    case 0:
        return r; /* all 64 bits */
    case 1:
        return 1000 + r % 5000; /* narrow */
    case 2:
        return (uint64_t)1 << (r % 64); /* powers of two */
    case 3:
        return 1000000000 + r % 1000; /* all in one bucket */
    case 4:
        return 42; /* equal */
    case 5:
        return r % 1000 == 0 ? r : 20000 + r % 300; /* outliers */
    case 6:
        return i; /* sorted */
    default:
        return r % 3;
    }
}

static void select_agrees_with_sorting(void **state)
{
    enum { N = 200003 };
    uint64_t *x = malloc(N * sizeof *x);
    uint64_t *sorted = malloc(2 * N * sizeof *sorted);

    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        uint64_t seed = 5;
        tacho_latency_stats got = TACHO_LATENCY_STATS_INIT;
        long double sum = 0;
        long double squares = 0;
        long double mean;

        for (size_t i = 0; i < N; i++)
            sum += (long double)(x[i] = sorted[i] = value_of(kind, i, &seed));
        mean = sum / N;
        for (size_t i = 0; i < N; i++)
            squares += ((long double)x[i] - mean) * ((long double)x[i] - mean);
        assert_int_equal(tacho_latency_stats_of(x, N, &got, NULL), 0);
        tch_sort_u64(sorted, sorted + N, N);
        for (size_t i = 1; i < N; i++)
            assert_true(sorted[i - 1] <= sorted[i]);
        assert_true(got.min == sorted[0] && got.max == sorted[N - 1]);
        assert_true(got.p50 == sorted[(N + 1) / 2 - 1]);
        assert_true(got.p90 == sorted[(N * 9 + 9) / 10 - 1]);
        assert_true(got.p95 == sorted[(N * 95 + 99) / 100 - 1]);
        assert_true(got.p99 == sorted[(N * 99 + 99) / 100 - 1]);
        assert_true(got.p999 == sorted[((uint64_t)N * 999 + 999) / 1000 - 1]);
        for (size_t i = 0; i < N; i++)
            sorted[i] = x[i] > got.p50 ? x[i] - got.p50 : got.p50 - x[i];
        tch_sort_u64(sorted, sorted + N, N);
        assert_true(got.mad == sorted[(N + 1) / 2 - 1]);
        assert_true(fabsl((long double)got.mean - mean) <= mean * 1e-15L);
        assert_true(fabsl((long double)got.std - sqrtl(squares / N)) <=
                    sqrtl(squares / N) * 1e-12L + 1e-12L);
    }
    free(x);
    free(sorted);
}

static void keeps_every_record(void **state)
{
    enum { N = 100000 };
    tacho_latency *list = NULL;
    tacho_latency_stats stats = TACHO_LATENCY_STATS_INIT;

    (void)state;
    unsetenv("TACHO_RUN_DIR");
    assert_int_equal(tacho_latency_new(&list, NULL), 0);
    for (uint64_t i = 0; i < N; i++) {
        tacho_latency_record r = {i, 1000 * (i + 1), i, 128};

        assert_int_equal(tacho_latency_add(list, &r, NULL), 0);
    }
    assert_int_equal(tacho_latency_count(list), N);
    for (uint64_t i = 0; i < N; i += 997) {
        tacho_latency_record r = tacho_latency_at(list, (size_t)i);

        assert_true(r.sample_id == i && r.wall_ns == 1000 * (i + 1) && r.kernel_ns == i &&
                    r.seq_len == 128);
    }
    assert_int_equal(tacho_latency_wall_stats(list, &stats, NULL), 0);
    assert_true(stats.n == N && stats.p95 == 95000000 && stats.max == 100000000);
    tacho_latency_free(list);
    tacho_latency_free(NULL);
}

static void expect_file(const char *path, const char *content)
{
    struct tch_buf b;

    tch_buf_init(&b, 1 << 20);
    assert_int_equal(tch_file_read(path, 1 << 20, &b, NULL), 0);
    assert_string_equal(b.data, content);
    tch_buf_release(&b);
}

static void writes_microseconds_rounded(void **state)
{
    char path[128];
    tacho_latency *list = NULL;
    tacho_latency_record records[] = {{0, 1499, 499, 64}, {1, 1500, 500, 64}};

    (void)state;
    unsetenv("TACHO_RUN_DIR");
    snprintf(path, sizeof path, "%s/latency.csv", test_home);
    assert_int_equal(tacho_latency_new(&list, NULL), 0);
    assert_int_equal(tacho_latency_add(list, &records[0], NULL), 0);
    assert_int_equal(tacho_latency_add(list, &records[1], NULL), 0);
    assert_int_equal(tacho_latency_write_csv(list, path, NULL), 0);
    expect_file(path, "sample_id,wall_time_us,kernel_time_us,seq_len\n0,1,0,64\n1,2,1,64\n");
    tacho_latency_free(list);
}

static void accepts_and_returns_microseconds(void **state)
{
    char path[128];
    tacho_latency *list = NULL;
    tacho_latency_stats us = TACHO_LATENCY_STATS_INIT;
    tacho_latency_stats empty = TACHO_LATENCY_STATS_INIT;
    tacho_error err;

    (void)state;
    unsetenv("TACHO_RUN_DIR");
    snprintf(path, sizeof path, "%s/not/yet/latency.csv", test_home);
    assert_int_equal(tacho_latency_new(&list, NULL), 0);
    assert_int_equal(tacho_latency_wall_stats_us(list, &empty, NULL), 0);
    assert_int_equal(empty.n, 0);
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(
            tacho_latency_add_us(list, &(tacho_latency_record_us){i, 10 * (i + 1), 5, 128}, NULL),
            0);
    assert_int_equal(tacho_latency_at(list, 3).wall_ns, 40000);
    assert_int_equal(tacho_latency_at(list, 3).kernel_ns, 5000);
    assert_int_equal(tacho_latency_add(list, &(tacho_latency_record){.wall_ns = 49500}, NULL), 0);
    assert_int_equal(tacho_latency_wall_stats_us(list, &us, NULL), 0);
    assert_true(us.n == 5 && us.p50 == 30 && us.p95 == 50 && us.max == 50 && us.mean == 30);
    assert_true(us.std > 14.1421 && us.std < 14.1422);
    assert_int_equal(tacho_latency_write_csv(list, path, NULL), 0);
    expect_file(path, "sample_id,wall_time_us,kernel_time_us,seq_len\n0,10,5,128\n1,20,5,128\n"
                      "2,30,5,128\n3,40,5,128\n0,50,0,0\n");
    assert_int_equal(
        tacho_latency_add_us(list, &(tacho_latency_record_us){0, UINT64_MAX / 1000, 0, 0}, NULL),
        0);
    assert_int_equal(tacho_latency_add_us(
                         list, &(tacho_latency_record_us){0, 0, UINT64_MAX / 1000 + 1, 0}, &err),
                     TACHO_EINVAL);
    assert_int_equal(tacho_latency_count(list), 6);
    tacho_latency_free(list);
}

static void writes_into_the_run_folder(void **state)
{
    char deep[128];
    char path[192];
    tacho_latency *first = NULL;
    tacho_latency *second = NULL;
    tacho_latency_record r = {7, 3001, 2000, 64};

    (void)state;
    snprintf(deep, sizeof deep, "%s/iter/0001", test_home);
    setenv("TACHO_RUN_DIR", deep, 1);
    assert_int_equal(tacho_latency_new(&first, NULL), 0);
    assert_int_equal(tacho_latency_new(&second, NULL), 0);
    unsetenv("TACHO_RUN_DIR");
    assert_int_equal(tacho_latency_add(first, &r, NULL), 0);
    tacho_latency_free(first);
    tacho_latency_free(second);
    snprintf(path, sizeof path, "%s/latency-ns.%ld.csv", deep, (long)getpid());
    expect_file(path, "sample_id,wall_ns,kernel_ns,seq_len\n7,3001,2000,64\n");
    snprintf(path, sizeof path, "%s/latency-ns.%ld.2.csv", deep, (long)getpid());
    expect_file(path, "sample_id,wall_ns,kernel_ns,seq_len\n");
}

static void a_run_folder_that_cannot_be_made_is_an_error(void **state)
{
    tacho_latency *list = NULL;
    tacho_error err;

    (void)state;
    setenv("TACHO_RUN_DIR", "/dev/null/x", 1);
    assert_int_equal(tacho_latency_new(&list, &err), TACHO_EIO);
    unsetenv("TACHO_RUN_DIR");
    assert_null(list);
    assert_non_null(strstr(err.message, "/dev/null"));
}

static int stats_once(void *arg)
{
    tacho_latency_stats s = TACHO_LATENCY_STATS_INIT;
    uint64_t *x = arg;

    return tacho_latency_stats_of(x, 40000, &s, NULL) < 0 ||
                   tacho_latency_stats_of(x, 100, &s, NULL) < 0
               ? -1
               : 0;
}

static int list_once(void *arg)
{
    tacho_latency *list;
    int status = 0;

    (void)arg;
    if (tacho_latency_new(&list, NULL) < 0)
        return -1;
    for (uint64_t i = 0; i < 5000 && status == 0; i++)
        status = tacho_latency_add(list, &(tacho_latency_record){.wall_ns = i}, NULL);
    tacho_latency_free(list);
    return status;
}

static void survives_every_failing_allocation(void **state)
{
    static uint64_t x[40000];

    (void)state;
    for (uint64_t i = 0; i < 40000; i++)
        x[i] = i * i;
    test_every_allocation_fails(stats_once, x);
    test_every_allocation_fails(list_once, NULL);
}

/* Programs compiled with an earlier, shorter struct and with a later, longer one. */
static void fills_structs_of_other_versions(void **state)
{
    static const uint64_t x[] = {3, 1, 2};
    struct {
        size_t size;
        uint64_t n, min;
        uint64_t after[9]; /* not part of the struct */
    } earlier = {.size = 3 * sizeof(uint64_t), .after = {7}};
    struct {
        tacho_latency_stats known;
        uint64_t more;
    } later = {.known = {.size = sizeof later}};

    (void)state;
    assert_int_equal(tacho_latency_stats_of(x, 3, (tacho_latency_stats *)&earlier, NULL), 0);
    assert_true(earlier.n == 3 && earlier.min == 1 && earlier.after[0] == 7);
    assert_int_equal(tacho_latency_stats_of(x, 3, &later.known, NULL), 0);
    assert_true(later.known.max == 3 && later.known.size == sizeof later && later.more == 0);
    later.more = 1;
    assert_int_equal(tacho_latency_stats_of(x, 3, &later.known, NULL), TACHO_EINVAL);
    later.known.size = 0;
    assert_int_equal(tacho_latency_stats_of(x, 3, &later.known, NULL), TACHO_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_structs_of_other_versions),
        cmocka_unit_test(five_values_by_hand),
        cmocka_unit_test(equals_the_reference),
        cmocka_unit_test(sums_that_pass_64_bits_do_not_wrap),
        cmocka_unit_test(twice_the_largest_value_has_it_as_mean),
        cmocka_unit_test(no_values_give_zeros),
        cmocka_unit_test(select_agrees_with_sorting),
        cmocka_unit_test(keeps_every_record),
        TEST_IN_HOME(writes_microseconds_rounded),
        TEST_IN_HOME(accepts_and_returns_microseconds),
        TEST_IN_HOME(writes_into_the_run_folder),
        cmocka_unit_test(a_run_folder_that_cannot_be_made_is_an_error),
        cmocka_unit_test(survives_every_failing_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
