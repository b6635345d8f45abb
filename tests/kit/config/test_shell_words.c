/* Tests that lines are split as by a shell, or refused with a reason. */
#include "support/test.h"

#include "kit/config/shell_words.h"

static void splits(const char *line, const char *const *want)
{
    char **words = NULL;
    size_t i = 0;

    assert_int_equal(tch_words_split(line, &words, NULL), 0);
    for (; want[i]; i++)
        assert_string_equal(words[i], want[i]);
    assert_null(words[i]);
    free(words);
}

static void splits_as_a_shell_does(void **state)
{
    (void)state;
    splits("a", (const char *[]){"a", NULL});
    splits("  a \t b\nc ", (const char *[]){"a", "b", "c", NULL});
    splits("a 'b  c' \"d e\"f", (const char *[]){"a", "b  c", "d ef", NULL});
    splits("a '' \"\"", (const char *[]){"a", "", "", NULL});
    splits("a\\ b \"c\\\"d\\n\" '\\'", (const char *[]){"a b", "c\"d\\n", "\\", NULL});
    splits("--x=y a#b a~", (const char *[]){"--x=y", "a#b", "a~", NULL});
}

static void refuses_lines_that_need_a_shell(void **state)
{
    static const char *const lines[] = {"a | b", "a > b",  "a; b", "$HOME", "\"$X\"", "a*",
                                        "~/x",   "# note", "`a`",  "a & b", "(a)",    "a?"};

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char **words = NULL;
        tacho_error err;

        assert_int_equal(tch_words_split(lines[i], &words, &err), TACHO_EUNSUPPORTED);
        assert_non_null(strstr(err.message, "needs a shell"));
        assert_null(words);
    }
}

static void refuses_empty_and_unfinished_lines(void **state)
{
    static const char *const lines[] = {"'a", "\"a", "a\\", "", "  \t"};

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char **words = NULL;

        assert_int_equal(tch_words_split(lines[i], &words, NULL), TACHO_EINVAL);
        assert_null(words);
    }
}

static int split_once(void *arg)
{
    char **words = NULL;
    int status = tch_words_split("a b c", &words, NULL);

    (void)arg;
    free(words);
    return status;
}

static void survives_without_memory(void **state)
{
    (void)state;
    test_every_allocation_fails(split_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_as_a_shell_does),
        cmocka_unit_test(refuses_lines_that_need_a_shell),
        cmocka_unit_test(refuses_empty_and_unfinished_lines),
        cmocka_unit_test(survives_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
