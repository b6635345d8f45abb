/* Tests the parser: what is checked, in which order, and with which message; torn lines; groups. */
#include "support/test.h"

#include <fcntl.h>
#include <unistd.h>

#include <tacho/event.h>

#include "sample.h"
#include "support/system.h"

static void assert_message(const char *text, const char *start)
{
    tacho_event_view event = {.size = sizeof event, .line = 77};
    tacho_error err;

    assert_int_equal(tacho_event_parse(text, strlen(text), &event, &err), TACHO_EPARSE);
    assert_int_equal(event.line, 77); /* ret is not changed on failure */
    if (strncmp(err.message, start, strlen(start)) != 0)
        fail_msg("'%s' instead of '%s' for %s", err.message, start, text);
}

static void returns_the_raw_fields(void **state)
{
    static const char text[] = EVENT_OF("e\\u0041", "{\"b\":1}", "{ }", "{\"x\":[]}");
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;
    char name[16];
    size_t len;

    (void)state;
    assert_int_equal(tacho_event_parse(text, strlen(text), &event, NULL), 0);
    assert_int_equal(tacho_raw_text(event.event, name, sizeof name, &len, NULL), 0);
    assert_string_equal(name, "eA");
    assert_int_equal(len, 2);
    assert_int_equal(tacho_raw_text(event.event, name, 2, NULL, NULL), TACHO_ELIMIT);
    assert_memory_equal(event.shape.text, "{\"b\":1}", event.shape.len);
    assert_memory_equal(event.stage_us.text, "{ }", event.stage_us.len);
    assert_int_equal(event.concurrency, 4);
    assert_true(event.graph_enabled);
    assert_null(event.source.text);
    assert_int_equal(tacho_raw_text(event.source, name, sizeof name, NULL, NULL), 0);
    assert_string_equal(name, "");
}

static void checks_in_the_order_of_the_schema(void **state)
{
    (void)state;
    assert_message("{", "invalid JSON: column 2: ");
    assert_message("[1]", "profile event must be a JSON object");
    assert_message("{\"model\":5}", "missing required field: event");
    assert_message("{\"event\":\"\",\"commit_sha\":\"\",\"env_hash\":1,\"model\":\"\","
                   "\"concurrency\":0,\"shape\":{},\"stage_us\":{},\"graph_enabled\":true,"
                   "\"runtime_flags\":1}",
                   "invalid profile event: column 40: env_hash must be a string, not a number");
    assert_message("{\"event\":\" \",\"commit_sha\":\"\",\"env_hash\":\"\",\"model\":\"\","
                   "\"concurrency\":0,\"shape\":{},\"stage_us\":{},\"graph_enabled\":true,"
                   "\"runtime_flags\":1}",
                   "event must be non-empty");
    assert_message("{\"event\":\"e\",\"commit_sha\":null,\"env_hash\":\"sha256:\",\"model\":\"m\","
                   "\"concurrency\":0,\"shape\":{},\"stage_us\":{},\"graph_enabled\":true,"
                   "\"runtime_flags\":1}",
                   "concurrency must be > 0");
    assert_message("{\"event\":\"e\",\"commit_sha\":null,\"env_hash\":\"sha256:\",\"model\":\"m\","
                   "\"concurrency\":1.5,\"shape\":{},\"stage_us\":{},\"graph_enabled\":true,"
                   "\"runtime_flags\":{}}",
                   "invalid profile event: column 79: concurrency must be ");
    assert_message("{\"event\":\"e\",\"commit_sha\":null,\"env_hash\":\"sha256:\",\"model\":\"m\","
                   "\"concurrency\":1,\"shape\":{},\"stage_us\":{},\"graph_enabled\":true,"
                   "\"runtime_flags\":1}",
                   "runtime_flags must be an object");
}

/* Sets the field to a value of each wrong type, in an event after two blanks. The reported
   column must be where the value starts. */
static void assert_columns(const char *field, const char *const *wrong)
{
    static const char sound[] = EVENT_OF("e", "{}", "{\"a\":1}", "{}");
    char key[32];
    char text[512];
    const char *value;
    size_t at;

    snprintf(key, sizeof key, "\"%s\":", field);
    value = strstr(sound, key);
    assert_non_null(value);
    at = (size_t)(value - sound) + strlen(key);
    for (; *wrong; wrong++) {
        tacho_event_view event = TACHO_EVENT_VIEW_INIT;
        tacho_error err;
        char start[64];

        snprintf(start, sizeof start, "invalid profile event: column %zu: %s must be ", at + 3,
                 field);
        snprintf(text, sizeof text, "  %.*s%s%s", (int)at, sound, *wrong, strchr(sound + at, ','));
        assert_int_equal(tacho_event_parse(text, strlen(text), &event, &err), TACHO_EPARSE);
        if (strncmp(err.message, start, strlen(start)) != 0)
            fail_msg("'%s' instead of '%s' for %s", err.message, start, text);
        assert_int_equal(err.column, at + 3);
        assert_int_equal(err.offset, at + 2);
    }
}

static void names_the_column_of_a_value_of_the_wrong_type(void **state)
{
    static const char *const no_text[] = {"5", "true", "[\"a\"]", "{}", NULL};
    static const char *const no_number[] = {"\"5\"", "\"\"", "null", "[]", "-1", NULL};
    static const char *const no_object[] = {"\"{}\"", "\"\"", "\"\\u0041\"", "null", "1", NULL};
    static const char *const no_bool[] = {"\"true\"", "null", "1", "{}", NULL};

    (void)state;
    assert_columns("event", no_text);
    assert_columns("commit_sha", no_text);
    assert_columns("env_hash", no_text);
    assert_columns("model", no_text);
    assert_columns("concurrency", no_number);
    assert_columns("shape", no_object);
    assert_columns("stage_us", no_object);
    assert_columns("graph_enabled", no_bool);
}

static void refuses_numbers_that_no_double_can_hold(void **state)
{
    (void)state;
    assert_message(EVENT_OF("e", "{}", "{\"a\":1e999}", "{}"), "invalid JSON: column ");
    assert_message(EVENT_OF("e", "{}", "{}", "{\"deep\":[{\"x\":-1E+400}]}"),
                   "invalid JSON: column ");
}

/* --- lines --- */

struct seen {
    int result;
    uint64_t line;
    uint64_t torn;
};

static void assert_lines(const char *text, const struct seen *expected, size_t count,
                         uint64_t fragments)
{
    tacho_event_reader *reader = NULL;

    assert_int_equal(tacho_event_reader_open_mem(text, strlen(text), &reader, NULL), 0);
    for (size_t i = 0; i <= count; i++) {
        tacho_event_view event = TACHO_EVENT_VIEW_INIT;
        tacho_error err = {0};
        int result = tacho_event_next(reader, &event, &err);

        assert_int_equal(result, i < count ? expected[i].result : 0);
        if (i == count)
            break;
        assert_int_equal(result > 0 ? event.line : err.line, expected[i].line);
        assert_int_equal(event.torn, expected[i].torn);
        if (result < 0 && expected[i].torn == 0 && fragments > 0)
            assert_non_null(strstr(err.message, "torn line"));
    }
    assert_int_equal(tacho_event_reader_torn(reader), fragments);
    tacho_event_reader_close(reader);
}

static void continues_after_a_bad_line(void **state)
{
    static const struct seen expected[] = {
        {TACHO_EPARSE, 2, 0}, {1, 4, 0}, {TACHO_EPARSE, 5, 0}, {1, 6, 0}};

    (void)state;
    assert_lines("\n{}\n \xC2\xA0\r\n" EVENT "\r\nnope\n  " EVENT, expected, 4, 0);
}

static void salvages_a_whole_event_after_a_fragment(void **state)
{
    (void)state;
    assert_lines("{\"event\":\"unif" EVENT "\n" EVENT "\n", (struct seen[]){{1, 1, 14}, {1, 2, 0}},
                 2, 1);
    assert_lines("{\"event\":\"unif{\"event\":" EVENT "\n", (struct seen[]){{1, 1, 23}}, 1, 1);
}

static void a_fragment_at_any_byte_is_torn(void **state)
{
    static const char whole[] =
        EVENT_OF("\\u00e9\xC3\xA9", "{\"a\":[true,-1.5e3]}", "{\"b\":null}", "{\"c\":\"\\\\\"}");

    (void)state;
    for (size_t cut = 1; cut < strlen(whole); cut++) {
        char text[1000];
        int len = snprintf(text, sizeof text, "%.*s\n" EVENT "\n", (int)cut, whole);

        assert_true(len > 0);
        assert_lines(text, (struct seen[]){{TACHO_EPARSE, 1, 0}, {1, 2, 0}}, 2, 1);
        snprintf(text, sizeof text, "%.*s" EVENT "\n", (int)cut, whole);
        assert_lines(text, (struct seen[]){{1, 1, cut}}, 1, 1);
        snprintf(text, sizeof text, "{\"event\":\"x%.*s\n", (int)cut, whole);
        if (cut >= 9)
            assert_lines(text, (struct seen[]){{TACHO_EPARSE, 1, 0}}, 1, 1);
    }
}

static void a_bad_line_that_is_complete_is_not_torn(void **state)
{
    static const char *const lines[] = {
        "{}",         "{\"event\":1}", "nope",
        "{\"a\":1}}", "{\"a\" 1}",     "{\"event\":\"x\",,\"model\":\"a much longer text\"}"};

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        assert_lines(lines[i], (struct seen[]){{TACHO_EPARSE, 1, 0}}, 1, 0);
}

static void a_hostile_line_is_parsed_quickly(void **state)
{
    enum { SIZE = 256 << 10 };
    static const char piece[] = "{\"event\":[";
    char *text = malloc(SIZE + 1);

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < SIZE; i++)
        text[i] = piece[i % (sizeof piece - 1)];
    text[SIZE] = '\0';
    assert_lines(text, (struct seen[]){{TACHO_EPARSE, 1, 0}}, 1, 1);
    free(text);
}

static void a_line_above_the_limit_is_reported_and_skipped(void **state)
{
    enum { SIZE = 17 << 20 };
    static const char after[] = "\n" EVENT "\n";
    char *text = malloc(SIZE + sizeof after);

    (void)state;
    assert_non_null(text);
    memset(text, 'x', SIZE);
    memcpy(text + SIZE, after, sizeof after);
    assert_lines(text, (struct seen[]){{TACHO_ELIMIT, 1, 0}, {1, 2, 0}}, 2, 0);
    free(text);
}

static void reads_from_a_descriptor(void **state)
{
    tacho_event_reader *reader = NULL;
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;
    tacho_error err;
    int fd;

    (void)state;
    test_put(test_at("p"), EVENT "\n\n" EVENT);
    fd = open(test_at("p"), O_RDONLY | O_CLOEXEC);
    assert_int_equal(tacho_event_reader_open_fd(fd, "p", &reader, NULL), 0);
    assert_int_equal(tacho_event_next(reader, &event, NULL), 1);
    assert_int_equal(tacho_event_next(reader, &event, NULL), 1);
    assert_int_equal(event.line, 3);
    assert_int_equal(tacho_event_next(reader, &event, NULL), 0);
    tacho_event_reader_close(reader);
    close(fd);
    fd = open(test_home, O_RDONLY | O_CLOEXEC); /* a folder cannot be read */
    assert_int_equal(tacho_event_reader_open_fd(fd, "folder", &reader, NULL), 0);
    assert_int_equal(tacho_event_next(reader, &event, &err), TACHO_EIO);
    assert_non_null(strstr(err.message, "folder"));
    tacho_event_reader_close(reader);
    close(fd);
}

/* --- groups --- */

static void no_group_is_missing_when_none_is_required_or_all_occur(void **state)
{
    static const char *const names[] = {"e"};
    tacho_event_groups *groups = NULL;
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;

    (void)state;
    assert_int_equal(tacho_event_groups_new(NULL, 0, &groups, NULL), 0);
    assert_int_equal(tacho_event_groups_check(groups, NULL), 0);
    tacho_event_groups_free(groups);
    assert_int_equal(tacho_event_groups_new(names, 1, &groups, NULL), 0);
    assert_int_equal(tacho_event_parse(EVENT, strlen(EVENT), &event, NULL), 0);
    tacho_event_groups_see(groups, &event);
    assert_int_equal(tacho_event_groups_check(groups, NULL), 0);
    tacho_event_groups_free(groups);
}

static void names_missing_groups_in_the_order_of_the_request(void **state)
{
    static const char *const names[] = {"c", "e", "a", "c"};
    tacho_event_groups *groups = NULL;
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;
    tacho_error err;
    const char *first;

    (void)state;
    assert_int_equal(tacho_event_groups_new(names, 4, &groups, NULL), 0);
    assert_int_equal(tacho_event_parse(EVENT, strlen(EVENT), &event, NULL), 0);
    tacho_event_groups_see(groups, &event);
    assert_int_equal(tacho_event_groups_check(groups, &err), TACHO_EPARSE);
    assert_string_equal(err.message, "missing profile event groups: c, a, c");
    first = tacho_event_groups_missing(groups, NULL);
    assert_string_equal(first, "c");
    assert_string_equal(tacho_event_groups_missing(groups, first), "a");
    tacho_event_groups_free(groups);
}

/* --- memory --- */

static int parse_and_group(void *arg)
{
    static char text[2000];
    static const char *const names[] = {"a", "b"};
    tacho_event_groups *groups = NULL;
    tacho_event_reader *reader = NULL;
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;
    char *canon = NULL;
    size_t len;
    int status;

    (void)arg;
    snprintf(text, sizeof text, EVENT_OF("%01000d\\n", "{}", "{\"b\":1,\"a\":2}", "{}"), 0);
    status = tacho_event_groups_new(names, 2, &groups, NULL);
    if (status == 0)
        status = tacho_event_reader_open_mem(text, strlen(text), &reader, NULL);
    if (status == 0)
        status = tacho_event_next(reader, &event, NULL);
    if (status == 1)
        status = tacho_event_canon(&event, &canon, &len, NULL);
    free(canon);
    tacho_event_reader_close(reader);
    tacho_event_groups_free(groups);
    return status;
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    test_every_allocation_fails(parse_and_group, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(returns_the_raw_fields),
        cmocka_unit_test(checks_in_the_order_of_the_schema),
        cmocka_unit_test(names_the_column_of_a_value_of_the_wrong_type),
        cmocka_unit_test(refuses_numbers_that_no_double_can_hold),
        cmocka_unit_test(continues_after_a_bad_line),
        cmocka_unit_test(salvages_a_whole_event_after_a_fragment),
        cmocka_unit_test(a_fragment_at_any_byte_is_torn),
        cmocka_unit_test(a_bad_line_that_is_complete_is_not_torn),
        cmocka_unit_test(a_hostile_line_is_parsed_quickly),
        cmocka_unit_test(a_line_above_the_limit_is_reported_and_skipped),
        TEST_IN_HOME(reads_from_a_descriptor),
        cmocka_unit_test(no_group_is_missing_when_none_is_required_or_all_occur),
        cmocka_unit_test(names_missing_groups_in_the_order_of_the_request),
        cmocka_unit_test(survives_every_allocation_failing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
