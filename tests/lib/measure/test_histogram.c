/* Tests the histogram (its error, merging, correction, forms) and the recorder for threads. */
#include "support/test.h"

#include <math.h>
#include <pthread.h>
#include <unistd.h>

#include <tacho/latency.h>

#include "lib/measure/histogram.h"
#include "lib/measure/thread_slot.h"

static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9E3779B97F4A7C15u;

    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

static tacho_histogram *new_histogram(void)
{
    tacho_histogram *h = NULL;

    assert_int_equal(tacho_histogram_new(&h, NULL), 0);
    return h;
}

static void buckets_follow_each_other_without_gap(void **state)
{
    (void)state;
    assert_int_equal(tch_bucket_low(0), 0);
    for (unsigned b = 0; b + 1 < TACHO_HISTOGRAM_BUCKETS; b++) {
        assert_true(tch_bucket_high(b) + 1 == tch_bucket_low(b + 1));
        assert_int_equal(tacho_histogram_index(tch_bucket_low(b)), b);
        assert_int_equal(tacho_histogram_index(tch_bucket_high(b)), b);
        assert_true((double)(tch_bucket_high(b) - tch_bucket_middle(b)) <=
                    (double)tch_bucket_low(b) * TACHO_HISTOGRAM_ERROR);
    }
    assert_true(tch_bucket_high(TACHO_HISTOGRAM_BUCKETS - 1) == INT64_MAX);
}

static void small_values_are_exact(void **state)
{
    tacho_histogram *h = new_histogram();

    (void)state;
    for (uint64_t v = 0; v < 200; v++)
        tacho_histogram_record(h, v);
    assert_int_equal(tacho_histogram_count(h), 200);
    assert_int_equal(tacho_histogram_percentile(h, 50), 99);
    assert_int_equal(tacho_histogram_percentile(h, 99.5), 198);
    assert_int_equal(tacho_histogram_percentile(h, 100), 199);
    assert_int_equal(tacho_histogram_percentile(h, 0), 0);
    assert_true(fabs(tacho_histogram_mean(h) - 99.5) < 1e-12);
    tacho_histogram_free(h);
}

static void an_empty_one_answers_zero(void **state)
{
    tacho_histogram *h = new_histogram();
    tacho_latency_stats stats = TACHO_LATENCY_STATS_INIT;

    (void)state;
    assert_int_equal(tacho_histogram_min(h), 0);
    assert_int_equal(tacho_histogram_percentile(h, 99), 0);
    assert_true(tacho_histogram_mean(h) == 0 && tacho_histogram_std(h) == 0);
    assert_int_equal(tacho_histogram_stats(h, &stats, NULL), 0);
    assert_int_equal(stats.n, 0);
    tacho_histogram_free(h);
    tacho_histogram_free(NULL);
}

static bool near(double got, double exact)
{
    return fabs(got - exact) <= exact * TACHO_HISTOGRAM_ERROR + 1;
}

static void stays_within_its_error(void **state)
{
    enum { N = 300000 };
    uint64_t *x = malloc(N * sizeof *x);

    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        uint64_t seed = (uint64_t)kind;
        tacho_histogram *h = new_histogram();
        tacho_latency_stats exact = TACHO_LATENCY_STATS_INIT;
        tacho_latency_stats got = TACHO_LATENCY_STATS_INIT;

        for (size_t i = 0; i < N; i++) {
            uint64_t r = next_random(&seed);

            x[i] = kind == 0 ? r >> (1 + r % 63) : kind == 1 ? 20000 + r % 9000 : r >> 30;
        }
        tacho_histogram_record_all(h, x, N);
        assert_int_equal(tacho_latency_stats_of(x, N, &exact, NULL), 0);
        assert_int_equal(tacho_histogram_stats(h, &got, NULL), 0);
        assert_true(got.n == N && got.min == exact.min && got.max == exact.max);
        assert_true(near((double)got.p50, (double)exact.p50));
        assert_true(near((double)got.p95, (double)exact.p95));
        assert_true(near((double)got.p99, (double)exact.p99));
        assert_true(near((double)got.p999, (double)exact.p999));
        assert_true(near(got.mean, exact.mean));
        assert_true(fabs(got.std / exact.std - 1) < 0.01);
        assert_true(fabs((double)got.mad - (double)exact.mad) <=
                    (double)exact.p50 * 3 * TACHO_HISTOGRAM_ERROR + (double)exact.mad * 0.01 + 1);
        tacho_histogram_free(h);
    }
    free(x);
}

static void larger_values_count_as_the_largest(void **state)
{
    tacho_histogram *h = new_histogram();

    (void)state;
    tacho_histogram_record(h, UINT64_MAX);
    assert_true(tacho_histogram_max(h) == TACHO_HISTOGRAM_MAX);
    assert_int_equal(tacho_histogram_count(h), 1);
    tacho_histogram_free(h);
}

static void merging_equals_recording_both(void **state)
{
    tacho_histogram *a = new_histogram();
    tacho_histogram *b = new_histogram();
    tacho_histogram *both = new_histogram();
    uint64_t seed = 3;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        uint64_t v = next_random(&seed) >> 20;

        tacho_histogram_record(i % 3 ? a : b, v);
        tacho_histogram_record_count(both, v, 1);
    }
    tacho_histogram_record_count(both, 1, 0); /* a count of 0 adds nothing */
    tacho_histogram_merge(a, b);
    assert_memory_equal(a, both, sizeof *a);
    tacho_histogram_reset(b);
    tacho_histogram_merge(a, b);
    assert_memory_equal(a, both, sizeof *a);
    tacho_histogram_free(a);
    tacho_histogram_free(b);
    tacho_histogram_free(both);
}

/* Compares with one record for each value that was omitted. */
static void corrects_for_omission_as_one_by_one(void **state)
{
    static const uint64_t cases[][2] = {{1000, 100},  {1005, 100}, {99, 100},   {100, 100},
                                        {199, 100},   {200, 100},  {123456, 7}, {5, 0},
                                        {1000000, 1}, {300, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tacho_histogram *fast = new_histogram();
        tacho_histogram *plain = new_histogram();
        uint64_t value = cases[i][0];
        uint64_t interval = cases[i][1];

        tacho_histogram_record_corrected(fast, value, interval);
        tacho_histogram_record(plain, value);
        while (interval > 0 && value >= 2 * interval) {
            value -= interval;
            tacho_histogram_record(plain, value);
        }
        assert_memory_equal(fast, plain, sizeof *fast);
        tacho_histogram_free(fast);
        tacho_histogram_free(plain);
    }
}

static void an_hour_at_a_nanosecond_is_corrected_at_once(void **state)
{
    tacho_histogram *h = new_histogram();

    (void)state;
    tacho_histogram_record_corrected(h, 3600000000000, 1);
    assert_true(tacho_histogram_count(h) == 3600000000000);
    assert_true(near((double)tacho_histogram_percentile(h, 50), 1800000000000.0));
    tacho_histogram_free(h);
}

static void is_read_back_from_its_binary_form(void **state)
{
    tacho_histogram *h = new_histogram();
    tacho_histogram *back = NULL;
    uint64_t seed = 1;
    void *data;
    size_t len;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        uint64_t r = next_random(&seed);

        tacho_histogram_record_count(h, r >> (1 + r % 63), r % 1000000000000);
    }
    h->counts[17] = 0;
    tacho_histogram_record_count(h, 17, INT64_MAX); /* nine bytes of LEB128 */
    assert_int_equal(tacho_histogram_encode(h, &data, &len, NULL), 0);
    assert_memory_equal(data, "\x1c\x84\x93\x14", 4);
    assert_int_equal(tacho_histogram_decode(data, len, &back, NULL), 0);
    assert_memory_equal(back->counts, h->counts, sizeof h->counts);
    assert_true(tacho_histogram_index(back->min) == tacho_histogram_index(h->min));
    assert_true(tacho_histogram_index(back->max) == tacho_histogram_index(h->max));
    for (size_t cut = 0; cut < len; cut += 1 + cut / 3) {
        tacho_histogram *none = NULL;

        assert_int_equal(tacho_histogram_decode(data, cut, &none, NULL), TACHO_EPARSE);
        assert_null(none);
    }
    ((unsigned char *)data)[len - 10] ^= 1;
    free(back);
    assert_int_equal(tacho_histogram_decode(data, len, &back, NULL), TACHO_EPARSE);
    free(data);
    tacho_histogram_free(h);
}

static void writes_lines_that_hdr_histogram_reads(void **state)
{
    tacho_histogram *h = new_histogram();
    tacho_histogram *back = NULL;
    char *line;

    (void)state;
    for (uint64_t v = 0; v < 100; v++)
        tacho_histogram_record(h, v * 1000);
    assert_int_equal(tacho_histogram_line(h, "decode", 12.5, 1, &line, NULL), 0);
    assert_true(strncmp(line, "Tag=decode,12.500,1.000,0.099,HISTFA", 36) == 0);
    assert_int_equal(tacho_histogram_parse_line(line, strlen(line), &back, NULL), 0);
    assert_memory_equal(back->counts, h->counts, sizeof h->counts);
    free(line);
    assert_int_equal(tacho_histogram_log_head(1700000000.25, &line, NULL), 0);
    assert_non_null(strstr(line, "#[Histogram log format version 1.3]\n"));
    assert_non_null(strstr(line, "#[StartTime: 1700000000.250 (seconds since epoch)]\n"));
    free(line);
    tacho_histogram_free(back);
    tacho_histogram_free(h);
}

static void refuses_data_that_is_not_a_histogram(void **state)
{
    tacho_histogram *h = new_histogram();
    tacho_histogram *none = NULL;
    tacho_error err;
    char *line;
    /* A deflated histogram from the logs of HdrHistogram's own tests. */
    static const char deflated[] =
        "0.127,1.007,2.769,"
        "HISTFAAAAEV42pNpmSzMwMCgyAABTBDKT4GBgdnNYMcCBvsPEBEJISEuATEZMQ4uASkhIR4nr"
        "xg9v2lMaxhvMekILGZkKmcCAEf2CsI=";

    (void)state;
    assert_int_equal(tacho_histogram_line(h, "a,b", 0, 1, &line, &err), TACHO_EINVAL);
    assert_int_equal(tacho_histogram_line(h, NULL, NAN, 1, &line, &err), TACHO_EINVAL);
    assert_int_equal(tacho_histogram_log_head(INFINITY, &line, &err), TACHO_EINVAL);
    assert_int_equal(tacho_histogram_parse_line("x", 1, &none, &err), TACHO_EPARSE);
    assert_int_equal(tacho_histogram_parse_line("1,2,3,!!!", 9, &none, &err), TACHO_EPARSE);
    assert_string_equal(err.message, "not a histogram: it contains a character that is not base64");
    assert_int_equal(tacho_histogram_parse_line("1,2,3,AAAA", 10, &none, &err), TACHO_EPARSE);
    assert_int_equal(tacho_histogram_parse_line(deflated, sizeof deflated - 1, &none, &err),
                     TACHO_EUNSUPPORTED);
    assert_null(none);
    tacho_histogram_free(h);
}

enum { EACH = 20000, CROWD = TCH_THREAD_SLOTS + 16 };

static pthread_barrier_t all_recorded;

static void *record_many(void *arg)
{
    uint64_t seed = 9;

    for (int i = 0; i < EACH; i++)
        tacho_latency_recorder_record(arg, next_random(&seed) >> 40);
    pthread_barrier_wait(
        &all_recorded); /* no thread exits earlier, so none gets a shard that was released */
    return NULL;
}

static void threads_lose_nothing(void **state)
{
    static pthread_t threads[CROWD]; /* some of them share a shard */
    tacho_latency_recorder *r = NULL;
    tacho_histogram *all = new_histogram();
    tacho_histogram *expected = new_histogram();
    uint64_t seed = 9;

    (void)state;
    assert_int_equal(tacho_latency_recorder_new(&r, NULL), 0);
    pthread_barrier_init(&all_recorded, NULL, CROWD);
    for (int i = 0; i < CROWD; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, record_many, r), 0);
    for (int i = 0; i < CROWD; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&all_recorded);
    tacho_latency_recorder_record(r, UINT64_MAX);
    for (int i = 0; i < EACH; i++)
        tacho_histogram_record_count(expected, next_random(&seed) >> 40, CROWD);
    tacho_histogram_record(expected, UINT64_MAX);
    tacho_latency_recorder_snapshot(r, all);
    assert_memory_equal(all, expected, sizeof *all);
    tacho_latency_recorder_free(r);
    tacho_latency_recorder_free(NULL);
    tacho_histogram_free(all);
    tacho_histogram_free(expected);
}

static void walks_over_all_buckets(void **state)
{
    tacho_histogram *h = new_histogram();
    tacho_histogram_bucket b;
    size_t at = 0;

    (void)state;
    tacho_histogram_record(h, 5);
    tacho_histogram_record_count(h, 1000, 3);
    assert_int_equal(tacho_histogram_next(h, &at, &b), 1);
    assert_true(b.low == 5 && b.high == 5 && b.count == 1);
    assert_int_equal(tacho_histogram_next(h, &at, &b), 1);
    assert_true(b.low == 1000 && b.high == 1003 && b.count == 3);
    assert_int_equal(tacho_histogram_next(h, &at, &b), 0);
    tacho_histogram_free(h);
}

static int forms_once(void *arg)
{
    tacho_histogram *h = NULL;
    tacho_histogram *back = NULL;
    tacho_latency_recorder *r = NULL;
    void *data = NULL;
    char *line = NULL;
    size_t len;
    int status = -1;

    (void)arg;
    if (tacho_histogram_new(&h, NULL) < 0)
        return -1;
    tacho_histogram_record(h, 70000);
    if (tacho_latency_recorder_new(&r, NULL) == 0 &&
        tacho_histogram_encode(h, &data, &len, NULL) == 0 &&
        tacho_histogram_decode(data, len, &back, NULL) == 0 &&
        tacho_histogram_line(h, NULL, 0, 1, &line, NULL) == 0)
        status = 0;
    free(line);
    free(data);
    tacho_latency_recorder_free(r);
    tacho_histogram_free(back);
    tacho_histogram_free(h);
    return status;
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    test_every_allocation_fails(forms_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_follow_each_other_without_gap),
        cmocka_unit_test(small_values_are_exact),
        cmocka_unit_test(an_empty_one_answers_zero),
        cmocka_unit_test(stays_within_its_error),
        cmocka_unit_test(larger_values_count_as_the_largest),
        cmocka_unit_test(merging_equals_recording_both),
        cmocka_unit_test(corrects_for_omission_as_one_by_one),
        cmocka_unit_test(an_hour_at_a_nanosecond_is_corrected_at_once),
        cmocka_unit_test(is_read_back_from_its_binary_form),
        cmocka_unit_test(writes_lines_that_hdr_histogram_reads),
        cmocka_unit_test(refuses_data_that_is_not_a_histogram),
        cmocka_unit_test(threads_lose_nothing),
        cmocka_unit_test(walks_over_all_buckets),
        cmocka_unit_test(survives_every_failing_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
