/* Numbers for people. */
#include "support/test.h"

#include <math.h>

#include "kit/text/human_number.h"

static void value_is(enum tch_unit unit, double value, const char *want)
{
    struct tch_buf b;

    tch_buf_init(&b, 1000);
    tch_add_value(&b, unit, value);
    assert_string_equal(b.data, want);
    tch_buf_release(&b);
}

static void writes_durations(void **state)
{
    (void)state;
    value_is(TCH_NS, 0, "0 ns");
    value_is(TCH_NS, 7, "7 ns");
    value_is(TCH_NS, 1.5, "1.500 ns");
    value_is(TCH_NS, 999.4, "999.4 ns");
    value_is(TCH_NS, 999, "999 ns");
    value_is(TCH_NS, 999.96, "1.000 us"); /* never "1000 ns" */
    value_is(TCH_NS, 1000, "1.000 us");
    value_is(TCH_NS, 1.25e6, "1.250 ms");
    value_is(TCH_NS, 12.345e6, "12.35 ms");
    value_is(TCH_NS, 9.99949e6, "9.999 ms");
    value_is(TCH_NS, 9.99951e6, "10.00 ms");
    value_is(TCH_NS, 99.994e6, "99.99 ms");
    value_is(TCH_NS, 99.996e6, "100.0 ms");
    value_is(TCH_NS, 999.96e6, "1.000 s");
    value_is(TCH_NS, 59.94e9, "59.94 s");
    value_is(TCH_NS, 125e9, "125.0 s");
    value_is(TCH_NS, 999.94e9, "999.9 s");
    value_is(TCH_NS, 1000e9, "16m40s");
    value_is(TCH_NS, 1079.6e9, "18m00s"); /* never "17m60s" */
    value_is(TCH_NS, 3599.7e9, "1h00m00s");
    value_is(TCH_NS, 3 * 3600e9, "3h00m00s");
    value_is(TCH_NS, 7199e9, "1h59m59s");
    value_is(TCH_NS, 100 * 3600e9 + 61e9, "100h01m01s");
    value_is(TCH_NS, 1e300, "1e+291 s");
    value_is(TCH_NS, -1.25e6, "-1.250 ms");
    value_is(TCH_NS, -1000e9, "-16m40s");
    value_is(TCH_NS, NAN, "-");
    value_is(TCH_NS, INFINITY, "-");
}

static void writes_sizes(void **state)
{
    (void)state;
    value_is(TCH_BYTES, 0, "0 B");
    value_is(TCH_BYTES, 1023, "1023 B");
    value_is(TCH_BYTES, 1024, "1.000 KiB");
    value_is(TCH_BYTES, 1536, "1.500 KiB");
    value_is(TCH_BYTES, 1023.4 * 1024, "1023 KiB");
    value_is(TCH_BYTES, 1023.6 * 1024, "1.000 MiB"); /* never "1024 KiB" */
    value_is(TCH_BYTES, 64 << 20, "64.00 MiB");
    value_is(TCH_BYTES, (1 << 20) - 1, "1.000 MiB");
    value_is(TCH_BYTES, 0x1p43, "8.000 TiB");
    value_is(TCH_BYTES, 0x1p64, "16384 PiB");
    value_is(TCH_BYTES, -1536, "-1.500 KiB");
    value_is(TCH_BYTES, NAN, "-");
}

static void writes_counts(void **state)
{
    (void)state;
    value_is(TCH_COUNT, 0, "0");
    value_is(TCH_COUNT, 999, "999");
    value_is(TCH_COUNT, 999.5, "999.5");
    value_is(TCH_COUNT, 1000, "1000");
    value_is(TCH_COUNT, 1234.4, "1234");
    value_is(TCH_COUNT, 9999, "9999");
    value_is(TCH_COUNT, 9999.6, "10.00k");
    value_is(TCH_COUNT, 12345, "12.35k");
    value_is(TCH_COUNT, 999949, "999.9k");
    value_is(TCH_COUNT, 999999, "1.000M");
    value_is(TCH_COUNT, 4560000000, "4.560G");
    value_is(TCH_COUNT, 5e15, "5000T");
    value_is(TCH_COUNT, -12345, "-12.35k");
    value_is(TCH_COUNT, INFINITY, "-");
}

static void writes_other_numbers(void **state)
{
    (void)state;
    value_is(TCH_JOULES, 0, "0 J");
    value_is(TCH_JOULES, 6.921e-5, "69.21 uJ");
    value_is(TCH_JOULES, 0.001, "0.001000 J");
    value_is(TCH_JOULES, 0.5, "0.5000 J");
    value_is(TCH_JOULES, 12.3456, "12.35 J");
    value_is(TCH_JOULES, 123456, "123456 J");
    value_is(TCH_RATE, 0.123456, "0.1235");
    value_is(TCH_RATE, 1120, "1120");
    value_is(TCH_RATE, 9999.4, "9999");
    value_is(TCH_RATE, 2780000, "2.780M");
    value_is(TCH_PLAIN, 0, "0");
    value_is(TCH_PLAIN, 2, "2");
    value_is(TCH_PLAIN, 0.123456, "0.1235");
    value_is(TCH_PLAIN, 125.96, "126.0");
    value_is(TCH_PLAIN, 999.96, "1000");
    value_is(TCH_PLAIN, 1e-7, "1.000e-07");
    value_is(TCH_PLAIN, 123456.7, "123457");
    value_is(TCH_PLAIN, 1e300, "1e+300");
    value_is(TCH_PLAIN, -2.5, "-2.500");
    value_is(TCH_PLAIN, NAN, "-");
}

static void short_is(enum tch_unit unit, double value, const char *want)
{
    struct tch_buf b;

    tch_buf_init(&b, 1000);
    tch_add_short(&b, unit, value, 0);
    assert_string_equal(b.data, want);
    tch_buf_release(&b);
}

static void neighbours_at_an_axis_have_different_texts(void **state)
{
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 256);
    for (double value = 627.31e6; value < 627.35e6; value += 0.01e6) {
        tch_add_short(&b, TCH_NS, value, 0.01e6);
        tch_buf_addc(&b, ' ');
    }
    assert_string_equal(b.data, "627.31 ms 627.32 ms 627.33 ms 627.34 ms ");
    tch_buf_clear(&b);
    tch_add_short(&b, TCH_PLAIN, 1000.5, 0.5);
    tch_buf_adds(&b, " ");
    tch_add_short(&b, TCH_BYTES, 36.5 * 0x1p20, 0x1p19);
    tch_buf_adds(&b, " ");
    tch_add_short(&b, TCH_PLAIN, 1e9 / 3, 1e-9); /* at most seven digits, no exponent */
    assert_string_equal(b.data, "1000.5 36.5 MiB 333333333");
    tch_buf_release(&b);
}

static void leaves_out_zeros_at_axes(void **state)
{
    (void)state;
    short_is(TCH_NS, 0, "0 ns");
    short_is(TCH_NS, 2e6, "2 ms");
    short_is(TCH_NS, 2.5e6, "2.5 ms");
    short_is(TCH_NS, 2000e9, "2000 s");
    short_is(TCH_BYTES, 1.5 * 0x1p20, "1.5 MiB");
    short_is(TCH_COUNT, 2000, "2000");
    short_is(TCH_COUNT, 20000, "20k");
    short_is(TCH_PLAIN, 20000, "20000");
    short_is(TCH_PLAIN, 1e-7, "1e-07");
    short_is(TCH_JOULES, 0.25, "0.25 J");
    short_is(TCH_JOULES, 2000.5, "2000 J");
    short_is(TCH_NS, NAN, "-");
}

static void percent_is(double share, const char *want)
{
    struct tch_buf b;

    tch_buf_init(&b, 1000);
    tch_add_percent(&b, share);
    assert_string_equal(b.data, want);
    tch_buf_release(&b);
}

static void writes_percents(void **state)
{
    (void)state;
    percent_is(0, "0.0 %");
    percent_is(0.125, "12.5 %");
    percent_is(1, "100.0 %");
    percent_is(0.0001, "<0.1 %"); /* not 0 */
    percent_is(-0.05, "-5.0 %");
    percent_is(NAN, "-");
}

/* Also where a digit depends on the last bit. */
static void shares_are_rounded_as_by_printf(void **state)
{
    struct tch_buf b;
    char wanted[64];

    (void)state;
    tch_buf_init(&b, 1000);
    for (unsigned total = 1; total < 1500; total += total < 50 ? 1 : 75)
        for (unsigned w = 0; w <= total; w++)
            for (unsigned decimals = 2; decimals <= 4; decimals += 2) {
                double value = 100.0 * w / total;

                snprintf(wanted, sizeof wanted, "%.*f", (int)decimals, value);
                tch_buf_clear(&b);
                tch_add_fixed(&b, value, decimals);
                assert_string_equal(b.data, wanted);
            }
    tch_buf_clear(&b);
    tch_add_fixed(&b, -1.25, 1);
    tch_add_fixed(&b, 1e20, 0);
    tch_add_fixed(&b, 9.99996, 4);
    assert_string_equal(b.data, "-1.210000000000000000000010.0000");
    tch_buf_release(&b);
}

static void times_of_a_column_share_a_unit(void **state)
{
    static const struct {
        double ns, largest;
        const char *text;
    } cases[] = {{9e8, 7.4e9, "0.9 s"},    {7.4e9, 7.4e9, "7.4 s"},  {5, 999, "5 ns"},
                 {1e3, 5e5, "1 us"},       {1.25e6, 9e8, "1.25 ms"}, {1e9, 4e12, "1.000 s"},
                 {4e12, 4e12, "1h06m40s"}, {NAN, 7.4e9, "-"}};
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 100);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tch_buf_clear(&b);
        tch_add_time_like(&b, cases[i].ns, cases[i].largest);
        assert_string_equal(b.data, cases[i].text);
    }
    tch_buf_release(&b);
    assert_string_equal(tch_plural(1), "");
    assert_string_equal(tch_plural(0), "s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_of_a_column_share_a_unit),
        cmocka_unit_test(writes_durations),
        cmocka_unit_test(writes_sizes),
        cmocka_unit_test(writes_counts),
        cmocka_unit_test(writes_other_numbers),
        cmocka_unit_test(leaves_out_zeros_at_axes),
        cmocka_unit_test(neighbours_at_an_axis_have_different_texts),
        cmocka_unit_test(writes_percents),
        cmocka_unit_test(shares_are_rounded_as_by_printf),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
