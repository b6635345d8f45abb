/* Tests of text in columns of a terminal. */
#include "support/test.h"

#include "cli/core/text.h"

static size_t width(const char *text)
{
    return cli_text_width(text, strlen(text));
}

static void knows_narrow_wide_and_combining(void **state)
{
    (void)state;
    assert_int_equal(width(""), 0);
    assert_int_equal(width("abc"), 3);
    assert_int_equal(width("\u00e9"), 1);
    assert_int_equal(width("e\u0301"), 1);      /* combining acute */
    assert_int_equal(width("\u6f22\u5b57"), 4); /* Han */
    assert_int_equal(width("\uff21"), 2);       /* full-width A */
    assert_int_equal(width("\U0001F600"), 2);   /* emoji */
    assert_int_equal(width("\u200b"), 0);       /* zero width space */
    assert_int_equal(width("\u1100\u1161"), 2); /* Hangul jamo that join */
    assert_int_equal(width("\u2714\u2588"), 2); /* our own marks */
    assert_int_equal(width("\U000E0100"), 0);   /* variation selector */
    assert_int_equal(width("\U0003FFFD"), 1);   /* not assigned */
}

static void gives_an_invalid_byte_one_column(void **state)
{
    (void)state;
    assert_int_equal(width("a\xFF\xC3"), 3);
    assert_int_equal(cli_text_fit("\xE6\xBC", 2, 1), 1);
}

static void knows_the_edges_of_its_tables(void **state)
{
    (void)state;
    assert_int_equal(cli_code_width(0x2FF), 1);
    assert_int_equal(cli_code_width(0x300), 0);
    assert_int_equal(cli_code_width(0x36F), 0);
    assert_int_equal(cli_code_width(0x370), 1);
    assert_int_equal(cli_code_width(0x10FFFF), 1);
}

static void fits_whole_characters(void **state)
{
    (void)state;
    assert_int_equal(cli_text_fit("abc", 3, 2), 2);
    assert_int_equal(cli_text_fit("\u6f22\u5b57", 6, 3), 3); /* half of the second does not fit */
    assert_int_equal(cli_text_fit("e\u0301x", 4, 1), 3);     /* the accent stays with its letter */
    assert_int_equal(cli_text_fit("abc", 3, 0), 0);
}

static void cut_is(const char *text, size_t columns, bool utf8, const char *want)
{
    struct tch_buf b;

    tch_buf_init(&b, 100);
    cli_add_cut(&b, text, strlen(text), columns, utf8);
    assert_string_equal(b.data, want);
    tch_buf_release(&b);
}

static void truncates_with_an_ellipsis(void **state)
{
    (void)state;
    cut_is("abcdef", 6, true, "abcdef");
    cut_is("abcdef", 5, true, "abcd\u2026");
    cut_is("abcdef", 5, false, "ab...");
    cut_is("abcdef", 1, true, "\u2026");
    cut_is("abcdef", 2, false, "");
    cut_is("\u6f22\u5b57\u6f22", 4, true, "\u6f22\u2026");
}

static void wraps_is(const char *text, size_t indent, size_t columns, const char *want)
{
    struct tch_buf b;

    tch_buf_init(&b, 1000);
    cli_add_wrapped(&b, text, indent, columns);
    assert_string_equal(b.data, want);
    tch_buf_release(&b);
}

static void wraps_at_blanks(void **state)
{
    (void)state;
    wraps_is("", 0, 10, "");
    wraps_is("one two three", 0, 7, "one two\nthree\n");
    wraps_is("one two three", 2, 9, "  one two\n  three\n");
    wraps_is("one  two ", 0, 4, "one\ntwo\n");
    wraps_is("one\n\ntwo", 2, 20, "  one\n\n  two\n");
    wraps_is("one   \ntwo", 0, 4, "one\ntwo\n");
}

static void stays_within_the_length_it_was_given(void **state)
{
    size_t next;

    (void)state;
    assert_int_equal(cli_text_line("ab   cd", 4, 3, &next), 2);
    assert_int_equal(next, 4);
    assert_int_equal(cli_text_line("    ", 2, 1, &next), 0);
    assert_int_equal(next, 2);
}

static void splits_a_word_longer_than_a_line(void **state)
{
    (void)state;
    wraps_is("abcdefgh ij", 0, 3, "abc\ndef\ngh\nij\n");
    wraps_is("\u6f22\u5b57", 0, 1,
             "\u6f22\n\u5b57\n"); /* too wide for any line, but wrapping still terminates */
}

static void clean_is(const char *text, bool utf8, const char *want)
{
    struct tch_buf b;

    tch_buf_init(&b, 100);
    cli_add_clean(&b, text, utf8);
    assert_string_equal(b.data, want);
    tch_buf_release(&b);
}

static void leaves_no_control_character(void **state)
{
    (void)state;
    clean_is("plain", true, "plain");
    clean_is("a\033[31mb\nc\x7f", true, "a?[31mb?c?");
    clean_is("\xC2\x9B"
             "31m",
             true, "?31m"); /* the one-character form of ESC [ */
    clean_is("\xFFx", true, "?x");
    clean_is("h\u00e9\u6f22", true, "h\u00e9\u6f22");
    clean_is("h\u00e9\u6f22", false, "h??");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_narrow_wide_and_combining),
        cmocka_unit_test(gives_an_invalid_byte_one_column),
        cmocka_unit_test(knows_the_edges_of_its_tables),
        cmocka_unit_test(fits_whole_characters),
        cmocka_unit_test(truncates_with_an_ellipsis),
        cmocka_unit_test(wraps_at_blanks),
        cmocka_unit_test(stays_within_the_length_it_was_given),
        cmocka_unit_test(splits_a_word_longer_than_a_line),
        cmocka_unit_test(leaves_no_control_character),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
