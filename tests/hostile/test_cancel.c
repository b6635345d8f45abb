/* Cancels threads while they record spans, events, Chrome events, latencies and memory. A cancelled
   thread must not keep a lock: the other threads continue, the program exits, and the files
   are complete. */
#include "support/test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include <tacho/chrome.h>
#include <tacho/event.h>
#include <tacho/latency.h>
#include <tacho/memory.h>
#include <tacho/trace.h>

#include "base/file.h"
#include "lib/trace/recording_file.h"
#include "lib/trace/recording_walk.h"
#include "support/system.h"

enum {
    CANCELS = TEST_TSAN ? 200 : 1000,
    AT_ONCE = 4,
    PATIENCE_S = 240, /* a hang ends the child by SIGALRM, which fails the test */
};

/* The writers that all threads share. */
static struct {
    tacho_event_writer *events;
    tacho_chrome *chrome;
    tacho_latency_recorder *latency;
    tacho_memory *memory;
    int cancel_type;
    atomic_uint rounds;
} all;

static void record_once(unsigned i)
{
    char name[32];

    snprintf(name, sizeof name, "name %u", i % 5000); /* new names take the recorder's lock */
    for (int n = 0; n < 200; n++) {
        TACHO_SPAN("plain", "cancel");
    }
    tacho_span_begin(name, "cancel");
    tacho_instant("instant", "cancel", TACHO_SCOPE_THREAD, TACHO_FIELDS(tacho_u64("i", i)));
    tacho_span_end();
    (void)!tacho_event_push(all.events, "event", TACHO_FIELDS(tacho_u64("i", i)),
                            TACHO_FIELDS(tacho_text("text", "needs \"escapes\"")), false, NULL);
    (void)!tacho_chrome_push(all.chrome, name, "cancel", 0.1, 1, TACHO_NO_FIELDS, NULL);
    tacho_latency_recorder_record(all.latency, i);
    tacho_memory_add(all.memory, TACHO_MEMORY_KV_CACHE, 40000);
    tacho_memory_add(all.memory, TACHO_MEMORY_KV_CACHE, -40000);
    (void)!tacho_memory_snapshot_take(all.memory, TACHO_MEMORY_BASIC, NULL, NULL);
}

static void *record_for_ever(void *arg)
{
    int before;

    (void)arg;
    pthread_setcanceltype(all.cancel_type, &before);
    for (;;) {
        record_once(atomic_fetch_add(&all.rounds, 1));
        pthread_testcancel(); /* the library has no cancellation points */
    }
    return NULL;
}

static int cancel_some(void)
{
    unsigned seen = atomic_load(&all.rounds);
    pthread_t threads[AT_ONCE];

    for (int i = 0; i < AT_ONCE; i++)
        if (pthread_create(&threads[i], NULL, record_for_ever, NULL) != 0)
            return 1;
    while (atomic_load(&all.rounds) < seen + AT_ONCE)
        sched_yield();
    /* The result of the threads is not checked: with glibc 2.36 it is NULL if
       pthread_setcancelstate() finds that its thread was cancelled asynchronously. */
    for (int i = 0; i < AT_ONCE; i++)
        if (pthread_cancel(threads[i]) != 0 || pthread_join(threads[i], NULL) != 0)
            return 1;
    return 0;
}

static int ignore(void *ctx, const struct tch_seen_event *e)
{
    (void)ctx;
    (void)e;
    return 0;
}

/* Returns 0 when every line is one whole event. */
static int check_events(const char *path)
{
    tacho_event_list *list = NULL;
    struct tch_buf b;
    int status;

    tch_buf_init(&b, 1 << 30);
    status = tch_file_read(path, 1 << 30, &b, NULL);
    if (status == 0)
        status = tacho_event_list_from_jsonl(b.data, b.len, &list, NULL);
    tacho_event_list_free(list);
    tch_buf_release(&b);
    return status;
}

static int check_recording(const char *path)
{
    struct tch_recording r;

    if (tch_recording_open(&r, path, NULL) < 0 || tch_recording_walk(&r, ignore, NULL, NULL) < 0)
        return 21;
    tch_recording_close(&r);
    /* A thread has at most two spans open when it is cancelled. */
    if (r.head.dropped != 0 || r.lost_begins != 0 || r.spans < (uint64_t)CANCELS)
        return 22;
    return r.head.ended ? 0 : 23;
}

static int open_all(void)
{
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;

    config.path = test_at("p.jsonl");
    return tacho_trace_start(test_at("t.tacho"), NULL) < 0 ||
           tacho_event_open(&config, &all.events, NULL) < 0 ||
           tacho_chrome_open(test_at("c.json"), &all.chrome, NULL) < 0 ||
           tacho_latency_recorder_new(&all.latency, NULL) < 0 ||
           tacho_memory_new("cancel", &all.memory, NULL) < 0;
}

static int cancel_recording_threads(void *arg)
{
    alarm(PATIENCE_S);
    all.cancel_type = *(int *)arg;
    if (open_all() != 0)
        return 10;
    for (int i = 0; i < CANCELS; i += AT_ONCE)
        if (cancel_some() != 0)
            return 11;
    record_once(0); /* every lock is free */
    if (tacho_memory_held(all.memory, TACHO_MEMORY_KV_CACHE) % 40000 != 0)
        return 12;
    if (tacho_chrome_close(all.chrome, NULL) < 0 || tacho_trace_stop(NULL) < 0)
        return 13;
    tacho_event_close(all.events);
    tacho_latency_recorder_free(all.latency);
    tacho_memory_free(all.memory);
    if (check_events(test_at("p.jsonl")) != 0)
        return 14;
    return check_recording(test_at("t.tacho"));
}

static void survives_deferred_cancellation(void **state)
{
    int type = PTHREAD_CANCEL_DEFERRED;

    (void)state;
    assert_int_equal(test_in_child(cancel_recording_threads, &type), 0);
}

static void survives_asynchronous_cancellation(void **state)
{
    int type = PTHREAD_CANCEL_ASYNCHRONOUS;

    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    /* The stack of a thread that ends at any instruction stays poisoned while its destructors run.
     */
    print_message("skipped: AddressSanitizer does not support asynchronous cancellation\n");
    skip();
#endif
    assert_int_equal(test_in_child(cancel_recording_threads, &type), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(survives_deferred_cancellation),
        TEST_IN_HOME(survives_asynchronous_cancellation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
