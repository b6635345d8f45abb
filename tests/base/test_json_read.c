/* Tests the JSON reader: the texts that it accepts, its errors, and the values that it returns. */
#include "support/test.h"

#include "base/json_read.h"
#include "support/json_plain.h"
#include "support/json_ways.h"

static void assert_status(const char *text, size_t len, int wanted)
{
    tacho_error err;
    bool agree;
    int status = test_json_every_way(text, len, &err, &agree);

    if (status != wanted)
        fail_msg("'%.60s' gave %s, not %s: %s", text, tacho_status_name(status),
                 tacho_status_name(wanted), status < 0 ? err.message : "");
    if (!agree)
        fail_msg("'%.60s' is not read the same in every way", text);
}

static void assert_sound(const char *text)
{
    assert_status(text, strlen(text), 0);
}

static void assert_unsound(const char *text)
{
    assert_status(text, strlen(text), TACHO_EPARSE);
}

static void accepts_what_the_rfc_allows(void **state)
{
    static const char *const sound[] = {
        "0",
        "-0",
        "1.5e-7",
        "1E+3",
        "\"\"",
        "true",
        "false",
        "null",
        " \t\r\n[ ] ",
        "{}",
        "[[],{},[{}]]",
        "{\"a\":{\"b\":[1,2,{\"c\":null}]},\"a\":\"again\"}",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\ude00\"",
        "\"\x7F \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \xEF\xBF\xBF\"",
        "123456789012345678901234567890",
    };

    (void)state;
    for (size_t i = 0; i < sizeof sound / sizeof sound[0]; i++)
        assert_sound(sound[i]);
}

static void rejects_what_the_rfc_forbids(void **state)
{
    static const char *const unsound[] = {
        "",
        " ",
        "[",
        "]",
        "{",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{1:1}",
        "[1}",
        "{\"a\":1]",
        "1 2",
        "nul",
        "nulll",
        "True",
        "NaN",
        "Infinity",
        "01",
        "-",
        "-01",
        "1.",
        ".5",
        "1e",
        "1e+",
        "+1",
        "0x10",
        "1_000",
        "\"",
        "\"a",
        "\"\\\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\n\"",
        "\"\\ud83d\\ud83d\"",
        "\"a\nb\"",
        "\"\t\"",
        "'a'",
        "[1]x",
        "// x\n1",
        "\xEF\xBB\xBF[]",
        "\f1",
        "[1\x1A]",
        "\"a\"\"b\"",
        "[\"a\"b]",
        "[1\"a\"]",
        "{\"a\" \"b\"}",
        "{\"a\"::1}",
        "[1,,2]",
        "\"\\\xC3\xA9\"",
        "[\\\"]",
    };

    (void)state;
    for (size_t i = 0; i < sizeof unsound / sizeof unsound[0]; i++)
        assert_unsound(unsound[i]);
}

static void rejects_bytes_that_are_not_utf8(void **state)
{
    (void)state;
    assert_unsound("\"\xFF\"");
    assert_unsound("\"\xC0\x80\"");
    assert_unsound("\"\xED\xA0\x80\"");
    assert_unsound("\"\xE2\x82\"");
    assert_unsound("\"\xF0\x9F\x98");
    assert_unsound("\"plain, then \xF4\x90\x80\x80\"");
    assert_unsound("{\"\x80\":1}");
    assert_unsound("\xC3\xA9");
    assert_status("\"a\0b\"", 5, TACHO_EPARSE);
    assert_status("[1,\0]", 5, TACHO_EPARSE);
    assert_status("\0", 1, TACHO_EPARSE);
}

static void names_line_column_and_offset(void **state)
{
    tacho_error err;

    (void)state;
    assert_int_equal(tch_json_check("{\n  \"a\": 1,\n  \"b\": tru\n}", 25, &err), TACHO_EPARSE);
    assert_int_equal(err.line, 3);
    assert_int_equal(err.column, 8);
    assert_int_equal(err.offset, 19);
    assert_string_equal(err.message, "expected a value, found 't'");

    assert_int_equal(tch_json_check("[1,\n2", 5, &err), TACHO_EPARSE);
    assert_int_equal(err.line, 2);
    assert_int_equal(err.column, 2);
    assert_string_equal(err.message, "expected ',' or ']', found the end of the text");

    assert_int_equal(tch_json_check("[\"abc", 5, &err), TACHO_EPARSE);
    assert_int_equal(err.column, 2);
    assert_string_equal(err.message, "string is not closed");
}

static void limits_the_depth(void **state)
{
    char text[2 * (TCH_JSON_DEPTH + 1)];
    struct tch_json_reader r;
    tacho_error err;

    (void)state;
    for (size_t depth = TCH_JSON_DEPTH; depth <= TCH_JSON_DEPTH + 1; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        assert_status(text, 2 * depth, depth > TCH_JSON_DEPTH ? TACHO_EPARSE : 0);
    }
    tch_json_open(&r, text, sizeof text, &err);
    r.max_depth = TCH_JSON_DEPTH_MAX;
    assert_int_equal(tch_json_skip(&r), 0);
}

static void survives_a_million_brackets(void **state)
{
    enum { MANY = 1000000 };
    char *text = malloc(MANY);
    tacho_error err;

    (void)state;
    assert_non_null(text);
    memset(text, '[', MANY);
    assert_int_equal(tch_json_check(text, MANY, &err), TACHO_EPARSE);
    assert_string_equal(err.message, "nested deeper than 127 levels");
    for (size_t i = 0; i + 5 < MANY; i += 5)
        memcpy(text + i, "{\"a\":", 5);
    assert_int_equal(tch_json_check(text, MANY, NULL), TACHO_EPARSE);
    free(text);
}

static void a_number_may_have_ten_thousand_digits(void **state)
{
    char text[10001];
    struct tch_json_reader r;
    struct tch_json_value value;
    double number;

    (void)state;
    memset(text, '3', sizeof text);
    text[1] = '.';
    assert_status(text, sizeof text, 0);
    tch_json_open(&r, text, sizeof text, NULL);
    assert_int_equal(tch_json_read(&r, &value), 0);
    assert_int_equal(value.len, sizeof text);
    number = tch_json_to_f64(&value);
    assert_true(number == 10.0 / 3);
}

/* Tries each byte in each place of short numbers, with and without readable memory after them. */
static void judges_short_numbers_byte_by_byte(void **state)
{
    (void)state;
    for (size_t len = 1; len <= 10; len++)
        for (size_t place = 0; place < len; place++)
            for (int byte = 0; byte < 256; byte++)
                for (int more = 0; more < 2; more++) {
                    char text[40] = "[1234567890,\"        \"]";
                    size_t size = len + (more ? 13 : 2);

                    memcpy(text + 1 + len, more ? ",\"12345678\"]" : "]", more ? 12 : 1);
                    text[1 + place] = (char)byte;
                    assert_int_equal(tch_json_check(text, size, NULL) == 0,
                                     test_json_plain(text, size, TCH_JSON_DEPTH));
                }
}

/* The reader checks up to sixteen bytes at once, so this tries each place of the decimal point and
   of a wrong byte. */
static void judges_short_decimals_byte_by_byte(void **state)
{
    static const char wrong[] = ".-+e/:x\x01\xFF";
    char text[] = "[1111111111111111,0,0,0,0,0,0,0,0]";

    (void)state;
    for (size_t len = 1; len <= 16; len++)
        for (size_t point = 0; point < len; point++) {
            char *p = text + 1 + 16 - len; /* ends at the comma */

            memset(text + 1, ' ', 16);
            memset(p, '1', len);
            p[point] = '.';
            if (point == 0 || point == len - 1) {
                assert_unsound(text);
                continue;
            }
            assert_sound(text);
            p[0] = '0';
            (point == 1 ? assert_sound : assert_unsound)(text);
            p[0] = '1';
            for (size_t i = point + 1; i < len; i++)
                for (size_t k = 0; k < sizeof wrong - 1; k++) {
                    if (wrong[k] == 'e' && i > point + 1 && i < len - 1)
                        continue; /* an exponent */
                    p[i] = wrong[k];
                    assert_unsound(text);
                    p[i] = '1';
                }
        }
}

/* Splits the text at every place of a batch, a block and a window. */
static void is_not_confused_by_where_a_block_ends(void **state)
{
    static const char *const values[] = {
        "\"\\\\\\\"\\u20ac\\uD83D\\uDE00\"",
        "\"\xE2\x82\xAC\xF0\x9F\x98\x80\xC3\xA9\"",
        "-12.5e+300",
        "{\"k\\\\\":[true,false,null]}",
        "\"\\\\\\\\\\\\\\\\\"",
    };
    char text[TCH_JSON_BATCH + 300];

    (void)state;
    for (size_t v = 0; v < sizeof values / sizeof values[0]; v++)
        for (size_t pad = 0; pad < 130; pad++)
            for (int far = 0; far < 2; far++) {
                size_t start = pad + (far ? TCH_JSON_BATCH - 100 : 0);
                size_t len = strlen(values[v]);

                memset(text, ' ', start + 1);
                text[0] = '[';
                memcpy(text + start + 1, values[v], len);
                text[start + 1 + len] = ']';
                assert_status(text, start + 2 + len, 0);
                assert_status(text, start + 1 + len, TACHO_EPARSE);
                assert_status(text, start + len, TACHO_EPARSE);
            }
}

static void returns_all_members_and_values(void **state)
{
    static const char text[] = " { \"na\\u006de\" : \"a\\nb\", \"n\" : [ -12 , 1.5 ], \"x\":{} } ";
    struct tch_json_reader r;
    struct tch_json_value v;
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 100);
    tch_json_open(&r, text, sizeof text - 1, NULL);
    assert_int_equal(tch_json_read(&r, &v), 0);
    assert_int_equal(v.type, TCH_JSON_OBJECT);

    assert_int_equal(tch_json_member(&r, &v), 1);
    assert_true(tch_json_is(&v, "name"));
    assert_false(tch_json_is(&v, "nam"));
    assert_false(tch_json_is(&v, "names"));
    assert_int_equal(tch_json_offset(&r, &v), 4);
    assert_int_equal(tch_json_read(&r, &v), 0);
    assert_int_equal(v.type, TCH_JSON_STRING);
    assert_true(v.escaped);
    tch_json_unescape(&v, &b);
    assert_string_equal(b.data, "a\nb");

    assert_int_equal(tch_json_member(&r, &v), 1);
    assert_int_equal(tch_json_read(&r, &v), 0);
    assert_int_equal(v.type, TCH_JSON_ARRAY);
    assert_int_equal(tch_json_element(&r), 1);
    assert_int_equal(tch_json_read(&r, &v), 0);
    assert_int_equal(v.type, TCH_JSON_NUMBER);
    assert_int_equal(v.len, 3);
    assert_int_equal(tch_json_element(&r), 1);
    assert_int_equal(tch_json_read_raw(&r, &v), 0);
    assert_memory_equal(v.text, "1.5", 3);
    assert_int_equal(tch_json_element(&r), 0);

    assert_int_equal(tch_json_member(&r, &v), 1);
    assert_int_equal(tch_json_read_raw(&r, &v), 0);
    assert_int_equal(v.type, TCH_JSON_OBJECT);
    assert_int_equal(v.len, 2);
    assert_int_equal(tch_json_member(&r, &v), 0);
    assert_int_equal(tch_json_finish(&r), 0);
    tch_buf_release(&b);
}

static void unescapes_everything(void **state)
{
    static const char text[] =
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20AC\\uD83D\\uDE00 z\"";
    struct tch_json_reader r;
    struct tch_json_value v;
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 100);
    tch_json_open(&r, text, sizeof text - 1, NULL);
    assert_int_equal(tch_json_read(&r, &v), 0);
    tch_json_unescape(&v, &b);
    assert_string_equal(b.data, "\"\\/\b\f\n\r\tA\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80 z");
    assert_true(tch_json_is(&v, b.data));
    tch_buf_release(&b);
}

static struct tch_json_number number_of(const char *text)
{
    struct tch_json_reader r;
    struct tch_json_value v;

    tch_json_open(&r, text, strlen(text), NULL);
    assert_int_equal(tch_json_read(&r, &v), 0);
    return tch_json_to_number(&v);
}

static void keeps_integers_exact(void **state)
{
    (void)state;
    assert_int_equal(number_of("18446744073709551615").kind, TCH_JSON_U64);
    assert_true(number_of("18446744073709551615").as.u64 == UINT64_MAX);
    assert_int_equal(number_of("18446744073709551616").kind, TCH_JSON_F64);
    assert_true(number_of("18446744073709551616").as.f64 == 18446744073709551616.0);
    assert_int_equal(number_of("-9223372036854775808").kind, TCH_JSON_I64);
    assert_true(number_of("-9223372036854775808").as.i64 == INT64_MIN);
    assert_int_equal(number_of("-9223372036854775809").kind, TCH_JSON_F64);
    assert_int_equal(number_of("-0").kind, TCH_JSON_F64);
    assert_true(1 / number_of("-0").as.f64 < 0);
    assert_int_equal(number_of("1.0").kind, TCH_JSON_F64);
    assert_int_equal(number_of("1e2").kind, TCH_JSON_F64);
    assert_int_equal(number_of("9007199254740993").kind, TCH_JSON_U64);
}

static void leaves_a_container_in_the_middle(void **state)
{
    static const char text[] = "[{\"a\":1,\"b\":[2,[3]],\"c\":4},[5,6],7]";
    struct tch_json_reader r;
    struct tch_json_value v;

    (void)state;
    tch_json_open(&r, text, sizeof text - 1, NULL);
    assert_int_equal(tch_json_read(&r, &v), 0);
    assert_int_equal(tch_json_element(&r), 1);
    assert_int_equal(tch_json_read(&r, &v), 0);
    assert_int_equal(tch_json_member(&r, &v), 1);
    assert_int_equal(tch_json_skip(&r), 0);
    assert_int_equal(tch_json_leave(&r), 0);
    assert_int_equal(tch_json_element(&r), 1);
    assert_int_equal(tch_json_read(&r, &v), 0);
    assert_int_equal(tch_json_leave(&r), 0);
    assert_int_equal(tch_json_element(&r), 1);
    assert_int_equal(tch_json_read(&r, &v), 0);
    assert_memory_equal(v.text, "7", 1);
    assert_int_equal(tch_json_element(&r), 0);
    assert_int_equal(tch_json_finish(&r), 0);
}

static void stays_failed(void **state)
{
    struct tch_json_reader r;
    struct tch_json_value v;
    tacho_error err;

    (void)state;
    tch_json_open(&r, "[1,x]", 5, &err);
    assert_int_equal(tch_json_read(&r, &v), 0);
    assert_int_equal(tch_json_member(&r, &v), TACHO_EINVAL);
    assert_int_equal(tch_json_element(&r), TACHO_EINVAL);
    assert_int_equal(tch_json_skip(&r), TACHO_EINVAL);
    assert_int_equal(tch_json_finish(&r), TACHO_EINVAL);
    assert_string_equal(err.message, "the reader is not in an object");

    tch_json_open(&r, "[1]", 3, &err);
    assert_int_equal(tch_json_read(&r, &v), 0);
    assert_int_equal(tch_json_finish(&r), TACHO_EINVAL);
    assert_int_equal(tch_json_element(&r), TACHO_EINVAL);
    assert_string_equal(err.message, "the reader is still inside a value");
}

static void null_is_an_empty_text(void **state)
{
    tacho_error err;

    (void)state;
    assert_int_equal(tch_json_check(NULL, 0, &err), TACHO_EPARSE);
    assert_int_equal(err.line, 1);
    assert_int_equal(err.column, 1);
    assert_string_equal(err.message, "expected a value, found the end of the text");
}

/* The fast reader and the plain validator must agree on each mutation of a valid text. */
static void agrees_with_the_plain_validator(void **state)
{
    static const char seed[] =
        "{\"event\":\"a\\u00e9\\\\\",\"n\":[0,-1.5e3,12345678901234567890,true,false,null],"
        "\"s\":{\"k\":\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\",\"e\":{},\"a\":[]},\"long\":"
        "\"0123456789012345678901234567890123456789012345678901234567890123456789\"}";
    static const char alphabet[] = "{}[]:,\"\\ \n\t0123.eE+-truefalsn\x01\x80\xC3\xE2\xF0u/\x1F";
    uint64_t random = 42;

    (void)state;
    for (int i = 0; i < (TEST_SANITIZED ? 10000 : 30000); i++) {
        char text[sizeof seed];
        size_t len = sizeof seed - 1;
        tacho_error err;
        bool agree = true;
        int status;

        memcpy(text, seed, sizeof seed);
        for (int change = 0; change <= i % 3; change++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            text[(random >> 40) % len] = alphabet[(random >> 33) % (sizeof alphabet - 1)];
        }
        if (i % 7 == 0)
            len = (size_t)((random >> 20) % len);
        /* Tries all ways of reading for some texts, and the default scanner for all. */
        status =
            i % 16 ? tch_json_check(text, len, &err) : test_json_every_way(text, len, &err, &agree);
        if (!agree || (status == 0) != test_json_plain(text, len, TCH_JSON_DEPTH))
            fail_msg("%s %d: %.*s", agree ? "differs from plain" : "ways differ", status, (int)len,
                     text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_what_the_rfc_allows),
        cmocka_unit_test(rejects_what_the_rfc_forbids),
        cmocka_unit_test(rejects_bytes_that_are_not_utf8),
        cmocka_unit_test(names_line_column_and_offset),
        cmocka_unit_test(limits_the_depth),
        cmocka_unit_test(survives_a_million_brackets),
        cmocka_unit_test(a_number_may_have_ten_thousand_digits),
        cmocka_unit_test(judges_short_numbers_byte_by_byte),
        cmocka_unit_test(judges_short_decimals_byte_by_byte),
        cmocka_unit_test(is_not_confused_by_where_a_block_ends),
        cmocka_unit_test(returns_all_members_and_values),
        cmocka_unit_test(unescapes_everything),
        cmocka_unit_test(keeps_integers_exact),
        cmocka_unit_test(leaves_a_container_in_the_middle),
        cmocka_unit_test(stays_failed),
        cmocka_unit_test(null_is_an_empty_text),
        cmocka_unit_test(agrees_with_the_plain_validator),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
