/* Tests borrowed pieces of text: comparing them, and finding their parts. */
#include "support/test.h"

#include "base/text_span.h"

static struct tch_span span_of(const char *text)
{
    return (struct tch_span){text, strlen(text)};
}

static void compares_without_a_nul(void **state)
{
    struct tch_span part = {"perf-12.map", 4};

    (void)state;
    assert_true(tch_span_is(part, "perf"));
    assert_false(tch_span_is(part, "perf-"));
    assert_true(tch_span_starts(part, "pe"));
    assert_true(tch_span_ends(part, "rf"));
    assert_false(tch_span_starts(part, "perf-"));
    assert_false(tch_span_ends(part, "-perf"));
    assert_true(tch_span_starts(part, "") && tch_span_ends(part, ""));
}

static void trims_both_ends(void **state)
{
    (void)state;
    assert_true(tch_span_is(tch_span_trim(span_of(" \tmain f \r\n")), "main f"));
    assert_int_equal(tch_span_trim(span_of(" \r ")).len, 0);
    assert_int_equal(tch_span_trim(span_of("")).len, 0);
}

static void finds_the_last_occurrence(void **state)
{
    (void)state;
    assert_int_equal(tch_span_rfind(span_of("a.b.c"), "."), 3);
    assert_int_equal(tch_span_rfind(span_of("abc"), "."), 3);
    assert_int_equal(tch_span_rfind(span_of("a"), "abc"), 1);
}

static void takes_the_file_of_a_path(void **state)
{
    (void)state;
    assert_true(tch_span_is(tch_span_base(span_of("/usr/lib/libc.so")), "libc.so"));
    assert_true(tch_span_is(tch_span_base(span_of("libc.so")), "libc.so"));
    assert_int_equal(tch_span_base(span_of("/usr/")).len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares_without_a_nul),
        cmocka_unit_test(trims_both_ends),
        cmocka_unit_test(finds_the_last_occurrence),
        cmocka_unit_test(takes_the_file_of_a_path),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
