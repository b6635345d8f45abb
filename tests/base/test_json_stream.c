/* Tests the JSON reader on a stream: bounded memory, the lifetime of texts, errors. */
#include "support/test.h"

#include <errno.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/json_read.h"
#include "support/json_ways.h"

/* A document that is never completely in memory: ["aaa…"], or other text around the long string.
 */
struct long_string {
    uint64_t left;
    const char *before;
    const char *after;
};

static ssize_t give_text(char *buf, const char **text, const char *instead)
{
    size_t len;

    if (!*text)
        *text = instead;
    len = strlen(*text);
    memcpy(buf, *text, len);
    *text = "";
    return (ssize_t)len;
}

static ssize_t long_string_read(void *ctx, char *buf, size_t size)
{
    struct long_string *doc = ctx;
    size_t n = doc->left < size ? (size_t)doc->left : size;
    ssize_t len = give_text(buf, &doc->before, "[\"");

    if (len > 0)
        return len;
    if (n == 0)
        return give_text(buf, &doc->after, "\"]");
    memset(buf, 'a', n);
    doc->left -= n;
    return (ssize_t)n;
}

static void skips_a_string_of_a_gigabyte_in_bounded_memory(void **state)
{
    struct long_string doc = {.left = (uint64_t)1 << 30};
    struct tch_json_reader r;
    tacho_error err;

    (void)state;
    assert_int_equal(tch_json_open_stream(&r, long_string_read, &doc, 1 << 20, &err), 0);
    assert_int_equal(tch_json_skip(&r), 0);
    assert_int_equal(tch_json_finish(&r), 0);
    assert_int_equal(r.size, TCH_JSON_WINDOW);
    tch_json_close(&r);
}

static int read_next(struct tch_json_reader *r)
{
    struct tch_json_value v;

    return tch_json_read(r, &v);
}

static int read_raw_next(struct tch_json_reader *r)
{
    struct tch_json_value v;

    return tch_json_read_raw(r, &v);
}

static int enter_member(struct tch_json_reader *r)
{
    struct tch_json_value key;

    return read_next(r) == 0 && tch_json_member(r, &key) == 1 ? 0 : -1;
}

/* Gets a text in each way, and then skips a string that is longer than the window. */
static void a_stream_keeps_texts_only_while_they_are_valid(void **state)
{
    static const struct {
        const char *before;
        const char *after;
        int (*get)(struct tch_json_reader *r);
        bool inside; /* the long string is the member's value, not the next element */
    } cases[] = {
        {"[12345,\"", "\"]", read_next, false},
        {"[\"text\",\"", "\"]", read_next, false},
        {"[[1,2],\"", "\"]", read_raw_next, false},
        {"[{\"key\":\"", "\"}]", enter_member, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct long_string doc = {8 * TCH_JSON_WINDOW, cases[i].before, cases[i].after};
        struct tch_json_reader r;

        assert_int_equal(tch_json_open_stream(&r, long_string_read, &doc, 1 << 20, NULL), 0);
        assert_int_equal(read_next(&r), 0);
        assert_int_equal(tch_json_element(&r), 1);
        assert_int_equal(cases[i].get(&r), 0);
        assert_int_equal(cases[i].inside ? 1 : tch_json_element(&r), 1);
        assert_int_equal(tch_json_skip(&r), 0);
        assert_int_equal(r.size, TCH_JSON_WINDOW);
        tch_json_close(&r);
    }
}

static void refuses_to_hold_a_string_past_the_limit(void **state)
{
    struct long_string doc = {.left = (uint64_t)1 << 30};
    struct tch_json_reader r;
    struct tch_json_value v;
    tacho_error err;

    (void)state;
    assert_int_equal(tch_json_open_stream(&r, long_string_read, &doc, 1 << 20, &err), 0);
    assert_int_equal(tch_json_read(&r, &v), 0);
    assert_int_equal(tch_json_element(&r), 1);
    assert_int_equal(tch_json_read(&r, &v), TACHO_ELIMIT);
    assert_string_equal(err.message, "one value is longer than 1048576 bytes");
    tch_json_close(&r);
}

static void a_stream_returns_strings_larger_than_its_first_window(void **state)
{
    struct long_string doc = {.left = 3 * TCH_JSON_WINDOW};
    struct tch_json_reader r;
    struct tch_json_value v;

    (void)state;
    assert_int_equal(tch_json_open_stream(&r, long_string_read, &doc, 1 << 20, NULL), 0);
    assert_int_equal(tch_json_read(&r, &v), 0);
    assert_int_equal(tch_json_element(&r), 1);
    assert_int_equal(tch_json_read(&r, &v), 0);
    assert_int_equal(v.len, 3 * TCH_JSON_WINDOW);
    assert_int_equal(tch_json_element(&r), 0);
    assert_int_equal(tch_json_finish(&r), 0);
    tch_json_close(&r);
}

static ssize_t broken_read(void *ctx, char *buf, size_t size)
{
    int *calls = ctx;

    (void)size;
    if ((*calls)++ == 0) {
        memcpy(buf, "[1,2", 4);
        return 4;
    }
    errno = *calls == 2 ? EINTR : EIO;
    return -1;
}

static void reports_a_read_that_fails(void **state)
{
    struct tch_json_reader r;
    tacho_error err;
    char room[TCH_ERROR_TEXT];
    char text[TCH_ERROR_TEXT + 32];
    int calls = 0;

    (void)state;
    assert_int_equal(tch_json_open_stream(&r, broken_read, &calls, 0, &err), 0);
    assert_int_equal(tch_json_skip(&r), TACHO_EIO);
    assert_int_equal(err.system_errno, EIO);
    snprintf(text, sizeof text, "cannot read on at byte 4: %s", tch_error_text(EIO, room));
    assert_string_equal(err.message, text);
    assert_int_equal(calls, 3);
    tch_json_close(&r);
}

static void counts_lines_in_a_stream(void **state)
{
    enum { LINES = 200000 };
    char *text = malloc(2 * LINES + 10);
    struct test_pieces pieces = {text, 2 * LINES + 3, 10000};
    struct tch_json_reader r;
    tacho_error err;

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < LINES; i++)
        memcpy(text + 2 * i, i ? ",\n" : "[\n", 2);
    for (size_t i = 1; i < LINES; i++)
        text[2 * i] = i % 2 ? '1' : ',';
    memcpy(text + 2 * LINES, " ?]", 3);
    assert_int_equal(tch_json_open_stream(&r, test_pieces_read, &pieces, 0, &err), 0);
    assert_int_equal(tch_json_skip(&r), TACHO_EPARSE);
    assert_int_equal(err.line, LINES + 1);
    assert_int_equal(err.column, 2);
    assert_int_equal(err.offset, 2 * LINES + 1);
    tch_json_close(&r);
    free(text);
}

static int read_with_little_memory(void *arg)
{
    struct long_string doc = {.left = 3 * TCH_JSON_WINDOW};
    struct tch_json_reader r;
    struct tch_json_value v;
    int status;

    (void)arg;
    status = tch_json_open_stream(&r, long_string_read, &doc, 1 << 20, NULL);
    if (status < 0)
        return status;
    status = tch_json_read_raw(&r, &v);
    tch_json_close(&r);
    return status;
}

static void survives_every_allocation_failing(void **state)
{
    (void)state;
    test_every_allocation_fails(read_with_little_memory, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skips_a_string_of_a_gigabyte_in_bounded_memory),
        cmocka_unit_test(a_stream_keeps_texts_only_while_they_are_valid),
        cmocka_unit_test(refuses_to_hold_a_string_past_the_limit),
        cmocka_unit_test(a_stream_returns_strings_larger_than_its_first_window),
        cmocka_unit_test(reports_a_read_that_fails),
        cmocka_unit_test(counts_lines_in_a_stream),
        cmocka_unit_test(survives_every_allocation_failing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
