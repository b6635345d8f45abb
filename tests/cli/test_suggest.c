/* Tests of the suggestions for unknown words. */
#include "support/test.h"

#include "cli/core/suggest.h"

static void counts_edits(void **state)
{
    (void)state;
    assert_int_equal(cli_edit_distance("", ""), 0);
    assert_int_equal(cli_edit_distance("doctor", "doctor"), 0);
    assert_int_equal(cli_edit_distance("docter", "doctor"), 1);
    assert_int_equal(cli_edit_distance("dotcor", "doctor"), 1); /* a swap counts as one edit */
    assert_int_equal(cli_edit_distance("", "abc"), 3);
    assert_int_equal(cli_edit_distance("abc", ""), 3);
    assert_int_equal(cli_edit_distance("kitten", "sitting"), 3);
}

static void accepts_words_longer_than_its_rows(void **state)
{
    char longest[201];

    (void)state;
    memset(longest, 'a', 200);
    longest[200] = '\0';
    assert_int_equal(cli_edit_distance(longest, "abc"), 200);
    assert_int_equal(cli_edit_distance("abc", longest), 200);
    longest[40] = '\0'; /* the longest word that is still compared */
    assert_int_equal(cli_edit_distance(longest, "abc"), 39);
    assert_int_equal(cli_edit_distance("abc", longest), 39);
}

static const char *nearest(const char *word)
{
    static const char *const words[] = {"compare", "completion", "doctor", "help", "json"};
    struct suggestion s = {.word = word};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        cli_suggest(&s, words[i]);
    return s.best ? s.best : "nothing";
}

static void suggests_the_nearest_word(void **state)
{
    (void)state;
    assert_string_equal(nearest("jsom"), "json");
    assert_string_equal(nearest("hlep"), "help");
    assert_string_equal(nearest("dcotor"), "doctor");
    assert_string_equal(nearest("comp"), "compare"); /* an incomplete word: the first match */
    assert_string_equal(nearest("complet"), "completion");
}

static void suggests_no_word_that_is_far(void **state)
{
    (void)state;
    assert_string_equal(nearest("xyzzy"), "nothing");
    assert_string_equal(nearest("tcsh"), "nothing");
    assert_string_equal(nearest(""), "nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_edits),
        cmocka_unit_test(accepts_words_longer_than_its_rows),
        cmocka_unit_test(suggests_the_nearest_word),
        cmocka_unit_test(suggests_no_word_that_is_far),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
