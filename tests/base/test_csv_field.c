/* Fields of CSV. */
#include "support/test.h"

#include <math.h>

#include "base/csv_field.h"

static void quotes_only_what_needs_it(void **state)
{
    static const struct {
        const char *text;
        const char *field;
    } cases[] = {
        {"", ""},
        {"plain text", "plain text"},
        {"a,b", "\"a,b\""},
        {"a \"b\"", "\"a \"\"b\"\"\""},
        {"a\nb", "\"a\nb\""},
        {"a\r", "\"a\r\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t len = strlen(cases[i].text);
        struct tch_buf b;
        char out[64];

        out[tch_csv_put(out, cases[i].text, len)] = '\0';
        assert_string_equal(out, cases[i].field);
        tch_buf_init(&b, strlen(cases[i].field));
        tch_csv_add(&b, cases[i].text, len);
        assert_false(b.failed);
        assert_string_equal(b.data, cases[i].field);
        tch_buf_release(&b);
    }
}

static void names_are_safe_for_spreadsheets_and_terminals(void **state)
{
    static const struct {
        const char *name, *field;
    } cases[] = {
        {"plain", "plain"},
        {"a,b", "\"a,b\""},
        {"=1+1", "'=1+1"},
        {"@SUM(A1,A2)", "\"'@SUM(A1,A2)\""},
        {"-x", "'-x"},
        {"-1.5", "-1.5"},
        {"a\033[31m\n", "a?[31m?"},
        {"é", "é"},
        {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tch_buf b;

        tch_buf_init(&b, 100);
        tch_buf_adds(&b, "");
        tch_csv_add_name(&b, cases[i].name, strlen(cases[i].name), false);
        tch_buf_addc(&b, ',');
        assert_memory_equal(b.data, cases[i].field, strlen(cases[i].field));
        assert_int_equal(b.len, strlen(cases[i].field) + 1);
        tch_buf_clear(&b);
        tch_csv_add_name(&b, cases[i].name, strlen(cases[i].name), true);
        assert_true(b.len >= strlen(cases[i].name));
        assert_null(strchr(b.data, '?'));
        assert_null(strchr(b.data, '\''));
        tch_buf_release(&b);
    }
}

static void floats_have_no_exponent_and_read_back_the_same(void **state)
{
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 1000);
    tch_csv_add_number(&b, 0.1);
    tch_csv_add_number(&b, 1e-7);
    tch_csv_add_number(&b, 1e21);
    tch_csv_add_number(&b, -3);
    tch_csv_add_number(&b, NAN);
    tch_csv_add_number(&b, -INFINITY);
    assert_string_equal(b.data, ",0.1,0.0000001,1000000000000000000000,-3,,-inf");
    tch_buf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotes_only_what_needs_it),
        cmocka_unit_test(floats_have_no_exponent_and_read_back_the_same),
        cmocka_unit_test(names_are_safe_for_spreadsheets_and_terminals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
