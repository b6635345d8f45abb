/* Numbers for people. */
#include "support/test.h"

#include <math.h>

#include "cli/core/format.h"

static const struct term utf8_term = {.utf8 = true};
static const struct term ascii_term = {.utf8 = false};

/* The text of one call, valid until the next. */
static struct tch_buf b;

static struct tch_buf *fresh(void)
{
    tch_buf_clear(&b);
    return &b;
}

static void duration_is(double ns, const char *want)
{
    cli_add_duration(fresh(), ns);
    assert_string_equal(b.data, want);
}

static void writes_durations(void **state)
{
    (void)state;
    duration_is(0, "0 ns");
    duration_is(7, "7 ns");
    duration_is(1.5, "1.50 ns");
    duration_is(999.4, "999 ns");
    duration_is(999.6, "1.00 us"); /* never "1000 ns" */
    duration_is(1.25e6, "1.25 ms");
    duration_is(12.34e6, "12.3 ms");
    duration_is(59.94e9, "59.9 s");
    duration_is(125e9, "2m05s");
    duration_is(119.6e9, "2m00s"); /* never "1m60s" */
    duration_is(3599.7e9, "1h00m");
    duration_is(3 * 3600e9, "3h00m");
    duration_is(7199e9, "2h00m");
    duration_is(-1.25e6, "-1.25 ms");
    duration_is(NAN, "-");
    duration_is(INFINITY, "-");
}

static void size_is(uint64_t bytes, const char *want)
{
    cli_add_size(fresh(), bytes);
    assert_string_equal(b.data, want);
}

static void writes_sizes(void **state)
{
    (void)state;
    size_is(0, "0 B");
    size_is(1023, "1023 B");
    size_is(1024, "1.00 KiB");
    size_is(1536, "1.50 KiB");
    size_is(64 << 20, "64.0 MiB");
    size_is((1 << 20) - 1, "1.00 MiB");
    size_is(UINT64_MAX, "16384 PiB");
}

static void count_is(uint64_t count, const char *want)
{
    cli_add_count(fresh(), count);
    assert_string_equal(b.data, want);
}

static void writes_counts(void **state)
{
    (void)state;
    count_is(0, "0");
    count_is(999, "999");
    count_is(1000, "1.00k");
    count_is(12345, "12.3k");
    count_is(999999, "1.00M");
    count_is(4560000000, "4.56G");
}

static void percent_is(double share, const char *want)
{
    cli_add_percent(fresh(), share);
    assert_string_equal(b.data, want);
}

static void writes_percents(void **state)
{
    (void)state;
    percent_is(0, "0.0%");
    percent_is(0.125, "12.5%");
    percent_is(1, "100.0%");
    percent_is(0.0001, "<0.1%"); /* something, not nothing */
    percent_is(-0.05, "-5.0%");
    percent_is(NAN, "-");
}

static void bar_is(const struct term *term, double share, const char *want)
{
    cli_add_bar(fresh(), term, share, 4);
    assert_string_equal(b.data, want);
}

static void draws_bars_in_eighths(void **state)
{
    (void)state;
    bar_is(&utf8_term, 0, "    ");
    bar_is(&utf8_term, 1, "\u2588\u2588\u2588\u2588");
    bar_is(&utf8_term, 0.5, "\u2588\u2588  ");
    bar_is(&utf8_term, 1.0 / 32, "\u258F   ");
    bar_is(&utf8_term, 31.0 / 32, "\u2588\u2588\u2588\u2589");
    bar_is(&ascii_term, 0.5, "##  ");
}

static void keeps_bars_in_their_width(void **state)
{
    (void)state;
    bar_is(&ascii_term, 7, "####");
    bar_is(&ascii_term, -1, "    ");
    bar_is(&ascii_term, NAN, "    ");
    bar_is(&utf8_term, INFINITY, "\u2588\u2588\u2588\u2588");
}

static void draws_sparklines(void **state)
{
    const double values[] = {0, 1, NAN, 7, 8};
    const double same[] = {5, 5};

    (void)state;
    cli_add_spark(fresh(), &utf8_term, values, 5);
    assert_string_equal(b.data, "\u2581\u2582 \u2588\u2588");
    cli_add_spark(fresh(), &ascii_term, values, 5);
    assert_string_equal(b.data, "_. ##");
    cli_add_spark(fresh(), &utf8_term, same, 2);
    assert_string_equal(b.data, "\u2581\u2581");
    cli_add_spark(fresh(), &utf8_term, NULL, 0);
    assert_string_equal(b.data, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_durations),      cmocka_unit_test(writes_sizes),
        cmocka_unit_test(writes_counts),         cmocka_unit_test(writes_percents),
        cmocka_unit_test(draws_bars_in_eighths), cmocka_unit_test(keeps_bars_in_their_width),
        cmocka_unit_test(draws_sparklines),
    };
    int failed;

    tch_buf_init(&b, 1000);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    tch_buf_release(&b);
    return failed;
}
