/* Tests how failures are described in tacho_error. */
#include "support/test.h"

#include <errno.h>

#include "base/fail.h"

static void fills_the_error_and_returns_the_code(void **state)
{
    tacho_error err;

    (void)state;
    assert_int_equal(tch_fail(&err, TACHO_EPARSE, 7, "bad %s", "thing"), TACHO_EPARSE);
    assert_int_equal(err.code, TACHO_EPARSE);
    assert_int_equal(err.line, 7);
    assert_int_equal(err.system_errno, 0);
    assert_string_equal(err.message, "bad thing");
}

static void accepts_no_error_to_fill(void **state)
{
    (void)state;
    assert_int_equal(tch_fail(NULL, TACHO_EINVAL, 0, "x"), TACHO_EINVAL);
    assert_int_equal(tch_fail_errno(NULL, EACCES, "x"), TACHO_EIO);
    assert_int_equal(tch_fail_memory(NULL), TACHO_ENOMEM);
}

static void adds_the_system_error(void **state)
{
    tacho_error err;

    (void)state;
    assert_int_equal(tch_fail_errno(&err, ENOENT, "cannot open '%s'", "a"), TACHO_EIO);
    assert_string_equal(err.message, "cannot open 'a': No such file or directory");
    assert_int_equal(err.system_errno, ENOENT);
    assert_int_equal(tch_fail_errno(&err, ENOMEM, "x"), TACHO_ENOMEM);
}

static void reports_that_memory_ran_out(void **state)
{
    tacho_error err;

    (void)state;
    assert_int_equal(tch_fail_memory(&err), TACHO_ENOMEM);
    assert_int_equal(err.code, TACHO_ENOMEM);
    assert_string_equal(err.message, "out of memory");
}

static void names_the_line_in_a_text(void **state)
{
    tacho_error err;
    char text[TACHO_ERROR_TEXT];
    char few[10];

    (void)state;
    tch_fail(&err, TACHO_EPARSE, UINT64_MAX, "%0300d", 0);
    tacho_error_text(&err, text, sizeof text);
    assert_string_equal(text + strlen("line 18446744073709551615: "), err.message);
    tch_fail(&err, TACHO_EPARSE, 3, "\u00e9\u00e9");
    assert_string_equal(tacho_error_text(&err, text, sizeof text), "line 3: \u00e9\u00e9");
    assert_string_equal(tacho_error_text(&err, few, sizeof few),
                        "line 3: "); /* no partial character */
    tch_fail(&err, TACHO_EINVAL, 0, "bad");
    assert_string_equal(tacho_error_text(&err, text, sizeof text), "bad");
}

static void keeps_the_reason_when_the_name_is_long(void **state)
{
    char name[1000];
    tacho_error err;

    (void)state;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    tch_fail_errno(&err, ENOENT, "cannot open '%s'", name);
    assert_non_null(strstr(err.message, "No such file"));
}

static void message_is_one_line(void **state)
{
    tacho_error err;

    (void)state;
    tch_fail(&err, TACHO_EINVAL, 0, "'%s'", "a\nb\tc\x1b[2J\x7F");
    assert_string_equal(err.message, "'a b c [2J '");
}

static void message_is_utf8_for_any_name(void **state)
{
    tacho_error err;

    (void)state;
    tch_fail(&err, TACHO_EINVAL, 0, "no %s here", "\xFFgr\xC3\xBC\xC3n \xED\xA0\x80");
    assert_string_equal(err.message, "no ?gr\xC3\xBC?n ??? here");
    tch_fail_errno(&err, ENOENT, "no %s here", "\x80\x80\x80\x80\x80");
    assert_string_equal(err.message, "no ????? here: No such file or directory");
    tch_fail(&err, TACHO_EINVAL, 0, "%s", "\x80");
    assert_string_equal(err.message, "");
    tch_fail(&err, TACHO_EINVAL, 0, "%s", "");
    assert_string_equal(err.message, "");
}

static void message_is_never_truncated_inside_a_character(void **state)
{
    char text[400];
    tacho_error err;

    (void)state;
    for (size_t pad = 0; pad < 4; pad++) {
        size_t len = 0;

        memset(text, 'x', pad);
        for (len = pad; len + 5 < sizeof text; len += 4)
            memcpy(text + len, "\xF0\x9F\x98\x80", 4);
        text[len] = '\0';
        tch_fail(&err, TACHO_EINVAL, 0, "%s", text);
        assert_int_equal((strlen(err.message) - pad) % 4, 0);
    }
}

static void every_code_has_a_name(void **state)
{
    (void)state;
    assert_string_equal(tacho_status_name(0), "TACHO_OK");
    assert_string_equal(tacho_status_name(TACHO_EALREADY), "TACHO_EALREADY");
    assert_string_equal(tacho_status_name(TACHO_EALREADY - 1), "unknown");
    assert_string_equal(tacho_status_name(1), "unknown");
    assert_string_equal(tacho_status_name(INT32_MIN), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_the_error_and_returns_the_code),
        cmocka_unit_test(accepts_no_error_to_fill),
        cmocka_unit_test(adds_the_system_error),
        cmocka_unit_test(reports_that_memory_ran_out),
        cmocka_unit_test(names_the_line_in_a_text),
        cmocka_unit_test(keeps_the_reason_when_the_name_is_long),
        cmocka_unit_test(message_is_one_line),
        cmocka_unit_test(message_is_utf8_for_any_name),
        cmocka_unit_test(message_is_never_truncated_inside_a_character),
        cmocka_unit_test(every_code_has_a_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
