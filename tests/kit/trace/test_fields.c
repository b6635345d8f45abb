/* Tests of arguments of every type in each format, of invalid JSON, and of keys that change. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/trace.h>

#include "kit/trace/trace_read.h"
#include "support/system.h"
#include "support/test.h"
#include "tools.h"

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

/* The arguments of one event, and the losses that its trace reports. */
struct found {
    const char *name;
    struct tch_model m;
    uint64_t invalid_json;
    char args[64 * 1024];
};

static int keep_args(void *ctx, const struct tch_ev *ev)
{
    struct found *f = ctx;

    if (strcmp(tch_intern_text(&f->m.texts, ev->name), f->name) != 0 || ev->args_len == 0)
        return 0;
    assert_true(ev->args_len < sizeof f->args);
    memcpy(f->args, ev->args, ev->args_len);
    f->args[ev->args_len] = '\0';
    return 0;
}

static const struct tch_trace_read_options *read_options = &tools_with_args;

/* Reads a trace. The result is valid until the next call. */
static const struct found *find(const char *file, const char *name)
{
    static struct found found;
    tacho_error err;

    found.name = name;
    found.args[0] = '\0';
    tch_model_init(&found.m);
    if (tch_model_read(&found.m, test_at(file), read_options, keep_args, &found, &err) < 0)
        fail_msg("%s: %s", file, err.message);
    found.invalid_json = found.m.invalid_json;
    tch_model_release(&found.m);
    return &found;
}

static const char *const traces[] = {"t.tacho", "t.json", "t.pftrace"};

static void json_arrives_as_json(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        start(traces[i]);
        {
            TACHO_SPAN_ARGS("gemm", "math", tacho_json("shape", "[32,4096]"), tacho_i64("n", 7),
                            tacho_json("of", "{\"a\":{\"b\":[true,null,1.5]}}"),
                            tacho_json_n("first", "[1][2]", 3));
        }
        tacho_instant("lines", "math", TACHO_SCOPE_THREAD,
                      TACHO_FIELDS(tacho_json("j", "[1,\n\t2]"), tacho_text_n("t", "a\0b", 3)));
        stop();
        assert_string_equal(find(traces[i], "gemm")->args,
                            "{\"shape\":[32,4096],\"n\":7,\"of\":{\"a\":{\"b\":[true,null,1.5]}},"
                            "\"first\":[1]}");
        assert_null(strchr(find(traces[i], "lines")->args, '\n'));
        assert_non_null(strstr(find(traces[i], "lines")->args, "\"t\":\"a\\u0000b\""));
        assert_string_equal(find(traces[i], "records dropped")->args, "");
    }
    tools_convert(test_at("t.json"), test_at("again.tacho"));
    tools_convert(test_at("again.tacho"), test_at("again.csv"));
    assert_non_null(strstr(find("again.csv", "gemm")->args, "\"shape\":[32,4096]"));
}

static void invalid_json_is_a_text_and_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        start(traces[i]);
        {
            TACHO_SPAN_ARGS("bad", "test", tacho_json("j", "[1,"), tacho_json("none", NULL),
                            tacho_json("two", "1 2"), tacho_json("utf8", "\"\xFF\""),
                            tacho_json("good", "null"));
        }
        stop();
        assert_string_equal(find(traces[i], "bad")->args,
                            "{\"j\":\"[1,\",\"none\":\"\",\"two\":\"1 2\","
                            "\"utf8\":\"\\\"\xEF\xBF\xBD\\\"\",\"good\":null}");
        if (i > 0)
            assert_non_null(
                strstr(find(traces[i], "records dropped")->args, "\"invalid_json\":4}"));
    }
    assert_int_equal(find("t.tacho", "bad")->invalid_json, 4);
    assert_int_equal(find("t.json", "bad")->invalid_json, 4);
    assert_int_equal(find("t.pftrace", "bad")->invalid_json, 4);
    read_options = &tools_plain;
    assert_int_equal(find("t.pftrace", "bad")->invalid_json, 4);
    read_options = &tools_with_args;
}

/* JSON of more than 16 KiB cannot be truncated and stay JSON. */
static void long_json_is_a_truncated_text(void **state)
{
    static char json[20000];

    (void)state;
    memset(json, ' ', sizeof json - 2);
    json[0] = '[';
    json[sizeof json - 2] = ']';
    start("t.json");
    {
        TACHO_SPAN_ARGS("long", "test", tacho_json("j", json), tacho_i64("n", 1));
    }
    stop();
    assert_int_equal(strncmp(find("t.json", "long")->args, "{\"j\":\"[  ", 9), 0);
    assert_non_null(strstr(find("t.json", "long")->args, " \",\"n\":1}"));
    assert_non_null(strstr(find("t.json", "records dropped")->args, "\"truncated_texts\":1"));
}

/* A field made by hand may have any type. */
static void unknown_types_are_counted(void **state)
{
    tacho_field fields[] = {tacho_i64("a", 1), tacho_i64("b", 2), tacho_i64("c", 3)};

    (void)state;
    fields[0].type = (enum tacho_field_type)99;
    fields[1].type = (enum tacho_field_type)0;
    start("t.json");
    tacho_instant("odd", "test", TACHO_SCOPE_THREAD, (tacho_fields){fields, 3});
    stop();
    assert_string_equal(find("t.json", "odd")->args, "{\"a\":\"\",\"b\":\"\",\"c\":3}");
    assert_non_null(strstr(find("t.json", "records dropped")->args, "\"truncated_texts\":2"));
}

/* The same address gets another key. A site must not remember the first one. */
static void keys_may_change_at_their_address(void **state)
{
    char key[16], want[48];

    (void)state;
    for (int i = 0; i < 3; i++) {
        snprintf(key, sizeof key, "k%d", i);
        start("t.json");
        {
            TACHO_SPAN_ARGS("changes", "test", tacho_i64(key, i));
        }
        stop();
        snprintf(want, sizeof want, "{\"k%d\":%d}", i, i);
        assert_string_equal(find("t.json", "changes")->args, want);
    }
}

static void begin_and_end(const char *first, const char *second)
{
    tacho_field fields[] = {tacho_i64(first, 1), tacho_i64(second, 2)};
    static struct tacho_trace_site site = TACHO_TRACE_SITE("keys", "test");

    fields[0].literal = fields[1].literal = 1;
    tacho_trace_end(tacho_trace_begin_args(&site, (tacho_fields){fields, 2}));
}

/* Literals at the distances of `keys` must not be mistaken for each other. */
static void keys_are_distinguished_by_their_addresses(void **state)
{
    static const char keys[] = "a\0b\0xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\0c";

    (void)state;
    assert_string_equal(keys + 62, "c");
    start("t.json");
    begin_and_end(keys, keys + 62);
    begin_and_end(keys + 2, keys);
    stop();
    assert_string_equal(find("t.json", "keys")->args, "{\"b\":1,\"a\":2}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(json_arrives_as_json),
        TEST_IN_HOME(invalid_json_is_a_text_and_counted),
        TEST_IN_HOME(long_json_is_a_truncated_text),
        TEST_IN_HOME(unknown_types_are_counted),
        TEST_IN_HOME(keys_may_change_at_their_address),
        TEST_IN_HOME(keys_are_distinguished_by_their_addresses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
