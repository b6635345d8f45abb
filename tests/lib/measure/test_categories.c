/* Tests bytes counted by category: exact sums whatever the threads do, and peaks as exact as
   documented. */
#include "support/test.h"

#include <pthread.h>

#include <tacho/memory.h>

#include "lib/measure/memory_categories.h"
#include "lib/measure/thread_slot.h"

enum { KIB = 1024 };

static tacho_memory *new_memory(void)
{
    tacho_memory *m = NULL;

    assert_int_equal(tacho_memory_new("test", &m, NULL), 0);
    return m;
}

static tacho_memory_peak peak_of(tacho_memory *m, int category)
{
    tacho_memory_peak peak = TACHO_MEMORY_PEAK_INIT;

    assert_int_equal(tacho_memory_category_peak(m, category, &peak, NULL), 0);
    return peak;
}

static void counts_categories(void **state)
{
    tacho_memory *m = new_memory();
    tacho_memory_snapshot s = TACHO_MEMORY_SNAPSHOT_INIT;
    tacho_memory_peak peak = TACHO_MEMORY_PEAK_INIT;
    int weights = tacho_memory_category(m, "weights", NULL);

    (void)state;
    assert_int_equal(weights, 3);
    assert_int_equal(tacho_memory_category(m, "weights", NULL), 3);
    assert_int_equal(tacho_memory_category(m, "kv_cache", NULL), TACHO_MEMORY_KV_CACHE);
    tacho_memory_add(m, TACHO_MEMORY_KV_CACHE, 1000);
    tacho_memory_add(m, TACHO_MEMORY_KV_CACHE, 500);
    tacho_memory_add(m, TACHO_MEMORY_KV_CACHE, -1200);
    tacho_memory_add(m, TACHO_MEMORY_ACTIVATIONS, 7);
    tacho_memory_add(m, weights, -5); /* more than was added */
    assert_int_equal(tacho_memory_category_peak(m, TACHO_MEMORY_KV_CACHE, &peak, NULL), 0);
    assert_true(peak.timestamp_us == 0);
    assert_int_equal(tacho_memory_snapshot_take(m, TACHO_MEMORY_BASIC, &s, NULL), 0);
    assert_true(s.kv_cache_bytes == 300 && s.activation_bytes == 7 && s.temp_buffer_bytes == 0);
    assert_int_equal(tacho_memory_held(m, weights), 0);
    assert_int_equal(tacho_memory_category_peak(m, TACHO_MEMORY_KV_CACHE, &peak, NULL), 0);
    assert_string_equal(peak.name, "kv_cache");
    assert_true(peak.now == 300 && peak.peak == 1500 && peak.timestamp_us == s.timestamp_us);
    assert_int_equal(tacho_memory_category_peak(m, 4, &peak, NULL), TACHO_EINVAL);
    tacho_memory_free(m);
}

static void the_number_of_categories_is_limited(void **state)
{
    tacho_memory *m = new_memory();
    tacho_error err;
    char name[80];

    (void)state;
    for (int i = 3; i < TACHO_MEMORY_CATEGORIES; i++) {
        snprintf(name, sizeof name, "c%d", i);
        assert_int_equal(tacho_memory_category(m, name, NULL), i);
    }
    assert_int_equal(tacho_memory_category(m, "more", &err), TACHO_ELIMIT);
    assert_int_equal(tacho_memory_category(m, "", &err), TACHO_EINVAL);
    memset(name, 'x', 64);
    name[64] = '\0';
    assert_int_equal(tacho_memory_category(m, name, &err), TACHO_EINVAL);
    tacho_memory_free(m);
}

enum { THREADS = 4, TIMES = 20000 };

static void *count_some(void *arg)
{
    for (int i = 0; i < TIMES; i++) {
        tacho_memory_add(arg, TACHO_MEMORY_TEMP_BUFFERS, 3);
        tacho_memory_add(arg, TACHO_MEMORY_TEMP_BUFFERS, -2);
    }
    return NULL;
}

static void threads_count_together_while_it_samples(void **state)
{
    tacho_memory *m = new_memory();
    pthread_t threads[THREADS];
    tacho_memory_peak peak = TACHO_MEMORY_PEAK_INIT;
    tacho_memory_report report = TACHO_MEMORY_REPORT_INIT;
    tacho_error err;

    (void)state;
    assert_int_equal(tacho_memory_start(m, TACHO_MEMORY_BASIC, 0, &err), TACHO_EINVAL);
    assert_int_equal(tacho_memory_start(m, TACHO_MEMORY_BASIC, 1000000, &err), 0);
    assert_int_equal(tacho_memory_start(m, TACHO_MEMORY_BASIC, 1000000, &err), TACHO_EALREADY);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_some, m), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    do /* the threads may be faster than the first check */
        assert_int_equal(tacho_memory_summary(m, &report, NULL), 0);
    while (report.snapshots < 2);
    assert_int_equal(tacho_memory_stop(m, &err), 0);
    assert_int_equal(tacho_memory_stop(m, &err), 0);
    assert_int_equal(tacho_memory_category_peak(m, TACHO_MEMORY_TEMP_BUFFERS, &peak, NULL), 0);
    assert_true(peak.now == THREADS * TIMES && peak.peak >= peak.now + 2);
    assert_true(peak.timestamp_us > 0);
    assert_int_equal(tacho_memory_summary(m, &report, NULL), 0);
    assert_true(report.peak_rss >= report.mean_rss);
    tacho_memory_free(m);
}

/* Adds and removes small and large amounts, and compares the peak with a plain count. */
static void one_thread_has_exact_peaks(void **state)
{
    tacho_memory *m = new_memory();
    uint64_t random = 1;
    int64_t now = 0;
    int64_t most = 0;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        int64_t bytes;

        random = random * 6364136223846793005u + 1442695040888963407u;
        bytes = (int64_t)(random >> 33) >> (random >> 59);
        bytes = (random >> 32 & 1) && bytes <= now ? -bytes : bytes;
        tacho_memory_add(m, TACHO_MEMORY_KV_CACHE, bytes);
        now += bytes;
        most = now > most ? now : most;
        if (i % 97 == 0)
            assert_int_equal(tacho_memory_snapshot_take(m, TACHO_MEMORY_BASIC, NULL, NULL), 0);
        assert_int_equal(tacho_memory_held(m, TACHO_MEMORY_KV_CACHE), now);
        if (i % 7 == 0)
            assert_int_equal(peak_of(m, TACHO_MEMORY_KV_CACHE).peak, most);
    }
    assert_int_equal(peak_of(m, TACHO_MEMORY_KV_CACHE).peak, most);
    tacho_memory_free(m);
}

static void bytes_of_another_thread_can_be_freed(void **state)
{
    tacho_memory *m = new_memory();
    pthread_t thread;

    (void)state;
    tacho_memory_add(m, TACHO_MEMORY_TEMP_BUFFERS,
                     -TIMES); /* the bytes that the other thread leaves */
    assert_int_equal(pthread_create(&thread, NULL, count_some, m), 0);
    pthread_join(thread, NULL);
    assert_int_equal(tacho_memory_held(m, TACHO_MEMORY_TEMP_BUFFERS), 0);
    tacho_memory_free(m);
}

/* More threads at the same time than there are slots, so some of them share one. */
enum { CROWD = TCH_THREAD_SLOTS + 16, EACH = 1024 * KIB };

struct crowd {
    tacho_memory *m;
    pthread_barrier_t all;
};

static void *take_and_give_back(void *arg)
{
    struct crowd *crowd = arg;

    for (int i = 0; i < EACH; i += 4 * KIB)
        tacho_memory_add(crowd->m, TACHO_MEMORY_ACTIVATIONS, 4 * KIB);
    pthread_barrier_wait(&crowd->all);
    for (int i = 0; i < EACH; i += KIB)
        tacho_memory_add(crowd->m, TACHO_MEMORY_ACTIVATIONS, -KIB);
    return NULL;
}

static void more_threads_than_slots_count_exactly(void **state)
{
    static pthread_t threads[CROWD];
    struct crowd crowd = {.m = new_memory()};
    uint64_t most = (uint64_t)CROWD * EACH;
    tacho_memory_peak peak = TACHO_MEMORY_PEAK_INIT;

    (void)state;
    pthread_barrier_init(&crowd.all, NULL, CROWD);
    for (int i = 0; i < CROWD; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_give_back, &crowd), 0);
    for (int i = 0; i < CROWD; i++)
        pthread_join(threads[i], NULL);
    peak = peak_of(crowd.m, TACHO_MEMORY_ACTIVATIONS);
    assert_int_equal(peak.now, 0);
    assert_in_range(peak.peak, most - CROWD * 64 * KIB, most + CROWD * 64 * KIB);
    pthread_barrier_destroy(&crowd.all);
    tacho_memory_free(crowd.m);
}

static void *slot_of_a_thread(void *slot)
{
    *(unsigned *)slot = tch_thread_slot();
    return NULL;
}

static void threads_release_their_slot_at_exit(void **state)
{
    unsigned used = 0;

    (void)state;
    for (int i = 0; i < 2 * TCH_THREAD_SLOTS; i++) {
        unsigned slot = TCH_NO_SLOT;
        pthread_t thread;

        assert_int_equal(pthread_create(&thread, NULL, slot_of_a_thread, &slot), 0);
        pthread_join(thread, NULL);
        assert_int_not_equal(slot, TCH_NO_SLOT);
        if (i > 0)
            assert_int_equal(slot, used);
        used = slot;
    }
    assert_int_equal(tch_thread_slot(), tch_thread_slot());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_categories),
        cmocka_unit_test(the_number_of_categories_is_limited),
        cmocka_unit_test(threads_count_together_while_it_samples),
        cmocka_unit_test(one_thread_has_exact_peaks),
        cmocka_unit_test(bytes_of_another_thread_can_be_freed),
        cmocka_unit_test(threads_release_their_slot_at_exit),
        cmocka_unit_test(more_threads_than_slots_count_exactly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
