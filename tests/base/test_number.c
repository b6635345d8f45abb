/* Tests parsing numbers: the whole text or an error, and every bit of a float exact. */
#include "support/test.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/float_text.h"
#include "base/number.h"
#include "support/vectors.h"
#include <tacho/error.h>

static uint64_t bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void assert_f64(const char *text, double value)
{
    double got = 12345;

    if (tch_parse_f64(text, &got) < 0)
        fail_msg("'%s' is a number", text);
    if (bits_of(got) != bits_of(value))
        fail_msg("'%s' is %a, not %a", text, value, got);
}

static void assert_no_f64(const char *text, size_t len)
{
    double got = 12345;

    if (tch_parse_f64_n(text, len, &got) != TACHO_EINVAL)
        fail_msg("'%.*s' is not a number", (int)len, text);
    assert_true(got == 12345);
}

static void reads_integers_up_to_the_limit(void **state)
{
    uint64_t value = 7;

    (void)state;
    assert_int_equal(tch_parse_u64("18446744073709551615", UINT64_MAX, &value), 0);
    assert_true(value == UINT64_MAX);
    assert_int_equal(tch_parse_u64("0", 0, &value), 0);
    assert_int_equal(value, 0);
    assert_int_equal(tch_parse_u64("0042", 42, &value), 0);
    assert_int_equal(value, 42);
    assert_int_equal(tch_parse_u64_n("123x", 3, 123, &value), 0);
    assert_int_equal(value, 123);
}

static void reads_hexadecimal_numbers(void **state)
{
    static const char *const bad[] = {"", "0x", "1f", "0x1g", "x1", "0x12345678123456789", "-0x1"};
    uint64_t value = 7;

    (void)state;
    assert_int_equal(tch_parse_hex_n("0xfFfFfFfFfFfFfFfF", 18, &value), 0);
    assert_true(value == UINT64_MAX);
    assert_int_equal(tch_parse_hex_n("0X1aZ", 4, &value), 0);
    assert_int_equal(value, 26);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(tch_parse_hex_n(bad[i], strlen(bad[i]), &value), TACHO_EINVAL);
    assert_int_equal(value, 26);
}

static void refuses_texts_that_are_not_integers(void **state)
{
    static const char *const bad[] = {"",
                                      " 1",
                                      "1 ",
                                      "+1",
                                      "-1",
                                      "1.0",
                                      "0x10",
                                      "abc",
                                      "1e3",
                                      "12a",
                                      "\t1",
                                      "1\n",
                                      "124",
                                      "18446744073709551616",
                                      "99999999999999999999999"};
    uint64_t value = 7;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(tch_parse_u64(bad[i], 123, &value), TACHO_EINVAL);
    assert_int_equal(tch_parse_u64("18446744073709551616", UINT64_MAX, &value), TACHO_EINVAL);
    assert_int_equal(tch_parse_u64_n("1\0", 2, 123, &value), TACHO_EINVAL);
    assert_int_equal(value, 7);
}

static void reads_signed_integers_to_both_ends(void **state)
{
    int64_t value = 7;

    (void)state;
    assert_int_equal(tch_parse_i64("-9223372036854775808", &value), 0);
    assert_true(value == INT64_MIN);
    assert_int_equal(tch_parse_i64("9223372036854775807", &value), 0);
    assert_true(value == INT64_MAX);
    assert_int_equal(tch_parse_i64("-0", &value), 0);
    assert_int_equal(value, 0);
    assert_int_equal(tch_parse_i64("-9223372036854775809", &value), TACHO_EINVAL);
    assert_int_equal(tch_parse_i64("9223372036854775808", &value), TACHO_EINVAL);
    assert_int_equal(tch_parse_i64("-", &value), TACHO_EINVAL);
    assert_int_equal(tch_parse_i64("--1", &value), TACHO_EINVAL);
    assert_int_equal(tch_parse_i64_n("", 0, &value), TACHO_EINVAL);
    assert_int_equal(value, 0);
}

static void reads_floats(void **state)
{
    (void)state;
    assert_f64("0", 0.0);
    assert_f64("-0", -0.0);
    assert_f64("-0.0e5", -0.0);
    assert_f64("0e999999999999", 0.0);
    assert_f64("1", 1);
    assert_f64("0.1", 0.1);
    assert_f64("-2.5E+3", -2500);
    assert_f64("1e22", 1e22);
    assert_f64("1e23", 1e23);
    assert_f64("123456789012345678", 123456789012345678.0);
    assert_f64("9007199254740993", 9007199254740992.0); /* half way: to even */
    assert_f64("9007199254740993.0000000000000000000000001", 9007199254740994.0);
    assert_f64("1.7976931348623157e308", 1.7976931348623157e308);
    assert_f64("2.2250738585072014e-308", 2.2250738585072014e-308);
    assert_f64("2.2250738585072011e-308", 2.2250738585072011e-308);
    assert_f64("5e-324", 5e-324);
    assert_f64("2.4703282292062327e-324", 0); /* just below half of the smallest */
    assert_f64("2.4703282292062328e-324", 5e-324);
}

static void too_large_is_infinite_and_too_small_is_zero(void **state)
{
    (void)state;
    assert_f64("1.7976931348623159e308", (double)INFINITY);
    assert_f64("-1e309", -(double)INFINITY);
    assert_f64("1e999999999999", (double)INFINITY);
    assert_f64("1e9223372036854775808", (double)INFINITY);
    assert_f64("1e-999999999999", 0);
    assert_f64("-1e-99999999999999999999999999", -0.0);
}

static void refuses_numbers_that_json_does_not_allow(void **state)
{
    static const char *const bad[] = {
        "",    "-",   "+1",  ".5",  "1.",   "1.e5",  "01",   "-01",      "00",    "1e",
        "1e+", "1e-", "e5",  "nan", "NaN",  "inf",   "-inf", "Infinity", "0x10",  "0x1p3",
        " 1",  "1 ",  "1_0", "1,5", "1.5f", "1e5.0", "--1",  "1e5e5",    "1.2.3", "1e+-5",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_no_f64(bad[i], strlen(bad[i]));
    assert_no_f64("1\0", 2);
}

static void reads_no_further_than_the_length(void **state)
{
    static const char text[] = {'1', '.', '5', 'e', '1'};
    double value;

    (void)state;
    assert_int_equal(tch_parse_f64_n(text, 3, &value), 0);
    assert_true(value == 1.5);
    assert_int_equal(tch_parse_f64_n(text, 5, &value), 0);
    assert_true(value == 15);
    assert_no_f64(text, 4);
}

/* Parses the number half way between 1 and the next double, then `zeros` zeros, then an optional
   last digit. */
static void assert_long_tie(size_t zeros, const char *last, double value)
{
    static const char half[] = "1.00000000000000011102230246251565404236316680908203125";
    size_t len = strlen(half);
    char *text = malloc(len + zeros + 2);

    assert_non_null(text);
    memcpy(text, half, len);
    memset(text + len, '0', zeros);
    snprintf(text + len + zeros, 2, "%s", last);
    assert_f64(text, value);
    free(text);
}

static void a_late_digit_decides_a_tie(void **state)
{
    (void)state;
    for (size_t zeros = 700; zeros < 760; zeros++) {
        assert_long_tie(zeros, "", 1);
        assert_long_tie(zeros, "1", 1 + 0x1p-52);
    }
    assert_long_tie(10000, "", 1);
    assert_long_tie(10000, "1", 1 + 0x1p-52);
}

/* The exact text of odd * 2^-1075, half way between two doubles, takes up to 767 digits. */
static void no_digit_of_a_tie_is_lost(void **state)
{
    static const uint64_t odd[] = {1, 3, 5, (UINT64_C(1) << 53) - 1, (UINT64_C(1) << 54) - 1};
    char text[1000];

    (void)state;
    if (LDBL_MANT_DIG < 64 || LDBL_MIN_EXP > -1200) {
        print_message("skipped: long double is too small to write the text\n");
        skip();
    }
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        double below = ldexp((double)((odd[i] >> 1)), -1074);
        double above = ldexp((double)((odd[i] >> 1) + 1), -1074);

        snprintf(text, sizeof text, "%.800Le", ldexpl((long double)odd[i], -1075));
        assert_f64(text, odd[i] / 2 % 2 == 0 ? below : above); /* to even */
    }
}

static void reads_ten_thousand_digits_with_an_exponent(void **state)
{
    enum { DIGITS = 10000 };
    char text[DIGITS + 16];

    (void)state;
    memset(text, '0', sizeof text);
    text[0] = '1';
    snprintf(text + DIGITS, 16, "e-9999");
    assert_f64(text, 1);
    text[DIGITS - 1] = '7';
    assert_f64(text, 1);

    memset(text, '0', sizeof text);
    text[1] = '.';
    text[DIGITS - 1] = '1'; /* 10^-9998 */
    snprintf(text + DIGITS, 16, "e9998");
    assert_f64(text, 1);
    snprintf(text + DIGITS, 16, "e9675");
    assert_f64(text, 1e-323);
}

static void agrees_with_the_c_library(void **state)
{
    uint64_t random = 0x9E3779B97F4A7C15u;

    (void)state;
    for (int i = 0; i < 60000; i++) {
        char text[64];
        double value;

        random = random * 6364136223846793005u + 1442695040888963407u;
        memcpy(&value, &random, sizeof value);
        if (i % 2)
            value = (double)(random >> 40) / 1000.0;
        if (!isfinite(value))
            continue;
        snprintf(text, sizeof text, "%.*e", (int)(random >> 33) % 25, value);
        assert_f64(text, strtod(text, NULL));
    }
}

static void check_bits(const char *line, size_t len, void *arg)
{
    struct test_json whole = {line, len};
    struct test_json want = test_member(whole, "correct_bits");
    char *text = test_text(test_member(test_member(whole, "input"), "text"), NULL);
    double value;

    (void)arg;
    assert_int_equal(tch_parse_f64_n(text, strlen(text), &value), 0);
    test_same_f64(text, value, test_f64_bits(want));
    free(text);
}

static void every_bit_is_right_where_the_reference_was_wrong(void **state)
{
    (void)state;
    test_each_line("number_parse_quirk.jsonl", 20, check_bits, NULL);
}

/* Compiles a locale whose decimal point is a comma, because few machines have one installed. */
static bool make_comma_locale(const char *folder)
{
    char command[512];

    snprintf(
        command, sizeof command,
        "cd '%s' && printf 'LC_NUMERIC\\ndecimal_point \",\"\\nthousands_sep \".\"\\n"
        "grouping 3;3\\nEND LC_NUMERIC\\n' >source && "
        "localedef -c --no-archive -i source ./comma >/dev/null 2>&1; test -e comma/LC_NUMERIC",
        folder);
    return system(command) == 0;
}

static void is_the_same_in_every_locale(void **state)
{
    char folder[] = "/tmp/tacho-locale-XXXXXX";
    char command[64];
    char shown[16];
    bool made;

    (void)state;
    assert_non_null(mkdtemp(folder));
    made = make_comma_locale(folder) && setenv("LOCPATH", folder, 1) == 0 &&
           setlocale(LC_NUMERIC, "comma") && strcmp(localeconv()->decimal_point, ",") == 0;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
    if (!made) { /* musl has no other point in any locale */
        print_message("skipped: there is no locale with a comma here\n");
        skip();
    }
    snprintf(shown, sizeof shown, "%.1f", 1.5);
    assert_string_equal(shown, "1,5");
    assert_f64("1.5", 1.5);
    assert_f64("0.30000000000000004441", 0.3 + 0x1p-54);
    assert_f64("1.000000000000000000000000001e-3", 0x1.0624dd2f1a9fcp-10);
    assert_no_f64("1,5", 3);
    assert_no_f64("1.000,5", 7);
    setlocale(LC_NUMERIC, "C");
}

static void assert_duration(const char *text, uint64_t ns)
{
    uint64_t got = 7;

    if (tch_parse_duration(text, &got) < 0)
        fail_msg("'%s' is a duration", text);
    assert_int_equal(got, ns);
}

static void reads_durations(void **state)
{
    (void)state;
    assert_duration("0", 0);
    assert_duration("0s", 0);
    assert_duration("5ns", 5);
    assert_duration("10us", 10000);
    assert_duration("250ms", 250000000);
    assert_duration("2s", 2000000000);
    assert_duration("1.5m", 90000000000);
    assert_duration("1h", 3600000000000);
    assert_duration("0.1s", 100000000);
    assert_duration("18446744073709551615ns", UINT64_MAX);
    assert_duration("18446744073.709551615s", UINT64_MAX);
}

static void rounds_to_whole_nanoseconds_a_half_upwards(void **state)
{
    (void)state;
    assert_duration("0.1ns", 0);
    assert_duration("0.499999999999999999ns", 0);
    assert_duration("0.5ns", 1);
    assert_duration("90d", 7776000000000000);
    assert_duration("1.5ns", 2);
    assert_duration("0.0000000005s", 1);
    assert_duration("0.000000000008333333m", 0); /* 0.49999998 ns */
    assert_duration("0.000000000008333334m", 1); /* 0.50000004 ns */
    assert_duration("0.999999999999999999h", 3600000000000);
}

static void refuses_invalid_durations(void **state)
{
    static const char *const bad[] = {
        "",
        " ",
        "1",
        "00",
        "0.0",
        "s",
        "-1s",
        "+1s",
        "1 s",
        " 1s",
        "1s ",
        "1.s",
        ".5s",
        "1e3s",
        "1S",
        "1MS",
        "1min",
        "1sec",
        "1D",
        "1,5s",
        "nans",
        "infs",
        "0x1s",
        "1ss",
        "1.5.5s",
        "0.1234567890123456789s",
        "18446744073709551616ns",
        "18446744073709551615.5ns",
        "5124095577h",
        "18446744074s",
    };
    uint64_t value = 7;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (tch_parse_duration(bad[i], &value) != TACHO_EINVAL)
            fail_msg("'%s' is not a duration", bad[i]);
    assert_int_equal(value, 7);
}

static void assert_size(const char *text, uint64_t bytes)
{
    uint64_t got = 7;

    if (tch_parse_size(text, &got) < 0)
        fail_msg("'%s' is a size", text);
    assert_int_equal(got, bytes);
}

static void reads_sizes(void **state)
{
    (void)state;
    assert_size("0", 0);
    assert_size("512", 512);
    assert_size("64k", 65536);
    assert_size("64K", 65536);
    assert_size("2GiB", UINT64_C(2) << 30);
    assert_size("2gib", UINT64_C(2) << 30);
    assert_size("2GIB", UINT64_C(2) << 30);
    assert_size("3M", 3 << 20);
    assert_size("1T", UINT64_C(1) << 40);
    assert_size("10MB", 10000000);
    assert_size("1kB", 1000);
    assert_size("1TB", 1000000000000);
    assert_size("1.5k", 1536);
    assert_size("0.1k", 102);      /* 102.4 */
    assert_size("1.0005kB", 1001); /* 1000.5 */
    assert_size("16777215.999999T", 18446744073708452104u);
    assert_size("18446744073709551615", UINT64_MAX);
}

static void refuses_invalid_sizes(void **state)
{
    static const char *const bad[] = {
        "",
        " ",
        "k",
        "-1",
        "+1",
        "1 k",
        "1k ",
        "1kk",
        "1ki",
        "1i",
        "1P",
        "1kbit",
        "0x10",
        "1.",
        "1.k",
        ".5k",
        "1e3",
        "k1",
        "1G B",
        "1\x01",
        "18446744073709551616",
        "16777216T",
        "18014398509481984k",
        "1\xe2\x84\xaa",
    };
    uint64_t value = 7;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (tch_parse_size(bad[i], &value) != TACHO_EINVAL)
            fail_msg("'%s' is not a size", bad[i]);
    assert_int_equal(value, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_integers_up_to_the_limit),
        cmocka_unit_test(reads_hexadecimal_numbers),
        cmocka_unit_test(refuses_texts_that_are_not_integers),
        cmocka_unit_test(reads_signed_integers_to_both_ends),
        cmocka_unit_test(reads_floats),
        cmocka_unit_test(too_large_is_infinite_and_too_small_is_zero),
        cmocka_unit_test(refuses_numbers_that_json_does_not_allow),
        cmocka_unit_test(reads_no_further_than_the_length),
        cmocka_unit_test(a_late_digit_decides_a_tie),
        cmocka_unit_test(no_digit_of_a_tie_is_lost),
        cmocka_unit_test(reads_ten_thousand_digits_with_an_exponent),
        cmocka_unit_test(agrees_with_the_c_library),
        cmocka_unit_test(every_bit_is_right_where_the_reference_was_wrong),
        cmocka_unit_test(is_the_same_in_every_locale),
        cmocka_unit_test(reads_durations),
        cmocka_unit_test(rounds_to_whole_nanoseconds_a_half_upwards),
        cmocka_unit_test(refuses_invalid_durations),
        cmocka_unit_test(reads_sizes),
        cmocka_unit_test(refuses_invalid_sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
