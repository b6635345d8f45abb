/* Tests UTF-8: which bytes are valid, and where an invalid text stops being valid. */
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

static void rejects_invalid_characters(void **state)
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
    uint32_t back;

    (void)state;
    for (uint32_t code = 0; code <= 0x10FFFF; code += code < 0x1000 ? 1 : 97) {
        char text[4];
        size_t len;

        if (code >= 0xD800 && code < 0xE000)
            continue;
        len = tch_utf8_put(text, code);
        assert_int_equal(tch_utf8_step(text, len), len);
        assert_int_equal(tch_utf8_valid(text, len), len);
        assert_int_equal(tch_utf8_decode(text, len, &back), len);
        assert_int_equal(back, code);
    }
    assert_int_equal(tch_utf8_decode("\x80", 1, &back), 0);
}

static void replaces_characters_that_are_unsafe_to_show(void **state)
{
    static const char *const hidden[] = {
        "\x01",         "\n",           "\x7F",         "\xC2\x85", "\xE2\x80\xA8",
        "\xE2\x80\xAE", "\xE2\x81\xA6", "\xEF\xBF\xBE", "\xFF",     "\xC3"};
    uint32_t code;

    (void)state;
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
        size_t len = strlen(hidden[i]);

        assert_int_equal(tch_utf8_shown(hidden[i], len, &code), len);
        assert_int_equal(code, TCH_UTF8_REPLACEMENT);
    }
    assert_int_equal(tch_utf8_shown("\t", 1, &code), 1);
    assert_int_equal(code, '\t');
    assert_int_equal(tch_utf8_shown("\xD7\xA9", 2, &code), 2);
    assert_int_equal(code, 0x5E9);
}

static void replaces_bytes_that_are_not_utf8(void **state)
{
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 100);
    tch_utf8_add(&b, "a\xFF\xC3\xA9\xE2\x82\n", 7);
    assert_string_equal(b.data, "a\xEF\xBF\xBD\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD\n");
    tch_buf_clear(&b);
    tch_utf8_add(&b, "", 0);
    tch_utf8_add(&b, "a\0b", 3);
    assert_int_equal(b.len, 3);
    tch_buf_release(&b);
}

static void white_space_follows_unicode(void **state)
{
    static const char *const blank[] = {"",
                                        " ",
                                        "\t\r\n\f\v",
                                        "\xC2\x85",
                                        "\xC2\xA0",
                                        "\xE1\x9A\x80",
                                        "\xE2\x80\x80\xE2\x80\x8A",
                                        "\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\xAF",
                                        "\xE2\x81\x9F",
                                        "\xE3\x80\x80 "};
    static const char *const not_blank[] = {"x",    "\xE2\x80\x8B", "\xEF\xBB\xBF", "\xC2",
                                            "\x80", "\xE2\x80",     " \x1C "};

    (void)state;
    for (size_t i = 0; i < sizeof blank / sizeof blank[0]; i++)
        assert_true(tch_utf8_is_blank(blank[i], strlen(blank[i])));
    for (size_t i = 0; i < sizeof not_blank / sizeof not_blank[0]; i++)
        assert_false(tch_utf8_is_blank(not_blank[i], strlen(not_blank[i])));
}

static void trims_both_ends(void **state)
{
    const char *text = " \xC2\xA0{ }\xE3\x80\x80\t";
    size_t len = strlen(text);

    (void)state;
    tch_utf8_trim(&text, &len);
    assert_int_equal(len, 3);
    assert_memory_equal(text, "{ }", 3);
    text = " \n";
    len = 2;
    tch_utf8_trim(&text, &len);
    assert_int_equal(len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_each_length_at_its_bounds),
        cmocka_unit_test(rejects_invalid_characters),
        cmocka_unit_test(says_where_it_stops_being_valid),
        cmocka_unit_test(writes_what_it_reads),
        cmocka_unit_test(replaces_characters_that_are_unsafe_to_show),
        cmocka_unit_test(replaces_bytes_that_are_not_utf8),
        cmocka_unit_test(white_space_follows_unicode),
        cmocka_unit_test(trims_both_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
