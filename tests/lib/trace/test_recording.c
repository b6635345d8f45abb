/* Tests that recorded events are read back, and that other files are refused. */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tacho/trace.h>

#include "base/file.h"
#include "lib/trace/recording_convert.h"
#include "lib/trace/thread_stage.h"
#include "lib/trace/trace_names.h"
#include "lib/trace/trace_recorder.h"
#include "seen.h"
#include "support/system.h"

static struct seen seen;

static void start(const char *name)
{
    tacho_error err;

    if (tacho_trace_start(test_at(name), &err) < 0)
        fail_msg("%s", err.message);
}

static void stop(void)
{
    tacho_error err;

    if (tacho_trace_stop(&err) < 0)
        fail_msg("%s", err.message);
}

static const char *content(const char *name)
{
    static struct tch_buf b;
    tacho_error err;

    tch_buf_release(&b);
    tch_buf_init(&b, 64 << 20);
    if (tch_file_read(test_at(name), 64 << 20, &b, &err) < 0)
        fail_msg("%s", err.message);
    return b.data;
}

static void span(void)
{
    TACHO_SPAN("span", "test");
}

static void an_empty_trace_is_an_empty_array(void **state)
{
    (void)state;
    start("t.json");
    stop();
    assert_string_equal(content("t.json"), "[]");
    assert_int_equal(test_folder_count(test_home), 1);
}

static void starts_again_after_a_stop(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        start("t.tacho");
        assert_int_equal(tacho_trace_start(test_at("other.json"), NULL), TACHO_EALREADY);
        assert_null(tacho_trace_why_off());
        for (int k = 0; k <= i; k++)
            span();
        stop();
        assert_string_equal(tacho_trace_why_off(), "the trace was stopped");
        span(); /* this one is not recorded */
        seen_read(&seen, test_at("t.tacho"));
        assert_int_equal(seen_spans(&seen, "span"), i + 1);
    }
}

static void *stop_in_thread(void *arg)
{
    (void)arg;
    return tacho_trace_stop(NULL) == 0 ? arg : NULL;
}

static void another_trace_may_start_while_one_is_written(void **state)
{
    pthread_t thread;
    void *ok;

    start("first.json");
    for (int i = 0; i < 500000; i++)
        span();
    assert_int_equal(pthread_create(&thread, NULL, stop_in_thread, &seen), 0);
    while (tacho_trace_start(test_at("second.json"), NULL) == TACHO_EALREADY)
        usleep(100);
    span();
    pthread_join(thread, &ok);
    assert_non_null(ok);
    stop();
    assert_non_null(strstr(content("second.json"), "\"name\":\"span\""));
    assert_int_equal(test_folder_count(test_home), 2);
    (void)state;
}

static void says_why_it_could_not_start(void **state)
{
    tacho_error err;

    (void)state;
    assert_int_equal(tacho_trace_start("/proc/no/t.json", &err), TACHO_EIO);
    assert_string_equal(tacho_trace_why_off(), err.message);
}

static void an_empty_name_is_refused(void **state)
{
    tacho_error err;

    (void)state;
    assert_int_equal(tacho_trace_start("", &err), TACHO_EINVAL);
    assert_int_equal(tacho_trace_start(NULL, &err), TACHO_EINVAL);
}

static void without_a_trace_flush_and_stop_succeed(void **state)
{
    tacho_error err;

    (void)state;
    assert_int_equal(tacho_trace_flush(&err), 0);
    assert_int_equal(tacho_trace_stop(&err), 0);
}

static void names_of_any_bytes_become_valid_json(void **state)
{
    static const char *const names[] = {"trace.txt", "trace", " ", ".json", "a.b.trace"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        start(names[i]);
        span();
        stop();
        assert_memory_equal(content(names[i]), "[{\"name\":\"span\"", 15);
        assert_int_equal(test_folder_count(test_home), i + 1);
    }
}

static void names_that_end_in_gz_are_compressed(void **state)
{
    static const char *const names[] = {"t.json.gz", "t.pftrace.gz", "t.gz"};
    const char *inside;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char command[256];
        FILE *f;

        start(names[i]);
        for (int k = 0; k < 10000; k++)
            span();
        stop();
        snprintf(command, sizeof command, "gzip -dc '%s' > '%s' && rm '%s'", test_at(names[i]),
                 test_at("plain"), test_at(names[i]));
        f = popen(command, "r");
        assert_non_null(f);
        assert_int_equal(pclose(f), 0);
        inside = content("plain");
        if (i != 1)
            assert_string_equal(inside + strlen(inside) - 2, "}]");
        assert_int_equal(inside[0], i == 1 ? 0x0a : '[');
    }
}

static void arguments_are_read_back(void **state)
{
    const char *json;

    (void)state;
    start("t.json");
    {
        TACHO_SPAN_ARGS("numbers", "test", tacho_i64("i", -5), tacho_u64("u", UINT64_MAX),
                        tacho_f64("f", 0.25), tacho_bool("b", 7));
    }
    {
        TACHO_SPAN_ARGS("text", "test", tacho_text("t", "a\"b\n"), tacho_text("n", NULL));
    }
    tacho_span_begin_args("both", "test", TACHO_FIELDS(tacho_i64("a", 1), tacho_i64("b", 2)));
    tacho_span_end_args(TACHO_FIELDS(tacho_i64("c", 3), tacho_i64("a", 4)));
    stop();
    json = content("t.json");
    assert_non_null(
        strstr(json, "\"args\":{\"i\":-5,\"u\":18446744073709551615,\"f\":0.25,\"b\":true}}"));
    assert_non_null(strstr(json, "\"args\":{\"t\":\"a\\\"b\\n\",\"n\":\"\"}}"));
    assert_non_null(strstr(json, "\"args\":{\"a\":4,\"b\":2,\"c\":3}}"));
}

static int evaluated;

static int64_t evaluate(void)
{
    return ++evaluated;
}

static void arguments_are_evaluated_only_when_on(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        if (i == 1)
            start("t.tacho");
        TACHO_SPAN_ARGS("span", "test", tacho_i64("i", evaluate()));
        assert_int_equal(evaluated, i);
    }
    stop();
}

static void long_texts_are_truncated_and_counted(void **state)
{
    static char text[100000];
    tacho_field many[20];

    (void)state;
    memset(text, 'x', sizeof text - 1);
    for (int i = 0; i < 20; i++)
        many[i] = tacho_text("key", text);
    start("t.tacho");
    tacho_span_begin("span", text);
    tacho_span_end();
    tacho_span_begin_args("span", "", (tacho_fields){many, 20});
    tacho_span_end();
    stop();
    seen_read(&seen, test_at("t.tacho"));
    assert_int_equal(seen_spans(&seen, "span"), 2);
    assert_true(seen.r.head.cut >= 2);
    assert_int_equal(tch_trace_convert(test_at("t.tacho"), test_at("t.json"), NULL, NULL), 0);
    assert_non_null(strstr(content("t.json"), "\"name\":\"records dropped\""));
    assert_null(strstr(content("t.json"), "\"truncated_texts\":0"));
}

/* As after a signal: the words of a record are taken, and the stage is turned over before the
   record is written. */
static void a_record_interrupted_for_a_whole_stage_is_kept(void **state)
{
    enum { MANY = 40000 };
    uint64_t *slot;
    uint32_t site;

    (void)state;
    start("t.tacho");
    span();
    site = tch_trace_site("interrupted", "test");
    slot = tch_recorder_take(1);
    for (int i = 0; i < MANY; i++)
        span();
    *slot = tch_ticks() << TCH_REC_LOW_BITS | site << 1;
    tch_cursor_done(8);
    tacho_trace_end_slow(site << 1);
    for (int i = 0; i < MANY; i++)
        span();
    stop();
    seen_read(&seen, test_at("t.tacho"));
    assert_int_equal(seen_spans(&seen, "span"), 2 * MANY + 1);
    assert_int_equal(seen_spans(&seen, "interrupted"), 1);
    assert_int_equal(seen.r.unfinished + seen.r.lost_ends + seen.r.lost_begins, 0);
}

/* A handler that interrupts a record may fork. The interrupted record is then written in the
   child, too. */
static void a_record_interrupted_by_a_fork_damages_nothing(void **state)
{
    uint64_t *slot;
    uint32_t site;
    int status;
    pid_t pid;

    (void)state;
    start("t.tacho");
    span();
    slot = tch_recorder_take(1);
    pid = fork();
    site = tch_trace_site("interrupted", "test");
    *slot = tch_ticks() << TCH_REC_LOW_BITS | site << 1;
    tch_cursor_done(8);
    tacho_trace_end_slow(site << 1);
    if (pid == 0)
        _exit(0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    stop();
    seen_read(&seen, test_at("t.tacho"));
    assert_int_equal(seen_spans(&seen, "interrupted"), 1);
}

/* One place in a program records different arguments each time. */
static void arguments_keep_their_keys_and_types(void **state)
{
    (void)state;
    start("t.json");
    for (int i = 0; i < 6; i++) {
        TACHO_SPAN_ARGS("read", "test",
                        i % 3 == 0   ? tacho_i64("bytes", i)
                        : i % 3 == 1 ? tacho_u64("error", (uint64_t)i)
                                     : tacho_text("why", "none"));
    }
    stop();
    assert_non_null(strstr(content("t.json"), "\"args\":{\"bytes\":0}"));
    assert_non_null(strstr(content("t.json"), "\"args\":{\"bytes\":3}"));
    assert_non_null(strstr(content("t.json"), "\"args\":{\"error\":1}"));
    assert_non_null(strstr(content("t.json"), "\"args\":{\"error\":4}"));
    assert_non_null(strstr(content("t.json"), "\"args\":{\"why\":\"none\"}"));
}

static pthread_key_t ending;

/* Records again in each round of destructors. */
static void record_at_the_end(void *arg)
{
    span();
    pthread_setspecific(ending, arg);
}

static void *set_an_end(void *arg)
{
    pthread_setspecific(ending, &ending);
    return arg;
}

/* The library's own destructor has run by then, in the last round too. So has that of
   ThreadSanitizer, after which no instrumented code may run. */
static void destructors_may_record_and_leak_nothing(void **state)
{
    pthread_t thread;

    (void)state;
    if (TEST_TSAN)
        skip();
    start("t.tacho");
    span();
    assert_int_equal(pthread_key_create(&ending, record_at_the_end), 0);
    assert_int_equal(pthread_create(&thread, NULL, set_an_end, NULL), 0);
    pthread_join(thread, NULL);
    for (uint32_t i = 0; i < tch_recorder.lane_count; i++)
        assert_true(!tch_recorder.lanes[i].cursor ||
                    tch_recorder.lanes[i].cursor == &tacho_trace_cursor);
    stop();
    pthread_key_delete(ending);
    seen_read(&seen, test_at("t.tacho"));
    assert_int_equal(seen_spans(&seen, "span"), 1 + 2);
    assert_int_equal(seen.r.head.dropped, PTHREAD_DESTRUCTOR_ITERATIONS - 2);
}

static void events_put_on_no_track_are_counted(void **state)
{
    uint32_t track = tacho_track("made too early");

    (void)state;
    tacho_track_span(track, "before", "test", 0, 1, TACHO_NO_FIELDS);
    start("t.tacho");
    tacho_track_span(track, "span", "test", 0, 1, TACHO_NO_FIELDS);
    tacho_track_instant(track, "instant", "test", 0, TACHO_NO_FIELDS);
    tacho_track_counter(track, "counter", 0, 1);
    stop();
    seen_read(&seen, test_at("t.tacho"));
    assert_int_equal(seen.r.head.dropped, 3);
}

static void sites_past_15_bits_are_wide(void **state)
{
    enum { MANY = 40000 };
    char name[32];

    (void)state;
    start("t.json");
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "name %d", i);
        tacho_span_begin(name, "many");
        tacho_span_end();
    }
    stop();
    assert_non_null(strstr(content("t.json"), "\"name\":\"name 0\""));
    assert_non_null(strstr(content("t.json"), "\"name\":\"name 39999\""));
}

static void a_span_left_by_a_jump_ends_with_the_one_around_it(void **state)
{
    (void)state;
    start("t.tacho");
    {
        TACHO_SPAN("outer", "test");
        tacho_span_begin("jumped over", "test");
    }
    stop();
    seen_read(&seen, test_at("t.tacho"));
    assert_int_equal(seen_spans(&seen, "outer"), 1);
    assert_int_equal(seen_spans(&seen, "jumped over"), 1);
    assert_int_equal(seen.r.unfinished, 0);
}

/* Flushes while other threads record: each flush writes a whole file with all spans so far. */

static void *record_until(void *arg)
{
    const int *go_on = arg;

    for (int n = 0; n < 500 && __atomic_load_n(go_on, __ATOMIC_RELAXED); n++) {
        for (int i = 0; i < 100; i++)
            span();
        usleep(100);
    }
    return NULL;
}

static void flushes_while_others_record(void **state)
{
    pthread_t threads[2];
    int go_on = 1;
    size_t before = 0;
    tacho_error err;

    (void)state;
    start("t.json");
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, record_until, &go_on), 0);
    for (int i = 0; i < 5; i++) {
        const char *json;
        size_t spans = 0;

        usleep(2000);
        if (tacho_trace_flush(&err) < 0)
            fail_msg("%s", err.message);
        json = content("t.json");
        assert_int_equal(json[strlen(json) - 1], ']');
        for (; *json; json++)
            spans += *json == '{';
        assert_in_range(spans, before, SIZE_MAX);
        before = spans;
    }
    __atomic_store_n(&go_on, 0, __ATOMIC_RELAXED);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    stop();
}

static void partly_overlapping_spans_get_rows_of_their_own(void **state)
{
    uint64_t now = tacho_trace_now_ns();
    uint32_t track;
    const char *json;

    (void)state;
    start("t.json");
    now = tacho_trace_now_ns();
    track = tacho_track("gpu");
    tacho_track_span(track, "c", "g", now + 1500, now + 2500, TACHO_NO_FIELDS);
    tacho_track_span(track, "a", "g", now, now + 1000, TACHO_NO_FIELDS);
    tacho_track_span(track, "b", "g", now + 500, now + 1500, TACHO_NO_FIELDS);
    tacho_track_span(track, "in a", "g", now + 100, now + 200, TACHO_NO_FIELDS);
    stop();
    json = content("t.json");
    for (int i = 0; i < 4; i++) {
        static const char *const names[] = {"\"a\"", "\"b\"", "\"in a\"", "\"c\""};
        const char *at = strstr(json, names[i]);

        assert_non_null(at);
        at = strstr(at, "\"tid\":");
        assert_memory_equal(at + 6, i == 1 ? "1073741825" : "1073741824", 10);
    }
}

/* Bad input. */

static void spoil(const char *path, off_t offset, const char *bytes, size_t len)
{
    int fd = open(path, O_WRONLY);

    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, len, offset), len);
    close(fd);
}

static void spoil_number(const char *path, off_t offset, uint32_t number)
{
    spoil(path, offset, (const char *)&number, sizeof number);
}

static void refuses_files_that_are_not_recordings(void **state)
{
    struct tch_recording r;
    tacho_error err;

    (void)state;
    assert_int_equal(tch_recording_open(&r, test_at("none.tacho"), &err), TACHO_EIO);
    test_put(test_at("short.tacho"), "TACHOREC");
    assert_int_equal(tch_recording_open(&r, test_at("short.tacho"), &err), TACHO_EPARSE);
    start("t.tacho");
    span();
    stop();
    spoil_number(test_at("t.tacho"), 8, 7);
    assert_int_equal(tch_recording_open(&r, test_at("t.tacho"), &err), TACHO_EPARSE);
    assert_non_null(strstr(err.message, "version 7"));
    spoil_number(test_at("t.tacho"), 8, 1);
    spoil_number(test_at("t.tacho"), 12, 0x04030201);
    assert_int_equal(tch_recording_open(&r, test_at("t.tacho"), &err), TACHO_EPARSE);
    assert_non_null(strstr(err.message, "byte order"));
    spoil(test_at("t.tacho"), 0, "X", 1);
    assert_int_equal(tch_recording_open(&r, test_at("t.tacho"), &err), TACHO_EPARSE);
    assert_non_null(strstr(err.message, "is not a recording"));
}

static void reads_the_rest_of_a_truncated_recording(void **state)
{
    (void)state;
    start("t.tacho");
    for (int i = 0; i < 100000; i++)
        span();
    stop();
    for (off_t size = TCH_REC_HEADER; size < 5 * TCH_REC_CHUNK; size += 100000) {
        struct tch_recording r;
        tacho_error err;

        assert_int_equal(truncate(test_at("t.tacho"), 5 * TCH_REC_CHUNK), 0);
        assert_int_equal(truncate(test_at("t.tacho"), size), 0);
        assert_int_equal(tch_recording_open(&r, test_at("t.tacho"), &err), 0);
        tch_recording_close(&r);
        assert_int_equal(tch_trace_convert(test_at("t.tacho"), test_at("t.pftrace"), NULL, &err),
                         0);
    }
}

static void leaves_nothing_half_written(void **state)
{
    tacho_error err;

    (void)state;
    start("t.tacho");
    span();
    stop();
    assert_int_equal(tacho_trace_convert(test_at("t.tacho"), test_at("no/t.json"), &err),
                     TACHO_EIO);
    assert_int_equal(tacho_trace_convert(test_at("t.tacho"), test_at("t.csv"), &err), TACHO_EINVAL);
    assert_int_equal(tacho_trace_convert(test_at("t.tacho"), test_at("a.tacho"), &err),
                     TACHO_EINVAL);
    assert_int_equal(test_folder_count(test_home), 1);
}

static int convert(void *arg)
{
    return tch_trace_convert(test_at("t.tacho"), arg, NULL, NULL);
}

static void survives_every_allocation_failing(void **state)
{
    uint64_t now;
    uint32_t track;
    char out[128];

    (void)state;
    start("t.tacho");
    now = tacho_trace_now_ns();
    track = tacho_track("track");
    for (int i = 0; i < 100; i++) {
        TACHO_SPAN_ARGS("args", "test", tacho_text("t", "text"));
        tacho_span_begin("deep", "test");
        tacho_track_span(track, "on track", "", now + (uint64_t)i, now + 2 * (uint64_t)i,
                         TACHO_NO_FIELDS);
    }
    stop();
    snprintf(out, sizeof out, "%s", test_at("t.json"));
    test_every_allocation_fails(convert, out);
    snprintf(out, sizeof out, "%s", test_at("t.pftrace"));
    test_every_allocation_fails(convert, out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(an_empty_trace_is_an_empty_array),
        TEST_IN_HOME(starts_again_after_a_stop),
        TEST_IN_HOME(another_trace_may_start_while_one_is_written),
        TEST_IN_HOME(says_why_it_could_not_start),
        TEST_IN_HOME(an_empty_name_is_refused),
        TEST_IN_HOME(without_a_trace_flush_and_stop_succeed),
        TEST_IN_HOME(names_of_any_bytes_become_valid_json),
        TEST_IN_HOME(names_that_end_in_gz_are_compressed),
        TEST_IN_HOME(arguments_are_read_back),
        TEST_IN_HOME(arguments_are_evaluated_only_when_on),
        TEST_IN_HOME(long_texts_are_truncated_and_counted),
        TEST_IN_HOME(a_record_interrupted_for_a_whole_stage_is_kept),
        TEST_IN_HOME(a_record_interrupted_by_a_fork_damages_nothing),
        TEST_IN_HOME(arguments_keep_their_keys_and_types),
        TEST_IN_HOME(destructors_may_record_and_leak_nothing),
        TEST_IN_HOME(events_put_on_no_track_are_counted),
        TEST_IN_HOME(sites_past_15_bits_are_wide),
        TEST_IN_HOME(a_span_left_by_a_jump_ends_with_the_one_around_it),
        TEST_IN_HOME(flushes_while_others_record),
        TEST_IN_HOME(partly_overlapping_spans_get_rows_of_their_own),
        TEST_IN_HOME(refuses_files_that_are_not_recordings),
        TEST_IN_HOME(reads_the_rest_of_a_truncated_recording),
        TEST_IN_HOME(leaves_nothing_half_written),
        TEST_IN_HOME(survives_every_allocation_failing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
