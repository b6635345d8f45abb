/* Fields of CSV. */
#include "support/test.h"

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

static void quotes_when_asked_to(void **state)
{
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 100);
    tch_csv_add_quoted(&b, "a\"", 2);
    tch_csv_add_quoted(&b, "", 0);
    assert_string_equal(b.data, "\"a\"\"\"\"\"");
    tch_buf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotes_only_what_needs_it),
        cmocka_unit_test(quotes_when_asked_to),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
