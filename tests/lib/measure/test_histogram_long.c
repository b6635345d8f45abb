/* Records a hundred million latencies: the histogram stays within its documented error of the
   exact answer. */
#include "support/test.h"

#include <math.h>

#include <tacho/latency.h>

enum { N = 100000000 };

static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9E3779B97F4A7C15u;

    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* Returns a typical latency: most are near 20 us, with a long tail up to seconds. */
static uint64_t latency(uint64_t *seed)
{
    uint64_t r = next_random(seed);
    unsigned tail = (unsigned)__builtin_ctzll(r | (uint64_t)1 << 40) / 2;

    return 15000 + (r >> 20) % ((uint64_t)10000 << tail);
}

static void near(uint64_t got, uint64_t exact)
{
    if (fabs((double)got - (double)exact) > (double)exact * TACHO_HISTOGRAM_ERROR)
        fail_msg("got %llu, exactly %llu", (unsigned long long)got, (unsigned long long)exact);
}

static void a_hundred_million_stay_within_the_error(void **state)
{
    uint64_t *x = malloc(N * sizeof *x);
    tacho_histogram *h = NULL;
    tacho_latency_stats exact = TACHO_LATENCY_STATS_INIT;
    tacho_latency_stats got = TACHO_LATENCY_STATS_INIT;
    uint64_t seed = 42;

    (void)state;
    if (!x) {
        print_message("800 MB of memory are needed: not tested\n");
        skip();
    }
    assert_int_equal(tacho_histogram_new(&h, NULL), 0);
    for (size_t i = 0; i < N; i++) {
        x[i] = latency(&seed);
        tacho_histogram_record(h, x[i]);
    }
    assert_int_equal(tacho_latency_stats_of(x, N, &exact, NULL), 0);
    assert_int_equal(tacho_histogram_stats(h, &got, NULL), 0);
    assert_true(got.n == N && got.min == exact.min && got.max == exact.max);
    near(got.p50, exact.p50);
    near(got.p90, exact.p90);
    near(got.p95, exact.p95);
    near(got.p99, exact.p99);
    near(got.p999, exact.p999);
    assert_true(fabs(got.mean / exact.mean - 1) <= TACHO_HISTOGRAM_ERROR);
    tacho_histogram_free(h);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_hundred_million_stay_within_the_error)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
