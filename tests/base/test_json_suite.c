/* Checks the JSON reader by cases of its own and by the public JSON parsing test suite, and the
   text of floats. The suite is part of the reference data. */
#include "support/test.h"

#include <dirent.h>

#include "base/file.h"
#include "base/float_text.h"
#include "base/json_read.h"
#include "support/json_plain.h"
#include "support/json_ways.h"
#include "support/reference.h"
#include "support/vectors.h"

enum { FILE_LIMIT = 16 << 20 };

/* y: must be accepted; n: must be rejected; i: either, but the same in all ways of reading. */
static void check_text(const char *name, const char *text, size_t len)
{
    tacho_error err;
    bool agree;
    int status = test_json_every_way(text, len, &err, &agree);

    if (!agree)
        fail_msg("%s: not read the same in every way", name);
    if (name[0] == 'y' && status < 0)
        fail_msg("%s: rejected: %s", name, err.message);
    if (name[0] == 'n' && status == 0)
        fail_msg("%s: accepted", name);
    assert_int_equal(status == 0, test_json_plain(text, len, TCH_JSON_DEPTH));
}

/* Each rule of RFC 8259 is kept once and broken once. A case is its verdict, a space, the text. */
static void keeps_the_rules_of_the_grammar(void **state)
{
    static const char *const cases[] = {
        /* values and spaces around them */
        "y null", "y true", "y false", "y \t\r\n 0 \n", "y \"\"", "n ", "n  \n", "n True", "n nul",
        "n nulll", "n true false", "n 'a'", "n \v0", "n \xC2\xA0[]", "n \xEF\xBB\xBF[]", "n /**/0",
        "n 0//",
        /* arrays */
        "y []", "y [ ]", "y [1,[2,[]],{}]", "n [", "n ]", "n [1", "n [1,]", "n [,1]", "n [1 2]",
        "n [1;2]", "n [1]]", "n [1}",
        /* objects */
        "y {}", "y { }", "y {\"\":0}", "y { \"a\" : 1 , \"b\" : {} }", "n {", "n {\"a\"}",
        "n {\"a\":}", "n {\"a\" 1}", "n {\"a\":1,}", "n {,}", "n {a:1}", "n {1:1}",
        "n {\"a\":1 \"b\":2}", "n {\"a\":1]",
        /* numbers */
        "y -0", "y 10", "y 0.0", "y -1.50", "y 1e9", "y 1E+9", "y 2.5e-3",
        "y 123456789012345678901", "n -", "n +1", "n 01", "n -01", "n 1.", "n .5", "n 1.e2", "n 1e",
        "n 1e+", "n 0x10", "n 1_0", "n 1,5", "n NaN", "n Infinity", "n -Infinity", "n - 1",
        "n 1.2.3", "n 1e2e3",
        /* strings */
        "y \"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "y \"\\u0041\\u00e9\\uD83D\\uDE00\"",
        "y \"\xC3\xA9\xF0\x9F\x98\x80\x7F\"", "n \"", "n \"a", "n \"\\\"", "n \"\\a\"",
        "n \"\\u12\"", "n \"\\u12g4\"", "n \"\\x41\"", "n \"\t\"", "n \"\n\"", "n \"\x1F\"",
        "n \"a\" \"b\"",
        /* cases that RFC 8259 leaves open: half a pair, bytes that are not UTF-8, huge exponents */
        "i \"\\uD800\"", "i \"\\uDC00x\"", "i \"\xFF\"", "i \"\xC0\xAF\"", "i \"\xED\xA0\x80\"",
        "i 1e999", "i -1e-999"};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_text(cases[i], cases[i] + 2, strlen(cases[i] + 2));
}

static void check_file(const char *folder, const char *name)
{
    char path[1024];
    struct tch_buf text;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    tch_buf_init(&text, FILE_LIMIT);
    assert_int_equal(tch_file_read(path, FILE_LIMIT, &text, NULL), 0);
    check_text(name, text.data, text.len);
    tch_buf_release(&text);
}

static void passes_the_parsing_suite(void **state)
{
    const char *folder = test_reference("corpus/json", TEST_REFERENCE_DATA);
    DIR *dir;
    struct dirent *entry;
    int files = 0;

    (void)state;
    if (!folder)
        skip();
    dir = opendir(folder);
    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL)
        if (entry->d_name[0] != '.') {
            check_file(folder, entry->d_name);
            files++;
        }
    closedir(dir);
    assert_true(files > 100);
}

static void assert_quoted(struct test_json wanted, const char *text, size_t len)
{
    assert_int_equal(wanted.len, len + 2);
    assert_memory_equal(wanted.text + 1, text, len);
}

static void check_double(const struct test_case *c, void *arg)
{
    double value = test_f64_bits(test_member(c->input, "f64_bits"));
    char text[TCH_PLAIN_TEXT];

    (void)arg;
    assert_quoted(test_member(c->expect, "json_serde_json_145"), text, tch_f64_json(text, value));
    assert_quoted(test_member(c->expect, "display"), text, tch_f64_plain(text, value));
}

static void check_float(const struct test_case *c, void *arg)
{
    float value = test_f32_bits(test_member(c->input, "f32_bits"));
    char text[TCH_FLOAT_TEXT];

    (void)arg;
    assert_quoted(test_member(c->expect, "json_serde_json_145"), text, tch_f32_json(text, value));
}

static void writes_doubles_as_the_cases_have_them(void **state)
{
    (void)state;
    test_each_case("float_f64.jsonl", 127, check_double, NULL);
}

static void writes_floats_as_the_cases_have_them(void **state)
{
    (void)state;
    test_each_case("float_f32.jsonl", 125, check_float, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_the_rules_of_the_grammar),
        cmocka_unit_test(passes_the_parsing_suite),
        cmocka_unit_test(writes_doubles_as_the_cases_have_them),
        cmocka_unit_test(writes_floats_as_the_cases_have_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
