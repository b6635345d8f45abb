/* Tests ferrum's product events: every rule, and the translation. */
#include "support/test.h"

#include "base/fail.h"
#include "kit/event/event_product.h"

#define HEAD                                                                             \
    "{\"schema_version\":1,\"ts_unix_nanos\":5,\"event_id\":\"e\",\"request_id\":\"r\"," \
    "\"correlation_id\":\"c\",\"entrypoint\":\"serve\",\"backend\":\"cuda\","            \
    "\"runtime_preset_hash\":\"sha256:ab\",\"phase\":\"decode\","                        \
    "\"timestamp\":\"2026-07-12T06:00:00.25+08:00\",\"shape\":{\"batch\":8},"
#define SPAN HEAD "\"event_kind\":\"timed_span\",\"status\":\"ok\",\"duration_us\":512"

/* Translates an event. Returns the status, and the translation or the message. */
static int translate(const char *text, char *out, size_t size)
{
    struct tch_buf b;
    tacho_error err = {0};
    int status;

    tch_buf_init(&b, TCH_PRODUCT_ROOM);
    status = tch_product_translate(text, strlen(text), &b, &err);
    snprintf(out, size, "%s", status > 0 ? b.data : err.message);
    tch_buf_release(&b);
    return status;
}

static void becomes_an_event_of_the_other_schema(void **state)
{
    static const char text[] =
        SPAN ",\"model\":\"q\",\"attributes\":{\"profile_sample_rate\":0.5},"
             "\"memory\":{\"scope\":\"device\\u0041\",\"before_bytes\":1,\"after_bytes\":2,"
             "\"current_bytes\":3,\"high_water_bytes\":4},"
             "\"resource\":{\"owner_kind\":\"request\",\"owner_id\":\"r\",\"resource_kind\":"
             "\"kv_block\",\"action\":\"reserve\",\"amount\":-1,\"before\":4,\"after\":3}}";
    char out[2048];
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;

    (void)state;
    assert_int_equal(translate(text, out, sizeof out), 1);
    assert_string_equal(
        out,
        "{\"event\":\"decode\",\"commit_sha\":null,\"env_hash\":\"sha256:ab\",\"model\":\"q\","
        "\"concurrency\":1,\"shape\":{\"backend\":\"cuda\",\"entrypoint\":\"serve\","
        "\"event_kind\":\"timed_span\",\"status\":\"ok\",\"batch\":8},\"stage_us\":{"
        "\"total_us\":512,\"memory\":{\"deviceA\":{\"high_water_bytes\":4,\"current_bytes\":3,"
        "\"before_bytes\":1,\"after_bytes\":2}},\"resource\":{\"kv_block\":{\"reserve\":{"
        "\"amount_count\":-1,\"before_count\":4,\"after_count\":3}}}},\"graph_enabled\":false,"
        "\"runtime_flags\":{\"profile_sample_rate\":0.5},\"source\":\"ferrum product event\"}");
    assert_int_equal(tacho_event_parse(out, strlen(out), &event, NULL), 0);
}

static void leaves_other_lines_alone(void **state)
{
    char out[512];

    (void)state;
    assert_int_equal(translate("{\"event\":\"x\",\"schema_version\":1}", out, sizeof out), 0);
    assert_int_equal(translate("{\"phase\":\"x\"}", out, sizeof out), 0);
    assert_int_equal(translate("[1]", out, sizeof out), 0);
}

static void names_the_broken_rule(void **state)
{
    static const struct {
        const char *text;
        const char *why;
    } cases[] = {
        {"{\"schema_version\":1}", "missing required field: ts_unix_nanos"},
        {HEAD "\"event_kind\":\"timed_span\",\"status\":\"ok\"}",
         "missing required field: duration_us"},
        {HEAD "\"event_kind\":\"instant\",\"status\":\"failure\"}",
         "missing required field: error"},
        {HEAD "\"event_kind\":\"other\",\"status\":\"ok\"}", "event_kind must be a known word"},
        {SPAN ",\"model\":\" \"}", "model must be non-empty"},
        {SPAN ",\"memory\":{\"scope\":\"s\",\"before_bytes\":1,\"after_bytes\":2,"
              "\"current_bytes\":3}}",
         "missing required field: memory.high_water_bytes"},
        {SPAN ",\"memory\":{\"scope\":\"s\",\"before_bytes\":-1,\"after_bytes\":2,"
              "\"current_bytes\":3,\"high_water_bytes\":4}}",
         "memory.before_bytes must be a whole number, 0 or more"},
        {SPAN ",\"resource\":{\"owner_kind\":\"k\",\"owner_id\":\"i\",\"resource_kind\":\"b\","
              "\"action\":\"commit\",\"amount\":1,\"before\":2}}",
         "missing required field: resource.after"},
        {SPAN ",\"resource\":{\"owner_kind\":\"k\",\"owner_id\":\"i\",\"resource_kind\":\"b\","
              "\"action\":\"reject\"}}",
         "resource.reason must be non-empty"},
        {SPAN ",\"resource\":{\"owner_kind\":\"k\",\"owner_id\":\"i\",\"resource_kind\":\"b\","
              "\"action\":\"capacity_snapshot\"}}",
         "missing required field: resource.capacity"},
        {SPAN ",\"error\":{\"kind\":\"k\",\"message\":\"\"}}", "error.message must be non-empty"},
        {SPAN ",\"replay\":{}}", "missing required field: replay.command"},
        {SPAN ",\"attributes\":{\"profile_sample_rate\":1.5}}",
         "attributes.profile_sample_rate must be from 0 to 1"},
    };
    char out[512];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(translate(cases[i].text, out, sizeof out), TACHO_EPARSE);
        assert_string_equal(out, cases[i].why);
    }
}

/* Replaces the first `from` of SPAN. */
static void replaced(const char *from, const char *to, char *out, size_t size)
{
    static const char span[] = SPAN "}";
    const char *at = strstr(span, from);

    assert_non_null(at);
    snprintf(out, size, "%.*s%s%s", (int)(at - span), span, to, at + strlen(from));
}

static void checks_values_of_the_head(void **state)
{
    static const char *const cases[][3] = {
        {"\"schema_version\":1", "\"schema_version\":2", "schema_version must be 1"},
        {"\"ts_unix_nanos\":5", "\"ts_unix_nanos\":0", "ts_unix_nanos must be positive"},
        {"{\"batch\":8}", "{}", "shape must contain at least one field"},
        {"T06:00:00.25+08:00", "T06:00:00", "timestamp must be a time as in RFC 3339"},
        {"2026-07", "26-07", "timestamp must be a time as in RFC 3339"},
        {"\"duration_us\":512", "\"duration_us\":5.5",
         "duration_us must be a whole number, 0 or more"},
        {"\"serve\"", "\"walk\"", "entrypoint must be a known word"},
        {"\"sha256:ab\"", "\"\"", "runtime_preset_hash must be non-empty"},
    };
    char text[1024];
    char out[2048];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        replaced(cases[i][0], cases[i][1], text, sizeof text);
        assert_int_equal(translate(text, out, sizeof out), TACHO_EPARSE);
        assert_string_equal(out, cases[i][2]);
    }
    replaced(".25+08:00", "Z", text, sizeof text);
    assert_int_equal(translate(text, out, sizeof out), 1);
}

static int translate_once(void *arg)
{
    static const char text[] = SPAN "}";
    struct tch_buf b;
    tacho_error err;
    int status;

    (void)arg;
    tch_buf_init(&b, TCH_PRODUCT_ROOM);
    status = tch_product_translate(text, sizeof text - 1, &b, &err);
    tch_buf_release(&b);
    return status > 0 ? 0 : status;
}

static void survives_without_memory(void **state)
{
    (void)state;
    test_every_allocation_fails(translate_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(becomes_an_event_of_the_other_schema),
        cmocka_unit_test(leaves_other_lines_alone),
        cmocka_unit_test(names_the_broken_rule),
        cmocka_unit_test(checks_values_of_the_head),
        cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
