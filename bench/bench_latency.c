/* Measures exact statistics of many latencies, recording into a histogram, and two threads on one
   recorder. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <tacho/latency.h>

#include "bench.h"

enum {
    COUNT = 10000000,
    QUICK_COUNT = 100000,
    NEAR = 32768, /* values that are recorded again and again */
    SHORT = 10,   /* recording has this many times as many rounds, each this many times shorter */
    THREADS = 2
};

struct values {
    uint64_t *x;
    size_t n;
    tacho_latency_stats expected;
};

/* Makes realistic latencies: most near 20 us, with a tail up to seconds. */
static void values_fill(struct values *v)
{
    uint64_t random = 1;

    for (size_t i = 0; i < v->n; i++) {
        uint64_t r = bench_random(&random);
        unsigned tail = (unsigned)__builtin_ctzll(r | (uint64_t)1 << 40) / 2;

        v->x[i] = 15000 + (r >> 20) % ((uint64_t)10000 << tail);
    }
}

static int add_up(void *work, void *state)
{
    const struct values *v = work;
    uint64_t sum = 0;

    (void)state;
    for (size_t i = 0; i < v->n; i++)
        sum += v->x[i];
    return sum > 0 ? 0 : -1;
}

static int by_select(void *work, void *state)
{
    const struct values *v = work;
    tacho_latency_stats got = TACHO_LATENCY_STATS_INIT;

    (void)state;
    if (tacho_latency_stats_of(v->x, v->n, &got, NULL) < 0)
        return -1;
    return got.p99 == v->expected.p99 && got.p50 == v->expected.p50 ? 0 : -1;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* The simple way: sorts a copy. */
static int by_qsort(void *work, void *state)
{
    const struct values *v = work;
    uint64_t *copy = malloc(v->n * sizeof *copy);
    double sum = 0;
    double squares = 0;
    int status = -1;

    (void)state;
    if (!copy)
        return -1;
    memcpy(copy, v->x, v->n * sizeof *copy);
    qsort(copy, v->n, sizeof *copy, by_value);
    for (size_t i = 0; i < v->n; i++)
        sum += (double)copy[i];
    for (size_t i = 0; i < v->n; i++)
        squares += ((double)copy[i] - sum / (double)v->n) * ((double)copy[i] - sum / (double)v->n);
    if (copy[(v->n * 99 + 99) / 100 - 1] == v->expected.p99 && squares > 0)
        status = 0;
    free(copy);
    return status;
}

/* Recording reads the same NEAR values repeatedly from the cache, so that it is timed, not reading
   memory. */
static size_t near_from(const struct values *v, size_t i)
{
    return v->n - i < NEAR ? v->n - i : NEAR;
}

/* The floor of recording: counts values by their low bits. */
static int count_low_bits(void *work, void *state)
{
    const struct values *v = work;
    static uint64_t counts[8192];

    (void)state;
    for (size_t i = 0; i < v->n; i += NEAR)
        for (size_t j = 0, n = near_from(v, i); j < n; j++)
            counts[v->x[j] & 8191]++;
    return counts[v->x[0] & 8191] > 0 ? 0 : -1;
}

static void *new_histogram(void *work, void *arg)
{
    tacho_histogram *h = NULL;

    (void)work;
    (void)arg;
    return tacho_histogram_new(&h, NULL) == 0 ? h : NULL;
}

static void free_histogram(void *state)
{
    tacho_histogram_free(state);
}

/* Rounds go into one histogram. */
static int recorded(const tacho_histogram *h, size_t a_round)
{
    return a_round > 0 && tacho_histogram_count(h) % a_round == 0 ? 0 : -1;
}

static int record_each(void *work, void *state)
{
    const struct values *v = work;
    const uint64_t *x = v->x; /* the compiler must assume that recording may change these */

    for (size_t i = 0; i < v->n; i += NEAR)
        for (size_t j = 0, n = near_from(v, i); j < n; j++)
            tacho_histogram_record(state, x[j]);
    return recorded(state, v->n);
}

static int record_all(void *work, void *state)
{
    const struct values *v = work;

    for (size_t i = 0; i < v->n; i += NEAR)
        tacho_histogram_record_all(state, v->x, near_from(v, i));
    return recorded(state, v->n);
}

/* One thread's half. */
struct half {
    const struct values *v;
    size_t from;
    void *recorder;
    pthread_mutex_t *lock;
};

static void *record_half(void *arg)
{
    const struct half *h = arg;

    for (size_t i = h->from; i < h->v->n; i += THREADS)
        tacho_latency_recorder_record(h->recorder, h->v->x[i % NEAR]);
    return NULL;
}

static void *record_half_locked(void *arg)
{
    const struct half *h = arg;

    for (size_t i = h->from; i < h->v->n; i += THREADS) {
        pthread_mutex_lock(h->lock);
        tacho_histogram_record(h->recorder, h->v->x[i % NEAR]);
        pthread_mutex_unlock(h->lock);
    }
    return NULL;
}

static int in_threads(const struct values *v, void *recorder, pthread_mutex_t *lock,
                      void *(*body)(void *))
{
    pthread_t threads[THREADS];
    struct half halves[THREADS];

    for (size_t i = 0; i < THREADS; i++) {
        halves[i] = (struct half){v, i, recorder, lock};
        if (pthread_create(&threads[i], NULL, body, &halves[i]) != 0)
            abort();
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

static void *new_recorder(void *work, void *arg)
{
    tacho_latency_recorder *r = NULL;

    (void)work;
    (void)arg;
    return tacho_latency_recorder_new(&r, NULL) == 0 ? r : NULL;
}

static void free_recorder(void *state)
{
    tacho_latency_recorder_free(state);
}

static int share_recorder(void *work, void *state)
{
    return in_threads(work, state, NULL, record_half);
}

static int share_locked(void *work, void *state)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

    return in_threads(work, state, &lock, record_half_locked);
}

static int compare_statistics(struct values *v, const struct bench_options *o)
{
    const struct bench_contender contenders[] = {
        {.name = "sum (floor)", .role = BENCH_FLOOR, .run = add_up},
        {.name = "tacho", .role = BENCH_OURS, .run = by_select},
        {.name = "qsort", .role = BENCH_PEER, .run = by_qsort},
    };
    const struct bench_target targets[] = {{"tacho", "qsort", 4}};
    const struct bench_case c = {.name = "exact statistics of latencies",
                                 .work = v,
                                 .bytes = v->n * sizeof *v->x,
                                 .operations = v->n,
                                 .operation = "value",
                                 .contenders = contenders,
                                 .contender_count = 3,
                                 .targets = targets,
                                 .target_count = 1};

    return bench_compare(&c, o);
}

/* Runs many rounds of a millisecond, so that rounds in which the machine was busy do not change the
   median. */
static int compare_recording(const struct values *all, const struct bench_options *o)
{
    struct values v = {.x = all->x, .n = all->n / SHORT};
    struct bench_options many = *o;
    const struct bench_contender contenders[] = {
        {.name = "counts by low bits (floor)", .role = BENCH_FLOOR, .run = count_low_bits},
        {.name = "tacho, one a call",
         .role = BENCH_OURS,
         .setup = new_histogram,
         .run = record_each,
         .teardown = free_histogram,
         .most_floors = 2.2},
        {.name = "tacho, all at once",
         .role = BENCH_OURS,
         .setup = new_histogram,
         .run = record_all,
         .teardown = free_histogram},
        {.name = "HdrHistogram_c",
         .role = BENCH_PEER,
         .missing = "not installed (no package in Debian 12)"},
    };
    const struct bench_case c = {.name = "recording into a histogram",
                                 .work = &v,
                                 .bytes = v.n * sizeof *v.x,
                                 .operations = v.n,
                                 .operation = "record",
                                 .contenders = contenders,
                                 .contender_count = 4};

    many.rounds *= SHORT;
    return bench_compare(&c, &many);
}

static int compare_sharing(struct values *v, const struct bench_options *o)
{
    const struct bench_contender contenders[] = {
        {.name = "tacho",
         .role = BENCH_OURS,
         .setup = new_recorder,
         .run = share_recorder,
         .teardown = free_recorder},
        {.name = "a histogram and a mutex",
         .role = BENCH_PEER,
         .setup = new_histogram,
         .run = share_locked,
         .teardown = free_histogram},
    };
    const struct bench_target targets[] = {{"tacho", "a histogram and a mutex", 10}};
    const struct bench_case c = {.name = "two threads, one recorder",
                                 .work = v,
                                 .bytes = v->n * sizeof *v->x,
                                 .operations = v->n,
                                 .operation = "record",
                                 .contenders = contenders,
                                 .contender_count = 2,
                                 .targets = targets,
                                 .target_count = 1};

    return bench_compare(&c, o);
}

int main(int argc, char **argv)
{
    struct bench_options o;
    struct values v = {.expected = TACHO_LATENCY_STATS_INIT};
    int status = EXIT_FAILURE;

    if (bench_parse(&argc, argv, &o) < 0)
        return EXIT_FAILURE;
    v.n = o.quick ? QUICK_COUNT : COUNT;
    v.x = malloc(v.n * sizeof *v.x);
    if (!v.x)
        return EXIT_FAILURE;
    values_fill(&v);
    if (tacho_latency_stats_of(v.x, v.n, &v.expected, NULL) == 0 &&
        compare_statistics(&v, &o) == 0 && compare_recording(&v, &o) == 0 &&
        compare_sharing(&v, &o) == 0)
        status = EXIT_SUCCESS;
    free(v.x);
    return status;
}
