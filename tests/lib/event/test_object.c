/* Tests events as structs (made, checked, written, read), lists of events, and fields from JSON. */
#include "support/test.h"

#include <stdlib.h>

#include <tacho/event.h>

#include "sample.h"
#include "support/system.h"

static tacho_event *event_of(const char *json)
{
    tacho_event *event = NULL;

    assert_int_equal(tacho_event_from_json(json, strlen(json), &event, NULL), 0);
    return event;
}

static void assert_json(const tacho_event *event, const char *expected)
{
    char *json = NULL;
    size_t len;

    assert_int_equal(tacho_event_to_json(event, &json, &len, NULL), 0);
    assert_string_equal(json, expected);
    assert_int_equal(len, strlen(expected));
    free(json);
}

static void members_that_are_not_set_have_their_default(void **state)
{
    tacho_event event = TACHO_EVENT_INIT;

    (void)state;
    event.event = "e";
    assert_json(&event, "{\"event\":\"e\",\"commit_sha\":null,\"env_hash\":\"sha256:unknown\","
                        "\"model\":\"unknown\",\"concurrency\":1,\"shape\":{},\"stage_us\":{},"
                        "\"graph_enabled\":false,\"runtime_flags\":{}}");
}

static void every_kind_of_value_is_read_and_written_back(void **state)
{
    static const char json[] = EVENT_OF(
        "e\\u0001\\\"", "{\"a\":1,\"b\":-1,\"c\":18446744073709551615,\"d\":1.5,\"e\":-0.0}",
        "{\"f\":\"\\u0000x\",\"g\":null,\"h\":[1,{}],\"i\":{\"z\":1,\"a\":2},\"j\":false,\"k\":"
        "\"\"}",
        "{\"z\":[1.0,\"\\n\"],\"a\":{}}");
    tacho_event *event = event_of(json);
    const tacho_field *shape = event->shape.data;
    const tacho_field *stage = event->stage_us.data;

    (void)state;
    assert_int_equal(event->shape.count, 5);
    assert_true(shape[0].type == TACHO_FIELD_I64 && shape[0].as.i64 == 1);
    assert_true(shape[1].type == TACHO_FIELD_I64 && shape[1].as.i64 == -1);
    assert_true(shape[2].type == TACHO_FIELD_U64 && shape[2].as.u64 == UINT64_MAX);
    assert_true(shape[3].type == TACHO_FIELD_F64 && shape[3].as.f64 == 1.5);
    assert_true(shape[4].type == TACHO_FIELD_F64 && shape[4].as.f64 == 0.0);
    assert_int_equal(event->stage_us.count, 6);
    assert_true(stage[0].type == TACHO_FIELD_TEXT && stage[0].as.text.len == 2);
    assert_memory_equal(stage[0].as.text.data, "\0x", 3);
    assert_true(stage[1].type == TACHO_FIELD_JSON && stage[1].as.text.len == 4);
    assert_string_equal(stage[2].as.text.data, "[1,{}]");
    assert_string_equal(stage[3].as.text.data, "{\"z\":1,\"a\":2}");
    assert_true(stage[4].type == TACHO_FIELD_BOOL && !stage[4].as.yes);
    assert_true(stage[5].type == TACHO_FIELD_TEXT && stage[5].as.text.len == 0);
    assert_int_equal(stage[5].literal, 0); /* its key is not a literal */
    assert_string_equal(event->event, "e\x01\"");
    assert_json(event, json);
    free(event);
}

static void fields_are_found_by_their_key(void **state)
{
    tacho_fields fields = TACHO_FIELDS(tacho_i64("a", 1), tacho_i64("b", 2), tacho_i64("a", 3));

    (void)state;
    assert_int_equal(tacho_fields_find(fields, "a")->as.i64, 3); /* the last one, as in an event */
    assert_null(tacho_fields_find(fields, "c"));
    assert_null(tacho_fields_find(TACHO_NO_FIELDS, "a"));
}

static void assert_refused(const tacho_event *event, const char *why)
{
    char *json = NULL;
    size_t len = 7;
    tacho_error err;

    assert_int_equal(tacho_event_validate(event, &err), TACHO_EINVAL);
    if (!strstr(err.message, why))
        fail_msg("'%s' instead of '%s'", err.message, why);
    assert_int_equal(tacho_event_to_json(event, &json, &len, NULL), TACHO_EINVAL);
    assert_null(json);
    assert_int_equal(len, 7);
}

static void an_invalid_event_is_not_written(void **state)
{
    tacho_event event = TACHO_EVENT_INIT;
    struct {
        tacho_event event;
        size_t later;
    } longer = {TACHO_EVENT_INIT, 0};

    (void)state;
    assert_refused(&event, "event must be non-empty");
    event.event = "e";
    event.shape = TACHO_FIELDS(tacho_json("blocks", "[1"));
    assert_refused(&event, "the value of 'blocks' is not valid JSON");
    event.shape = TACHO_NO_FIELDS;
    event.stage_us = TACHO_FIELDS(tacho_i64(NULL, 1));
    assert_refused(&event, "has no key");
    event.stage_us = TACHO_NO_FIELDS;
    event.runtime_flags = "{\"a\":1e999}";
    assert_refused(&event, "runtime_flags must be an object");
    event.size = 0;
    assert_refused(&event, "TACHO_EVENT_INIT");
    longer.event.size = sizeof longer;
    longer.event.event = "e";
    assert_int_equal(tacho_event_validate(&longer.event, NULL), 0);
    longer.later = 1;
    assert_refused(&longer.event, "update the library");
}

static void a_text_that_a_c_string_cannot_hold_is_refused(void **state)
{
    static const char *const bad[] = {
        EVENT_OF("e\\u0000f", "{}", "{}", "{}"),
        EVENT_OF("e", "{\"\\u0000\":1}", "{}", "{}"),
    };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        tacho_event *event = NULL;
        tacho_event_view view = TACHO_EVENT_VIEW_INIT;
        tacho_error err;

        assert_int_equal(tacho_event_from_json(bad[i], strlen(bad[i]), &event, &err), TACHO_EPARSE);
        assert_non_null(strstr(err.message, "contains a NUL"));
        assert_null(event);
        assert_int_equal(tacho_event_parse(bad[i], strlen(bad[i]), &view, NULL), 0);
    }
}

static void a_list_has_all_events_or_is_not_made(void **state)
{
    static const char good[] = "\xc2\xa0\n" EVENT "\r\n\n  " EVENT "  ";
    static const char torn[] = EVENT "\n{\"event\":\"half" EVENT "\n";
    tacho_event_list *list = NULL;
    tacho_error err;

    (void)state;
    assert_int_equal(tacho_event_list_from_jsonl(good, strlen(good), &list, NULL), 0);
    assert_int_equal(tacho_event_list_count(list), 2);
    assert_string_equal(tacho_event_list_at(list, 1)->event, "e");
    assert_null(tacho_event_list_at(list, 2));
    assert_int_equal(tacho_event_list_require(list, NULL, 0, NULL), 0);
    tacho_event_list_free(list);
    list = NULL;
    assert_int_equal(tacho_event_list_from_jsonl(torn, strlen(torn), &list, &err), TACHO_EPARSE);
    assert_int_equal(err.line, 2);
    assert_null(list);
    assert_int_equal(tacho_event_list_from_jsonl(NULL, 0, &list, NULL), 0);
    assert_int_equal(tacho_event_list_count(list), 0);
    tacho_event_list_free(list);
}

static void a_line_that_is_too_long_is_named(void **state)
{
    size_t len = (16u << 20) + 3;
    char *text = malloc(len);
    tacho_event_list *list = NULL;
    tacho_error err;

    (void)state;
    assert_non_null(text);
    memset(text, 'x', len);
    text[0] = '\n';
    assert_int_equal(tacho_event_list_from_jsonl(text, len, &list, &err), TACHO_ELIMIT);
    assert_int_equal(err.line, 2);
    free(text);
}

static void an_event_follows_a_fragment_on_a_line_of_its_own(void **state)
{
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    tacho_event event = TACHO_EVENT_INIT;
    tacho_event_writer *writer = NULL;

    (void)state;
    test_put(test_at("p"), "{\"event\":\"half");
    config.path = test_at("p");
    assert_int_equal(tacho_event_open(&config, &writer, NULL), 0);
    assert_int_equal(tacho_event_write(writer, &event, NULL),
                     TACHO_EINVAL); /* and writes nothing */
    event.event = "e";
    event.source = "s";
    for (int i = 0; i < 2; i++)
        assert_int_equal(tacho_event_write(writer, &event, NULL), 0);
    tacho_event_close(writer);
#define LINE                                                                \
    "{\"event\":\"e\",\"commit_sha\":null,\"env_hash\":\"sha256:unknown\"," \
    "\"model\":\"unknown\",\"concurrency\":1,\"shape\":{},\"stage_us\":{}," \
    "\"graph_enabled\":false,\"runtime_flags\":{},\"source\":\"s\"}\n"
    test_assert_content(test_at("p"), "{\"event\":\"half\n" LINE LINE);
    assert_int_equal(tacho_event_write(NULL, &event, NULL), 0); /* disabled */
}

static int read_and_write(void *arg)
{
    static const char json[] = EVENT_OF("e", "{\"a\":[1]}", "{\"b\":\"\\t\"}", "{}");
    static const char *const names[] = {"e"};
    tacho_event_list *list = NULL;
    tacho_field *fields = NULL;
    char *out = NULL;
    size_t len;
    int status = tacho_event_list_from_jsonl(json, strlen(json), &list, NULL);

    (void)arg;
    if (status == 0)
        status = tacho_event_to_json(tacho_event_list_at(list, 0), &out, &len, NULL);
    if (status == 0)
        status = tacho_fields_from_json("{\"b\":1,\"a\":2}", 13, &fields, &len, NULL);
    if (status == 0)
        status = tacho_event_list_require(list, names, 1, NULL);
    tacho_event_list_free(list);
    free(fields);
    free(out);
    return status;
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    test_every_allocation_fails(read_and_write, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_that_are_not_set_have_their_default),
        cmocka_unit_test(every_kind_of_value_is_read_and_written_back),
        cmocka_unit_test(fields_are_found_by_their_key),
        cmocka_unit_test(an_invalid_event_is_not_written),
        cmocka_unit_test(a_text_that_a_c_string_cannot_hold_is_refused),
        cmocka_unit_test(a_list_has_all_events_or_is_not_made),
        cmocka_unit_test(a_line_that_is_too_long_is_named),
        TEST_IN_HOME(an_event_follows_a_fragment_on_a_line_of_its_own),
        cmocka_unit_test(survives_every_allocation_failing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
