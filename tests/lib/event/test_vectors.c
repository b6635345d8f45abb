/* Checks every case about profile events, of the project and of the reference data. */
#include "support/test.h"

#include <fcntl.h>
#include <glob.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_write.h"
#include "lib/event/event_canon.h"
#include "lib/event/event_parse.h"
#include "support/reference.h"
#include "support/system.h"
#include "support/vectors.h"
#include "vectors.h"

static void expect_path(char out[64], const char *json, size_t len, const char *rest)
{
    snprintf(out, 64, "%s.%s", vector_expect(json, len), rest);
}

/* --- profile_parse --- */

/* Parses like the reference, which stops at the first bad line and reports its number. */
static int parse_all(const char *text, size_t len, struct tch_buf *canon, tacho_error *err)
{
    tacho_event_reader *reader = NULL;
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;
    int status;

    assert_int_equal(tacho_event_reader_open_mem(text, len, &reader, NULL), 0);
    while ((status = tacho_event_next(reader, &event, err)) > 0) {
        if (event.torn > 0) {
            status = TACHO_EPARSE;
            *err = (tacho_error){.line = event.line, .message = "invalid JSON: torn"};
            break;
        }
        tch_event_canon(canon, &event);
        tch_json_line_end(canon);
    }
    tacho_event_reader_close(reader);
    return status;
}

/* Returns how much of a message is compared: after these two beginnings, tacho's wording
   differs. */
static size_t compared_length(const char *message)
{
    static const char *const ours[] = {"invalid JSON:", "invalid profile event:"};

    for (size_t i = 0; i < 2; i++) {
        const char *at = strstr(message, ours[i]);

        if (at)
            return (size_t)(at - message) + strlen(ours[i]);
    }
    return strlen(message) + 1;
}

static void check_rejected(const char *json, size_t len, const tacho_error *err)
{
    char path[64];
    char got[TACHO_ERROR_TEXT];
    char *expected;

    expect_path(path, json, len, "error");
    expected = vector_text(json, len, path, NULL);
    tacho_error_text(err, got, sizeof got);
    if (strncmp(got, expected, compared_length(expected)) != 0)
        fail_msg("'%s' instead of '%s' for %.*s", got, expected, (int)len, json);
    free(expected);
}

static void check_lines(const char *json, size_t len, const struct tch_buf *canon)
{
    const char *at = canon->data;
    size_t i;

    for (i = 0;; i++) {
        struct tch_json_value raw;
        char rest[32];
        char path[64];
        char *line;
        size_t n;

        snprintf(rest, sizeof rest, "lines.%zu", i);
        expect_path(path, json, len, rest);
        if (!vector_find(json, len, path, &raw))
            break;
        line = vector_unescape(&raw, &n);
        if (strncmp(at, line, n) != 0 || at[n] != '\n')
            fail_msg("%s\ninstead of\n%s\nfor %.*s", at, line, (int)len, json);
        at += n + 1;
        free(line);
    }
    assert_string_equal(at, "");
}

/* Checks the case as a list of structs. A C string cannot hold all texts. */
static void check_list(const char *json, size_t len, bool ok, const char *text, size_t text_len)
{
    tacho_event_list *list = NULL;
    struct tch_buf lines;
    tacho_error err;
    int status = tacho_event_list_from_jsonl(text, text_len, &list, &err);

    if (status < 0 && strstr(err.message, "contains a NUL"))
        return;
    assert_int_equal(status, ok ? 0 : TACHO_EPARSE);
    if (!ok) {
        check_rejected(json, len, &err);
        return;
    }
    tch_buf_init(&lines, 1 << 24);
    for (size_t i = 0; i < tacho_event_list_count(list); i++) {
        char *line;
        size_t line_len;

        assert_int_equal(tacho_event_to_json(tacho_event_list_at(list, i), &line, &line_len, NULL),
                         0);
        tch_buf_add(&lines, line, line_len);
        tch_buf_addc(&lines, '\n');
        free(line);
    }
    check_lines(json, len, &lines);
    tch_buf_release(&lines);
    tacho_event_list_free(list);
}

static void check_parse(const char *json, size_t len, void *arg)
{
    tacho_error err;
    struct tch_buf canon;
    char path[64];
    size_t n;
    char *text = vector_text(json, len, "input.text", &n);
    bool ok;

    (void)arg;
    expect_path(path, json, len, "ok");
    ok = vector_value(json, len, path).type == TCH_JSON_TRUE;
    tch_buf_init(&canon, 1 << 24);
    if (parse_all(text, n, &canon, &err) < 0) {
        if (ok)
            fail_msg("refused: line %u: %s: %.*s", (unsigned)err.line, err.message, (int)len, json);
        check_rejected(json, len, &err);
    } else {
        if (!ok)
            fail_msg("accepted: %.*s", (int)len, json);
        check_lines(json, len, &canon);
    }
    check_list(json, len, ok, text, n);
    tch_buf_release(&canon);
    free(text);
}

static void parses_what_the_reference_parses(void **state)
{
    (void)state;
    test_each_line("profile_parse.jsonl", 201, check_parse, NULL);
}

/* --- require_groups --- */

static size_t texts(const char *json, size_t len, const char *path, char *ret[16])
{
    size_t count = 0;

    for (;; count++) {
        struct tch_json_value raw;
        char element[64];

        snprintf(element, sizeof element, "%s.%zu", path, count);
        if (!vector_find(json, len, element, &raw))
            return count;
        assert_true(count < 16);
        ret[count] = vector_unescape(&raw, NULL);
    }
}

static void see(tacho_event_groups *groups, const char *name)
{
    struct tch_buf b;

    tch_buf_init(&b, 1000);
    tch_json_text(&b, name);
    tacho_event_groups_see(groups, &(tacho_event_view){.event = {b.data, b.len}});
    tch_buf_release(&b);
}

/* A message is one line, so a line feed in a name is printed as a blank. */
static void blank_out_controls(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20)
            *text = ' ';
}

static void check_groups(const char *json, size_t len, void *arg)
{
    bool ok = vector_value(json, len, "expect.ok").type == TCH_JSON_TRUE;
    char *required[16];
    size_t required_count = texts(json, len, "input.required", required);
    char *events[16];
    size_t event_count = texts(json, len, "input.events", events);
    tacho_event_groups *groups = NULL;
    tacho_error err;

    (void)arg;
    assert_int_equal(
        tacho_event_groups_new((const char *const *)required, required_count, &groups, NULL), 0);
    for (size_t i = 0; i < event_count; i++)
        see(groups, events[i]);
    assert_int_equal(tacho_event_groups_check(groups, &err), ok ? 0 : TACHO_EPARSE);
    if (!ok) {
        char *expected = vector_text(json, len, "expect.error", NULL);

        blank_out_controls(expected);
        assert_string_equal(err.message, expected);
        free(expected);
    }
    tacho_event_groups_free(groups);
    for (size_t i = 0; i < event_count; i++)
        free(events[i]);
    for (size_t i = 0; i < required_count; i++)
        free(required[i]);
}

static void finds_the_groups_that_are_missing(void **state)
{
    (void)state;
    test_each_line("require_groups.jsonl", 11, check_groups, NULL);
}

/* --- metadata_env --- */

static void check_same(const char *json, size_t len, const char *name, char *got)
{
    char path[64];
    char *expected;

    expect_path(path, json, len, name);
    expected = vector_text(json, len, path, NULL);
    assert_string_equal(got, expected);
    free(expected);
    free(got);
}

/* Returns the i-th pair as "NAME=value", or NULL after the last. */
static char *env_pair(const char *json, size_t len, size_t i)
{
    struct tch_json_value raw;
    struct tch_buf b;
    char path[64];
    char *text;

    snprintf(path, sizeof path, "input.env.%zu.0", i);
    if (!vector_find(json, len, path, &raw))
        return NULL;
    tch_buf_init(&b, 100000);
    text = vector_unescape(&raw, NULL);
    tch_buf_addf(&b, "%s=", text);
    free(text);
    snprintf(path, sizeof path, "input.env.%zu.1", i);
    text = vector_text(json, len, path, NULL);
    tch_buf_adds(&b, text);
    free(text);
    return tch_buf_take(&b);
}

/* Checks that a configuration from the environment is the same after a round trip through JSON. */
static void check_env(const char *json, size_t len, void *arg)
{
    char *pairs[17] = {NULL};
    tacho_event_config *config;
    tacho_event_config *again;
    char *text;
    size_t n;

    (void)arg;
    for (size_t i = 0; i < 16 && (pairs[i] = env_pair(json, len, i)); i++)
        ;
    assert_int_equal(tacho_event_metadata_from_env((const char *const *)pairs, &config, NULL), 0);
    assert_int_equal(tacho_event_metadata_to_json(config, &text, &n, NULL), 0);
    assert_int_equal(tacho_event_metadata_from_json(text, n, &again, NULL), 0);
    free(text);
    assert_int_equal(tacho_event_metadata_to_json(again, &text, &n, NULL), 0);
    check_same(json, len, "metadata_json", text);
    free(config);
    free(again);
    assert_int_equal(tacho_event_config_from_env((const char *const *)pairs, &config, NULL), 0);
    assert_int_equal(tacho_event_config_to_json(config, &text, &n, NULL), 0);
    assert_int_equal(tacho_event_config_from_json(text, n, &again, NULL), 0);
    free(text);
    assert_int_equal(tacho_event_config_to_json(again, &text, &n, NULL), 0);
    check_same(json, len, "sink_json", text);
    free(config);
    free(again);
    for (size_t i = 0; i < 17; i++)
        free(pairs[i]);
}

static void reads_the_environment_as_the_reference(void **state)
{
    (void)state;
    test_each_line("metadata_env.jsonl", 31, check_env, NULL);
}

/* --- native_writer --- */

static char *text_or_null(const char *json, size_t len, const char *path)
{
    struct tch_json_value raw = vector_value(json, len, path);

    return raw.type == TCH_JSON_NULL ? NULL : vector_unescape(&raw, NULL);
}

static bool push(const char *json, size_t len, size_t i, tacho_event_writer *writer)
{
    struct tch_json_value raw;
    char path[64];
    char *event;
    char *shape;
    char *stage_us;
    char *error = NULL;
    bool graph;
    tacho_error err = {0};

    snprintf(path, sizeof path, "input.pushes.%zu", i);
    if (!vector_find(json, len, path, &raw))
        return false;
    event = vector_text(raw.text, raw.len, "event", NULL);
    shape = vector_text(raw.text, raw.len, "shape_json", NULL);
    stage_us = vector_text(raw.text, raw.len, "stage_us_json", NULL);
    graph = vector_value(raw.text, raw.len, "graph_enabled").type == TCH_JSON_TRUE;
    (void)tacho_event_push_json(writer, event, shape, stage_us, graph, &err);
    snprintf(path, sizeof path, "expect.results.%zu.error", i);
    if (vector_find(json, len, path, &raw))
        error = vector_unescape(&raw, NULL);
    assert_string_equal(err.message, error ? error : "");
    free(event);
    free(shape);
    free(stage_us);
    free(error);
    return true;
}

static void check_writer(const char *json, size_t len, void *arg)
{
    tacho_event_writer *writer = NULL;
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    char *before = text_or_null(json, len, "input.preexisting");
    char path[64];
    char *file;
    bool fragment = before && *before && before[strlen(before) - 1] != '\n';

    (void)arg;
    config.path = test_at("profile.jsonl");
    config.commit_sha = text_or_null(json, len, "input.metadata.commit_sha");
    config.env_hash = text_or_null(json, len, "input.metadata.env_hash");
    config.model = text_or_null(json, len, "input.metadata.model");
    config.runtime_flags = text_or_null(json, len, "input.metadata.runtime_flags_json");
    struct tch_json_value n = vector_value(json, len, "input.metadata.concurrency");
    config.concurrency = (uint32_t)tch_json_to_number(&n).as.u64;
    unlink(config.path);
    if (before)
        test_put(config.path, before);
    assert_int_equal(tacho_event_open(&config, &writer, NULL), 0);
    for (size_t i = 0; push(json, len, i, writer); i++)
        ;
    tacho_event_close(writer);
    expect_path(path, json, len, "file");
    file = vector_text(json, len, path, NULL);
    if (fragment) { /* the reference appends its line to the fragment and loses both */
        struct tch_buf b;

        tch_buf_init(&b, 100000);
        tch_buf_adds(&b, before);
        tch_buf_addc(&b, '\n');
        tch_buf_adds(&b, file + strlen(before));
        test_assert_content(config.path, b.data);
        tch_buf_release(&b);
    } else {
        test_assert_content(config.path, file);
    }
    free(file);
    free(before);
    free((char *)config.commit_sha);
    free((char *)config.env_hash);
    free((char *)config.model);
    free((char *)config.runtime_flags);
}

static void writes_the_bytes_that_the_reference_writes(void **state)
{
    (void)state;
    test_each_line("native_writer.jsonl", 16, check_writer, NULL);
}

/* --- whole files --- */

/* Checks that the canonical form of a file is its own canonical form. */
static void check_stable(const char *name, const char *text, size_t len)
{
    struct tch_buf once;
    struct tch_buf twice;
    tacho_error err;

    tch_buf_init(&once, 1 << 26);
    tch_buf_init(&twice, 1 << 26);
    if (parse_all(text, len, &once, &err) < 0)
        fail_msg("%s:%u: %s", name, (unsigned)err.line, err.message);
    assert_true(once.len > 0);
    assert_int_equal(parse_all(once.data, once.len, &twice, &err), 0);
    assert_string_equal(once.data, twice.data);
    tch_buf_release(&once);
    tch_buf_release(&twice);
}

static void is_stable_on_a_file_of_every_kind_of_line(void **state)
{
    static const char text[] =
        "{\"stage_us\":{\"b\":1.50,\"a\":2e3},\"shape\":{\"z\":[1,{\"y\":null}],\"\\u0061\":-0},"
        "\"event\":\"one\",\"commit_sha\":null,\"env_hash\":\"sha256:0\",\"model\":\"m\","
        "\"concurrency\":4,"
        "\"graph_enabled\":false,\"runtime_flags\":{\"t\":true}}\n"
        "\n"
        "  "
        "{\"event\":\"\xC3\xA9\\n\",\"commit_sha\":\"c\",\"env_hash\":\"sha256:1\",\"model\":\"m\","
        "\"concurrency\":1,\"shape\":{},\"stage_us\":{},\"graph_enabled\":true,\"runtime_flags\":{}"
        ","
        "\"source\":\"native\",\"source_line\":\"[x]\"}\r\n";

    (void)state;
    check_stable("text", text, sizeof text - 1);
}

static void check_real_file(const char *path)
{
    struct tch_buf text;

    tch_buf_init(&text, 1 << 26);
    assert_int_equal(tch_file_read(path, 1 << 26, &text, NULL), 0);
    check_stable(path, text.data, text.len);
    tch_buf_release(&text);
}

static void accepts_real_files_and_is_stable_on_them(void **state)
{
    const char *folder = test_reference("corpus/ferrum", TEST_REFERENCE_DATA);
    char pattern[4096];
    glob_t found = {0};

    (void)state;
    if (!folder)
        skip();
    snprintf(pattern, sizeof pattern, "%s/*.jsonl", folder);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= 3);
    for (size_t i = 0; i < found.gl_pathc; i++)
        check_real_file(found.gl_pathv[i]);
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses_what_the_reference_parses),
        cmocka_unit_test(finds_the_groups_that_are_missing),
        cmocka_unit_test(reads_the_environment_as_the_reference),
        TEST_IN_HOME(writes_the_bytes_that_the_reference_writes),
        cmocka_unit_test(is_stable_on_a_file_of_every_kind_of_line),
        cmocka_unit_test(accepts_real_files_and_is_stable_on_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
