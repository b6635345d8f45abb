/* Tests of bars and sparklines. */
#include "support/test.h"

#include <math.h>

#include "cli/core/bars.h"

static const struct term utf8_term = {.utf8 = true};
static const struct term ascii_term = {.utf8 = false};

/* The text of one call, valid until the next. */
static struct tch_buf b;

static struct tch_buf *fresh(void)
{
    tch_buf_clear(&b);
    return &b;
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
        cmocka_unit_test(draws_bars_in_eighths),
        cmocka_unit_test(keeps_bars_in_their_width),
        cmocka_unit_test(draws_sparklines),
    };
    int failed;

    tch_buf_init(&b, 1000);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    tch_buf_release(&b);
    return failed;
}
