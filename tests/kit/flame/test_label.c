/* Tests file names made from labels. */
#include "support/test.h"

#include <unistd.h>

#include <inttypes.h>

#include "kit/flame/draw/file_label.h"
#include "support/reference.h"
#include "support/system.h"
#include "support/vectors.h"

static void check_label(const struct test_case *c, void *arg)
{
    char *label = test_text(test_member(c->input, "label"), NULL);
    char *wanted = test_text(test_member(c->expect, "file_name"), NULL);
    struct tch_buf got;

    (void)arg;
    tch_buf_init(&got, 1 << 16);
    tch_label_file(&got, label);
    assert_string_equal(got.data, wanted);
    tch_buf_release(&got);
    free(label);
    free(wanted);
}

static void names_files_as_the_vectors_do(void **state)
{
    (void)state;
    test_each_case("label_sanitize.jsonl", 41, check_label, NULL);
}

/* Checks all characters below `end` by the ranges of letters and digits in a file. */
static void check_ranges(const char *path, uint32_t end)
{
    FILE *file = fopen(path, "re");
    uint32_t next = 0;
    uint32_t first;
    uint32_t last;
    char line[256];

    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%" SCNx32 " %" SCNx32, &first, &last) != 2)
            continue;
        for (; next < first; next++)
            assert_false(tch_is_alphanumeric(next));
        for (; next <= last; next++)
            assert_true(tch_is_alphanumeric(next));
    }
    for (; next < end; next++)
        assert_false(tch_is_alphanumeric(next));
    fclose(file);
}

/* The ranges of the project cover Latin: the characters below U+0300. */
static void knows_every_letter_and_digit(void **state)
{
    static const uint32_t ends[] = {0x300, 0x110000};
    const char *path;

    (void)state;
    for (int i = 0; (path = test_reference("vectors/unicode_is_alphanumeric.txt", i)); i++)
        check_ranges(path, ends[i]);
}

static void keeps_letters_and_digits_of_any_script(void **state)
{
    static const char *const cases[][2] = {
        {"run-1_b", "flamegraph-run-1_b.svg"},
        {"a b/c:d", "flamegraph-a_b_c_d.svg"},
        {"", "flamegraph-.svg"},
        {"gr\xc3\xb6\xc3\x9f"
         "e \xe2\x82\xac",
         "flamegraph-gr\xc3\xb6\xc3\x9f"
         "e__.svg"},
        {"\xe6\xbc\xa2\xd9\xa3", "flamegraph-\xe6\xbc\xa2\xd9\xa3.svg"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tch_buf b;

        tch_buf_init(&b, 100);
        tch_label_file(&b, cases[i][0]);
        assert_string_equal(b.data, cases[i][1]);
        tch_buf_release(&b);
    }
}

static void what_is_not_utf8_is_a_blank(void **state)
{
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 100);
    tch_label_file(&b, "a\xff\xc3z\xc3\xa9");
    assert_string_equal(b.data, "flamegraph-a__z\xc3\xa9.svg");
    tch_buf_release(&b);
}

static void a_file_of_another_label_is_not_ours(void **state)
{
    const char *path = test_at("x.svg");
    tacho_error err;

    (void)state;
    assert_int_equal(tch_label_check(path, "a b", &err), 0);
    test_put(path, "<svg class=\"tacho-flame\" data-label=\"a b\">");
    assert_int_equal(tch_label_check(path, "a b", &err), 0);
    assert_int_equal(tch_label_check(path, "a_b", &err), TACHO_EINVAL);
    assert_non_null(strstr(err.message, "another label"));
    test_put(path, "<svg class=\"tacho-flame\">");
    assert_int_equal(tch_label_check(path, "a b", &err), TACHO_EINVAL);
    test_put(path, "my notes");
    assert_int_equal(tch_label_check(path, "a b", &err), TACHO_EINVAL);
    assert_non_null(strstr(err.message, "was not written by tacho"));
    assert_int_equal(tch_label_check(test_home, "a b", &err), TACHO_EINVAL);
    assert_non_null(strstr(err.message, "is a folder"));
}

static void an_earlier_file_is_kept(void **state)
{
    const char *path = test_at("flamegraph-x.pb.gz");
    char *kept = NULL;
    tacho_error err;

    (void)state;
    assert_int_equal(tch_label_keep_previous(path, &kept, &err), 0);
    assert_null(kept);
    for (int i = 0; i < 2; i++) { /* the second time replaces the first */
        test_put(path, i ? "two" : "one");
        assert_int_equal(tch_label_keep_previous(path, &kept, &err), 0);
        assert_string_equal(kept, test_at("flamegraph-x.old.pb.gz"));
        assert_int_equal(access(path, F_OK), -1);
        free(kept);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_files_as_the_vectors_do),
        cmocka_unit_test(knows_every_letter_and_digit),
        cmocka_unit_test(keeps_letters_and_digits_of_any_script),
        cmocka_unit_test(what_is_not_utf8_is_a_blank),
        TEST_IN_HOME(a_file_of_another_label_is_not_ours),
        TEST_IN_HOME(an_earlier_file_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
