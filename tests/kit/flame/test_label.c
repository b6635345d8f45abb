/* Tests file names made from labels. */
#include "support/test.h"

#include <unistd.h>

#include <inttypes.h>

#include "base/file.h"
#include "base/json_read.h"
#include "base/lines.h"
#include "kit/flame/draw/file_label.h"
#include "support/reference.h"
#include "support/system.h"

/* Finds the string member `key`, unescaped, anywhere in a line of the vectors. */
static void find_string(const char *text, size_t len, const char *name, struct tch_buf *ret)
{
    struct tch_json_reader r;
    struct tch_json_value key;
    struct tch_json_value value;
    bool found = false;

    tch_json_open(&r, text, len, NULL);
    assert_int_equal(tch_json_read(&r, &value), 0);
    while (!found && tch_json_member(&r, &key) > 0) {
        if (!tch_json_is(&key, "input") && !tch_json_is(&key, "expect")) {
            assert_int_equal(tch_json_skip(&r), 0);
            continue;
        }
        assert_int_equal(tch_json_read(&r, &value), 0);
        while (!found && tch_json_member(&r, &key) > 0) {
            found = tch_json_is(&key, name);
            assert_int_equal(tch_json_read(&r, &value), 0);
        }
    }
    assert_true(found);
    tch_json_unescape(&value, ret);
}

static void names_files_as_the_vectors_do(void **state)
{
    struct tch_buf file;
    struct tch_lines lines;
    struct tch_line line;
    unsigned cases = 0;

    (void)state;
    tch_buf_init(&file, 1 << 20);
    assert_int_equal(
        tch_file_read(test_reference("vectors/label_sanitize.jsonl"), 1 << 20, &file, NULL), 0);
    tch_lines_init_mem(&lines, file.data, file.len, 0);
    while (tch_lines_next(&lines, &line, NULL) > 0) {
        struct tch_buf label;
        struct tch_buf wanted;
        struct tch_buf got;

        tch_buf_init(&label, 1 << 16);
        tch_buf_init(&wanted, 1 << 16);
        tch_buf_init(&got, 1 << 16);
        find_string(line.text, line.len, "label", &label);
        find_string(line.text, line.len, "file_name", &wanted);
        tch_label_file(&got, label.data);
        assert_string_equal(got.data, wanted.data);
        tch_buf_release(&label);
        tch_buf_release(&wanted);
        tch_buf_release(&got);
        cases++;
    }
    assert_true(cases > 40);
    tch_lines_release(&lines);
    tch_buf_release(&file);
}

static void knows_every_letter_and_digit(void **state)
{
    FILE *file = fopen(test_reference("vectors/unicode_is_alphanumeric.txt"), "re");
    uint32_t next = 0;
    uint32_t first;
    uint32_t last;
    char line[256];

    (void)state;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%" SCNx32 " %" SCNx32, &first, &last) != 2)
            continue;
        for (; next < first; next++)
            assert_false(tch_is_alphanumeric(next));
        for (; next <= last; next++)
            assert_true(tch_is_alphanumeric(next));
    }
    for (; next <= 0x10ffff; next++)
        assert_false(tch_is_alphanumeric(next));
    fclose(file);
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
    assert_non_null(strstr(err.message, "not a flamegraph"));
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

    return test_reference_result(cmocka_run_group_tests(tests, NULL, NULL));
}
