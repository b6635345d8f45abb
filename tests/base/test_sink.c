/* A buffer in front of a write function. */
#include "support/test.h"

#include <unistd.h>

#include "base/fail.h"
#include "base/json_write.h"
#include "base/sink.h"

/* Counts the bytes that it gets, and fails from the n-th call on. */
struct taker {
    struct tch_buf got;
    size_t calls;
    size_t fail_at;
};

static int take(void *ctx, const void *data, size_t len, tacho_error *err)
{
    struct taker *t = ctx;

    assert_true(len > 0);
    if (t->calls++ >= t->fail_at)
        return tch_fail(err, TACHO_EIO, 0, "call %zu", t->calls);
    tch_buf_add(&t->got, data, len);
    return t->got.failed ? tch_fail_memory(err) : 0;
}

static void start(struct taker *t, size_t fail_at)
{
    *t = (struct taker){.fail_at = fail_at};
    tch_buf_init(&t->got, 100 << 20);
}

static void passes_on_in_large_pieces(void **state)
{
    struct taker t;
    struct tch_sink sink;

    (void)state;
    start(&t, SIZE_MAX);
    tch_sink_init(&sink, take, &t, NULL);
    for (int i = 0; i < 200000; i++) {
        tch_buf_addf(&sink.b, "%06d\n", i);
        tch_sink_step(&sink);
    }
    assert_int_equal(tch_sink_end(&sink), 0);
    assert_int_equal(t.got.len, 1400000);
    assert_in_range(t.calls, 4, 7);
    for (int i = 0; i < 200000; i += 999) {
        char want[16];

        snprintf(want, sizeof want, "%06d\n", i);
        assert_memory_equal(t.got.data + (size_t)i * 7, want, 7);
    }
    tch_buf_release(&t.got);
}

static void passes_on_nothing_when_nothing_was_added(void **state)
{
    struct taker t;
    struct tch_sink sink;

    (void)state;
    start(&t, 0);
    tch_sink_init(&sink, take, &t, NULL);
    tch_sink_step(&sink);
    assert_int_equal(tch_sink_flush(&sink), 0);
    assert_int_equal(tch_sink_end(&sink), 0);
    assert_int_equal(t.calls, 0);
}

static void keeps_commas_across_steps(void **state)
{
    struct taker t;
    struct tch_sink sink;
    size_t commas = 0;

    (void)state;
    start(&t, SIZE_MAX);
    tch_sink_init(&sink, take, &t, NULL);
    tch_json_begin_array(&sink.b);
    for (int i = 0; i < 300000; i++) {
        tch_json_u64(&sink.b, 7);
        tch_sink_step(&sink);
    }
    tch_json_end_array(&sink.b);
    assert_int_equal(tch_sink_end(&sink), 0);
    for (size_t i = 0; i < t.got.len; i++)
        commas += t.got.data[i] == ',';
    assert_int_equal(commas, 299999);
    assert_int_equal(t.got.len, 2 + 300000 + 299999);
    tch_buf_release(&t.got);
}

static void gives_room_of_any_size(void **state)
{
    static const size_t sizes[] = {1, 64, 5000, TCH_SINK_SIZE, 3 * TCH_SINK_SIZE, 1};
    struct taker t;
    struct tch_sink sink;
    size_t sum = 0;

    (void)state;
    start(&t, SIZE_MAX);
    tch_sink_init(&sink, take, &t, NULL);
    for (int round = 0; round < 500; round++) {
        size_t n = sizes[round % 6];
        char *room = tch_sink_room(&sink, n);

        assert_non_null(room);
        memset(room, 'a' + round % 26, n);
        sink.b.len += n;
        sum += n;
    }
    tch_sink_add(&sink, "end", 3);
    assert_int_equal(tch_sink_end(&sink), 0);
    assert_int_equal(t.got.len, sum + 3);
    assert_string_equal(t.got.data + sum, "end");
    sum = 0;
    for (int round = 0; round < 500; round++) {
        assert_int_equal(t.got.data[sum], 'a' + round % 26);
        sum += sizes[round % 6];
        assert_int_equal(t.got.data[sum - 1], 'a' + round % 26);
    }
    tch_buf_release(&t.got);
}

static void keeps_the_first_failure(void **state)
{
    struct taker t;
    struct tch_sink sink;
    tacho_error err = {0};

    (void)state;
    start(&t, 1);
    tch_sink_init(&sink, take, &t, &err);
    tch_sink_add(&sink, "a", 1);
    assert_int_equal(tch_sink_flush(&sink), 0);
    tch_sink_add(&sink, "b", 1);
    assert_int_equal(tch_sink_flush(&sink), TACHO_EIO);
    tch_sink_add(&sink, "c", 1);
    assert_non_null(tch_sink_room(&sink, 10));
    assert_int_equal(tch_sink_end(&sink), TACHO_EIO);
    assert_int_equal(t.calls, 2);
    assert_string_equal(err.message, "call 2");
    assert_string_equal(t.got.data, "a");
    tch_buf_release(&t.got);
}

static void writes_to_stdout(void **state)
{
    FILE *before = stdout;
    struct tch_sink sink;
    tacho_error err;
    char got[8] = "";
    int fds[2];

    (void)state;
    assert_int_equal(pipe(fds), 0);
    stdout = fdopen(fds[1], "w");
    tch_sink_init(&sink, tch_sink_to_stdout, NULL, NULL);
    tch_sink_add(&sink, "hello", 5);
    assert_int_equal(tch_sink_end(&sink), 0);
    fclose(stdout);
    assert_int_equal(read(fds[0], got, sizeof got), 5);
    assert_string_equal(got, "hello");
    close(fds[0]);

    stdout = fopen("/dev/full", "w");
    tch_sink_init(&sink, tch_sink_to_stdout, NULL, &err);
    tch_sink_add(&sink, "hello", 5);
    assert_int_equal(tch_sink_end(&sink), TACHO_EIO);
    assert_string_equal(err.message, "cannot write to stdout: No space left on device");
    fclose(stdout);
    stdout = before;
}

static int fill(void *arg)
{
    struct tch_buf out;
    struct tch_sink sink;
    tacho_error err = {0};
    char *room;
    int status;

    (void)arg;
    tch_buf_init(&out, 4 << 20);
    tch_sink_init(&sink, tch_sink_to_buf, &out, &err);
    room = tch_sink_room(&sink, 100);
    if (room) {
        memset(room, 'x', 100);
        sink.b.len += 100;
    }
    for (int i = 0; i < 1000; i++)
        tch_sink_add(&sink, "0123456789", 10);
    status = tch_sink_end(&sink);
    assert_int_equal(status, err.code);
    if (status == 0)
        assert_int_equal(out.len, 10100);
    tch_buf_release(&out);
    return status;
}

static void fails_without_memory(void **state)
{
    (void)state;
    test_every_allocation_fails(fill, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_on_in_large_pieces),
        cmocka_unit_test(passes_on_nothing_when_nothing_was_added),
        cmocka_unit_test(keeps_commas_across_steps),
        cmocka_unit_test(gives_room_of_any_size),
        cmocka_unit_test(keeps_the_first_failure),
        cmocka_unit_test(writes_to_stdout),
        cmocka_unit_test(fails_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
