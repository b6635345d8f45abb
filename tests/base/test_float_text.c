/* Tests the shortest text of a float: known cases, round trips, and the table of powers of ten. */
#include "support/test.h"

#include <math.h>

#include "base/float_text.h"
#include "base/pow10.h"

static void assert_json(double value, const char *text)
{
    char out[TCH_FLOAT_TEXT + 1];

    out[tch_f64_json(out, value)] = '\0';
    assert_string_equal(out, text);
}

static void assert_plain(double value, const char *text)
{
    char out[TCH_PLAIN_TEXT + 1];

    out[tch_f64_plain(out, value)] = '\0';
    assert_string_equal(out, text);
}

static void writes_the_shortest_text(void **state)
{
    (void)state;
    assert_json(0.1, "0.1");
    assert_json(0.1 + 0.2, "0.30000000000000004");
    assert_json(1.0 / 3, "0.3333333333333333");
    assert_json(-2.5, "-2.5");
    assert_json(5e-324, "5e-324");
    assert_json(2.2250738585072014e-308, "2.2250738585072014e-308");
    assert_json(1.7976931348623157e308, "1.7976931348623157e308");
    assert_json(9007199254740993.0, "9007199254740992.0");
    assert_json(9.5367431640625e-07, "9.5367431640625e-7"); /* a power of two: a narrow interval */
}

static void whole_numbers_keep_a_fraction(void **state)
{
    (void)state;
    assert_json(0.0, "0.0");
    assert_json(-0.0, "-0.0");
    assert_json(1, "1.0");
    assert_json(1000000, "1000000.0");
    assert_json(123456789012345, "123456789012345.0");
}

static void changes_notation_at_the_stated_bounds(void **state)
{
    char out[TCH_FLOAT_TEXT + 1];

    (void)state;
    assert_json(1e-5, "0.00001");
    assert_json(9.9e-6, "9.9e-6");
    assert_json(1e15, "1000000000000000.0");
    assert_json(1e16, "1e16");
    assert_json(1.5e16, "1.5e16");
    out[tch_f32_json(out, 1e-6f)] = '\0';
    assert_string_equal(out, "0.000001");
    out[tch_f32_json(out, 1e12f)] = '\0';
    assert_string_equal(out, "1000000000000.0");
    out[tch_f32_json(out, 1e13f)] = '\0';
    assert_string_equal(out, "1e13");
}

static void a_float_is_not_written_as_a_double(void **state)
{
    char out[TCH_PLAIN_TEXT + 1];

    (void)state;
    out[tch_f32_json(out, 0.1f)] = '\0';
    assert_string_equal(out, "0.1");
    out[tch_f32_json(out, 16777216.0f)] = '\0';
    assert_string_equal(out, "16777216.0");
    out[tch_f32_json(out, 1.17549435e-38f)] = '\0';
    assert_string_equal(out, "1.1754944e-38");
}

static void nan_and_infinity_are_null(void **state)
{
    (void)state;
    assert_json((double)NAN, "null");
    assert_json((double)INFINITY, "null");
    assert_json(-(double)INFINITY, "null");
}

static void plain_never_has_an_exponent(void **state)
{
    (void)state;
    assert_plain(1, "1");
    assert_plain(-0.0, "-0");
    assert_plain((double)NAN, "NaN");
    assert_plain(-(double)INFINITY, "-inf");
    assert_plain(1e21, "1000000000000000000000");
    assert_plain(-1.5e-7, "-0.00000015");
    for (double value = 1.7976931348623157e308; value > 0; value /= 1e7) {
        char out[TCH_PLAIN_TEXT + 1];
        size_t len = tch_f64_plain(out, -value);

        assert_true(len <= TCH_PLAIN_TEXT);
        out[len] = '\0';
        assert_null(strchr(out, 'e'));
        assert_true(strtod(out, NULL) == -value);
    }
}

static void reads_back_the_same(void **state)
{
    uint64_t random = 0x9E3779B97F4A7C15u;

    (void)state;
    for (int i = 0; i < 200000; i++) {
        char out[TCH_FLOAT_TEXT + 1];
        double value;
        float small;
        uint32_t half;

        random = random * 6364136223846793005u + 1442695040888963407u;
        memcpy(&value, &random, sizeof value);
        half = (uint32_t)(random >> 32);
        memcpy(&small, &half, sizeof small);
        if (isfinite(value)) {
            out[tch_f64_json(out, value)] = '\0';
            assert_true(strtod(out, NULL) == value);
        }
        if (isfinite(small)) {
            out[tch_f32_json(out, small)] = '\0';
            assert_true(strtof(out, NULL) == small);
        }
    }
}

/* Tries "%.*g" with more and more digits, the slow way to find the shortest text. */
static void no_shorter_text_reads_back_the_same(void **state)
{
    uint64_t random = 88172645463325252u;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        char ours[TCH_FLOAT_TEXT + 1];
        char slow[64];
        double value;
        int precision = 0;

        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        memcpy(&value, &random, sizeof value);
        if (i % 2)
            value = (double)(random % 100000000) / 1000.0;
        if (!isfinite(value))
            continue;
        do
            snprintf(slow, sizeof slow, "%.*e", precision++, value);
        while (strtod(slow, NULL) != value);
        ours[tch_f64_json(ours, value)] = '\0';
        snprintf(slow, sizeof slow, "%.*e", precision - 1, strtod(ours, NULL));
        assert_true(strtod(slow, NULL) == value);
    }
}

/* Long arithmetic with 32 bits per limb, the lowest first: enough for 10^324 and for 2^1216. */
enum { LIMBS = 40 };

static void times_ten(uint32_t limbs[LIMBS])
{
    uint64_t carry = 0;

    for (int i = 0; i < LIMBS; i++) {
        carry += (uint64_t)limbs[i] * 10;
        limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void divided_by_ten(uint32_t limbs[LIMBS], bool *inexact)
{
    uint64_t rest = 0;

    for (int i = LIMBS - 1; i >= 0; i--) {
        rest = rest << 32 | limbs[i];
        limbs[i] = (uint32_t)(rest / 10);
        rest %= 10;
    }
    *inexact |= rest != 0;
}

static bool bit(const uint32_t limbs[LIMBS], int i)
{
    return i >= 0 && (limbs[i / 32] >> (i % 32) & 1);
}

static void assert_is_top_rounded_up(const uint32_t limbs[LIMBS], bool inexact, int k)
{
    struct tch_pow10 top = {0, 0};
    int highest = LIMBS * 32 - 1;

    while (!bit(limbs, highest))
        highest--;
    for (int i = 0; i < 64; i++) {
        top.high = top.high << 1 | bit(limbs, highest - i);
        top.low = top.low << 1 | bit(limbs, highest - 64 - i);
    }
    for (int i = highest - 128; i >= 0; i--)
        inexact |= bit(limbs, i);
    top.low += inexact;
    assert_int_equal(tch_pow10[k - TCH_POW10_MIN].high, top.high);
    assert_int_equal(tch_pow10[k - TCH_POW10_MIN].low, top.low);
}

static void the_table_holds_the_powers_of_ten(void **state)
{
    uint32_t power[LIMBS] = {1};
    uint32_t fraction[LIMBS] = {0};
    bool inexact = false;

    (void)state;
    for (int k = 0; k <= TCH_POW10_MAX; k++) {
        assert_is_top_rounded_up(power, false, k);
        times_ten(power);
    }
    fraction[LIMBS - 1] = 1;
    for (int k = -1; k >= TCH_POW10_MIN; k--) {
        divided_by_ten(fraction, &inexact);
        assert_is_top_rounded_up(fraction, inexact, k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_the_shortest_text),
        cmocka_unit_test(whole_numbers_keep_a_fraction),
        cmocka_unit_test(changes_notation_at_the_stated_bounds),
        cmocka_unit_test(a_float_is_not_written_as_a_double),
        cmocka_unit_test(nan_and_infinity_are_null),
        cmocka_unit_test(plain_never_has_an_exponent),
        cmocka_unit_test(reads_back_the_same),
        cmocka_unit_test(no_shorter_text_reads_back_the_same),
        cmocka_unit_test(the_table_holds_the_powers_of_ten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
