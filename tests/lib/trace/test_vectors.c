/* Checks that events of ferrum's Chrome trace are written byte for byte as ferrum writes them. */
#include "support/test.h"

#include <math.h>

#include <tacho/chrome.h>
#include <tacho/trace.h>

#include "base/json_read.h"
#include "support/system.h"
#include "support/vectors.h"

enum { LIMIT = 1 << 20, EVENTS = 64 };

static char arena[1 << 16];
static size_t arena_used;

static char *text_of(const struct tch_json_value *v)
{
    struct tch_buf b;
    char *at = arena + arena_used;

    tch_buf_init(&b, LIMIT);
    tch_json_unescape(v, &b);
    assert_true(!b.failed && arena_used + b.len + 1 <= sizeof arena);
    memcpy(at, b.data, b.len + 1);
    arena_used += b.len + 1;
    tch_buf_release(&b);
    return at;
}

/* Reads the text of a JSON object as arguments. */
static size_t args_of(const char *json, tacho_field *args)
{
    struct tch_json_reader r;
    struct tch_json_value key, value;
    tacho_error err;
    size_t count = 0;
    int more;

    tch_json_open(&r, json, strlen(json), &err);
    assert_int_equal(tch_json_read(&r, &value), 0);
    while ((more = tch_json_member(&r, &key)) > 0) {
        const char *name = text_of(&key);
        struct tch_json_number n = {.kind = TCH_JSON_U64};

        assert_int_equal(tch_json_read_raw(&r, &value), 0);
        if (value.type == TCH_JSON_NUMBER)
            n = tch_json_to_number(&value);
        args[count++] = value.type != TCH_JSON_NUMBER ? tacho_json_n(name, value.text, value.len)
                        : n.kind == TCH_JSON_I64      ? tacho_i64(name, n.as.i64)
                        : n.kind == TCH_JSON_U64      ? tacho_u64(name, n.as.u64)
                                                      : tacho_f64(name, n.as.f64);
    }
    assert_int_equal(more, 0);
    return count;
}

/* Puts the event into the trace of the process and into the file of a writer. */
static void put_event(struct tch_json_reader *r, tacho_chrome *writer)
{
    tacho_trace_event e = {0};
    tacho_field args[TACHO_ARGS_MAX];
    struct tch_json_value key, value;

    e.args.data = args;
    while (tch_json_member(r, &key) > 0) {
        assert_int_equal(tch_json_read(r, &value), 0);
        if (tch_json_is(&key, "name"))
            e.name = text_of(&value);
        else if (tch_json_is(&key, "cat"))
            e.category = text_of(&value);
        else if (tch_json_is(&key, "ph"))
            e.phase = text_of(&value);
        else if (tch_json_is(&key, "ts"))
            e.ts_us = tch_json_to_number(&value).as.u64;
        else if (tch_json_is(&key, "dur"))
            e.dur_us = tch_json_to_number(&value).as.u64;
        else if (tch_json_is(&key, "pid"))
            e.pid = tch_json_to_number(&value).as.u64;
        else if (tch_json_is(&key, "tid"))
            e.tid = tch_json_to_number(&value).as.u64;
        else if (tch_json_is(&key, "args_json") && value.type == TCH_JSON_STRING)
            e.args.count = args_of(text_of(&value), args);
    }
    tacho_trace_push_event(&e);
    assert_int_equal(tacho_chrome_put(writer, &e, NULL), 0);
}

/* Reads {"events":[...]} or the parts of one event, and records them. */
static void put_input(struct tch_json_reader *r, tacho_chrome *writer)
{
    struct tch_json_value key, value;

    assert_int_equal(tch_json_read(r, &value), 0);
    while (tch_json_member(r, &key) > 0) {
        assert_true(tch_json_is(&key, "events"));
        assert_int_equal(tch_json_read(r, &value), 0);
        while (tch_json_element(r) > 0) {
            assert_int_equal(tch_json_read(r, &value), 0);
            put_event(r, writer);
        }
    }
}

/* Reads {"file":TEXT}. */
static char *read_file_member(struct tch_json_reader *r)
{
    struct tch_json_value key, value;
    char *text = NULL;

    assert_int_equal(tch_json_read(r, &value), 0);
    while (tch_json_member(r, &key) > 0) {
        assert_int_equal(tch_json_read(r, &value), 0);
        text = text_of(&value);
    }
    return text;
}

/* Checks that the file has these bytes, and that the strict reader reads every event and writes
   it unchanged. */
static void check_file(const char *name, const char *expect)
{
    tacho_chrome *copy = NULL;
    tacho_chrome_reader *reader = NULL;
    const tacho_trace_event *event;
    int more;

    test_assert_content(test_at(name), expect);
    assert_int_equal(tacho_chrome_open(test_at("copy.json"), &copy, NULL), 0);
    assert_int_equal(tacho_chrome_reader_open(test_at(name), &reader, NULL), 0);
    while ((more = tacho_chrome_next(reader, &event, NULL)) > 0)
        assert_int_equal(tacho_chrome_put(copy, event, NULL), 0);
    assert_int_equal(more, 0);
    tacho_chrome_reader_close(reader);
    assert_int_equal(tacho_chrome_close(copy, NULL), 0);
    test_assert_content(test_at("copy.json"), expect);
}

static void check_file_case(const char *line, size_t len, void *arg)
{
    struct tch_json_reader r;
    struct tch_json_value key, value;
    const char *expect = NULL;
    tacho_chrome *writer = NULL;
    tacho_error err;

    (void)arg;
    arena_used = 0;
    assert_int_equal(tacho_chrome_open(test_at("w.json"), &writer, &err), 0);
    assert_int_equal(tacho_trace_start(test_at("v.json"), &err), 0);
    tch_json_open(&r, line, len, &err);
    assert_int_equal(tch_json_read(&r, &value), 0);
    while (tch_json_member(&r, &key) > 0) {
        if (tch_json_is(&key, "input"))
            put_input(&r, writer);
        else if (tch_json_is(&key, "expect_preserve_order") ||
                 (tch_json_is(&key, "expect") && !expect))
            expect = read_file_member(&r);
        else
            tch_json_skip(&r);
    }
    assert_int_equal(tacho_trace_stop(&err), 0);
    assert_int_equal(tacho_chrome_close(writer, &err), 0);
    assert_non_null(expect);
    check_file("v.json", expect);
    check_file("w.json", expect);
}

static double double_of_bits(const char *hex)
{
    uint64_t bits = 0;
    double value;

    for (int i = 0; i < 16; i++)
        bits = bits << 4 | (uint64_t)(hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Checks dur_ms_bits against the "dur" of the expected event. */
static void check_duration_case(const char *line, size_t len, void *arg)
{
    const char *bits = strstr(line, "\"dur_ms_bits\":\""), *dur = strstr(line, "\\\"dur\\\":");
    char expect[32], got[32];

    (void)len;
    (void)arg;
    assert_true(bits && dur);
    snprintf(expect, sizeof expect, "%.*s", (int)strspn(dur + 8, "0123456789"), dur + 8);
    snprintf(got, sizeof got, "%llu",
             (unsigned long long)tacho_trace_duration_us(double_of_bits(bits + 15)));
    assert_string_equal(got, expect);
}

static void writes_the_references_bytes(void **state)
{
    (void)state;
    test_each_line("trace_json.jsonl", 14, check_file_case, NULL);
}

static void rounds_durations_as_the_reference(void **state)
{
    (void)state;
    test_each_line("trace_complete.jsonl", 20, check_duration_case, NULL);
}

/* Spaces, commas and order of the fields are part of the format. */
static void writes_two_events_byte_by_byte(void **state)
{
    const tacho_field args[] = {tacho_u64("n", 7), tacho_i64("by", -2)};
    tacho_error err;

    (void)state;
    assert_int_equal(tacho_trace_start(test_at("v.json"), &err), 0);
    tacho_trace_push_event(&(tacho_trace_event){.name = "first",
                                                .category = "c",
                                                .phase = "X",
                                                .ts_us = 10,
                                                .dur_us = 5,
                                                .pid = 1,
                                                .tid = 2});
    tacho_trace_push_event(&(tacho_trace_event){.name = "a \"b\"",
                                                .category = "d",
                                                .phase = "Xy",
                                                .ts_us = 12,
                                                .dur_us = 0,
                                                .pid = 1,
                                                .tid = 3,
                                                .args = {args, 2}});
    assert_int_equal(tacho_trace_stop(&err), 0);
    test_assert_content(
        test_at("v.json"),
        "[{\"name\":\"first\",\"cat\":\"c\",\"ph\":\"X\",\"ts\":10,\"dur\":5,\"pid\":1,\"tid\":2},"
        "{\"name\":\"a "
        "\\\"b\\\"\",\"cat\":\"d\",\"ph\":\"Xy\",\"ts\":12,\"dur\":0,\"pid\":1,\"tid\":3,"
        "\"args\":{\"n\":7,\"by\":-2}}]");
}

static void rounds_half_a_microsecond_upwards(void **state)
{
    (void)state;
    assert_int_equal(tacho_trace_duration_us(1), 1000);
    assert_int_equal(tacho_trace_duration_us(0.25), 250);
    assert_int_equal(tacho_trace_duration_us(0.0005), 1);
    assert_int_equal(tacho_trace_duration_us(0.00049), 0);
    assert_int_equal(tacho_trace_duration_us(2.0015), 2002);
    assert_int_equal(tacho_trace_duration_us(-1), 0);
    assert_int_equal(tacho_trace_duration_us(NAN), 0);
    assert_true(tacho_trace_duration_us(1e300) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(writes_two_events_byte_by_byte),
        cmocka_unit_test(rounds_half_a_microsecond_upwards),
        TEST_IN_HOME(writes_the_references_bytes),
        cmocka_unit_test(rounds_durations_as_the_reference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
