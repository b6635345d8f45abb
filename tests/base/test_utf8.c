/* UTF-8: what is valid, where it stops being so. */
#include "support/test.h"

#include "base/utf8.h"

static size_t valid(const char *text)
{
    return tch_utf8_valid(text, strlen(text));
}

static void accepts_each_length_at_its_bounds(void **state)
{
    static const char *const good[] = {"\x7F",         "\xC2\x80",         "\xDF\xBF",
                                       "\xE0\xA0\x80", "\xED\x9F\xBF",     "\xEE\x80\x80",
                                       "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_int_equal(tch_utf8_step(good[i], strlen(good[i])), strlen(good[i]));
}

static void rejects_what_is_not_a_character(void **state)
{
    static const char *const bad[] = {"\x80",
                                      "\xBF",
                                      "\xC0\x80",
                                      "\xC1\xBF",
                                      "\xC2",
                                      "\xC2 ",
                                      "\xE0\x9F\xBF",
                                      "\xED\xA0\x80",
                                      "\xE2\x82",
                                      "\xE2 \x80",
                                      "\xF0\x8F\xBF\xBF",
                                      "\xF4\x90\x80\x80",
                                      "\xF5\x80\x80\x80",
                                      "\xF0\x9F\x98",
                                      "\xFF",
                                      "\xFE"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(tch_utf8_step(bad[i], strlen(bad[i])), 0);
}

static void says_where_it_stops_being_valid(void **state)
{
    (void)state;
    assert_int_equal(valid(""), 0);
    assert_int_equal(valid("plain text that is longer than eight"), 36);
    assert_int_equal(valid("0123456789\xC3\xA9 0123456789"), 23);
    assert_int_equal(valid("0123456789\xFF"), 10);
    assert_int_equal(valid("0123456\xE2\x82"), 7);
}

static void writes_what_it_reads(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x10FFFF; code += code < 0x1000 ? 1 : 97) {
        char text[4];
        size_t len;

        if (code >= 0xD800 && code < 0xE000)
            continue;
        len = tch_utf8_put(text, code);
        assert_int_equal(tch_utf8_step(text, len), len);
        assert_int_equal(tch_utf8_valid(text, len), len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_each_length_at_its_bounds),
        cmocka_unit_test(rejects_what_is_not_a_character),
        cmocka_unit_test(says_where_it_stops_being_valid),
        cmocka_unit_test(writes_what_it_reads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
