/* Tests the SVG of charts, with all kinds of numbers. */
#include "support/test.h"

#include <math.h>

#include "kit/report/plot.h"

static struct tch_buf b;

static struct tch_plot plot_of(double x1, double y0, double y1)
{
    tch_buf_release(&b);
    tch_buf_init(&b, 1 << 24);
    return (struct tch_plot){.b = &b,
                             .title = "a <title> & \"more\"",
                             .x_name = "x",
                             .y_name = "y",
                             .x1 = x1,
                             .y0 = y0,
                             .y1 = y1,
                             .xu = TCH_COUNT,
                             .yu = TCH_NS};
}

static size_t count_of(const char *what)
{
    size_t n = 0;

    for (const char *at = strstr(b.data, what); at; at = strstr(at + 1, what))
        n++;
    return n;
}

/* Finds the position of the chart's first dot. */
static void first_point(double *x, double *y)
{
    const char *at = strstr(b.data, "d=\"M");

    for (at = strstr(b.data, "class=\"dots"); at && strncmp(at, "d=\"M", 4) != 0; at++)
        ;
    assert_non_null(at);
    assert_int_equal(sscanf(at, "d=\"M%lf %lf", x, y), 2);
}

static void draws_values_at_their_positions(void **state)
{
    const double x[] = {0, 10};
    const double y[] = {5e6, 1e6};
    struct tch_plot p = plot_of(10, 1e6, 9e6);
    double left, top, width, height, at_x, at_y;

    (void)state;
    tch_plot_begin(&p);
    tch_plot_dots(&p, x, y, 2);
    tch_plot_end(&p);
    assert_false(b.failed);
    assert_int_equal(sscanf(strstr(b.data, "class=\"area\""),
                            "class=\"area\" x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"",
                            &left, &top, &width, &height),
                     4);
    first_point(&at_x, &at_y);
    assert_true(at_x == 0 && fabs(at_y - height / 2) < 0.06);
    assert_non_null(strstr(b.data, "a &lt;title&gt; &amp; &quot;more&quot;"));
    assert_null(strstr(b.data, "<title>"));
    assert_int_equal(count_of("<svg"), count_of("</svg>"));
    assert_int_equal(count_of("<figure"), count_of("</figure>"));
    assert_non_null(strstr(b.data, ">2 ms<")); /* 1, 2 or 5 times a power of ten */
}

/* A long line is thinned out, and every peak of it stays in the picture. */
static void thins_long_lines_and_keeps_peaks(void **state)
{
    enum { POINTS = 100000, PEAK = 77777 };
    double *x = malloc(POINTS * sizeof *x);
    double *y = malloc(POINTS * sizeof *y);
    struct tch_plot p = plot_of(POINTS, 0, 100);

    (void)state;
    assert_true(x && y);
    for (int i = 0; i < POINTS; i++) {
        x[i] = i;
        y[i] = i == PEAK ? 100 : i % 10;
    }
    tch_plot_begin(&p);
    tch_plot_line(&p, "a", x, y, POINTS, false);
    tch_plot_end(&p);
    assert_true(b.len < 60000);
    assert_non_null(strstr(b.data, " 0.0L")); /* the top of the picture */
    free(x);
    free(y);
}

/* Copies the path of the chart's line. */
static const char *path_of_line(char *path, size_t size)
{
    const char *at = strstr(strstr(b.data, "class=\"line"), "d=\"") + 3;

    snprintf(path, size, "%.*s", (int)strcspn(at, "\""), at);
    return path;
}

/* Thinned out or not, no line crosses a NAN, and a single value is a dot. */
static void a_line_is_interrupted(void **state)
{
    enum { MANY = 100000 };
    const double x[] = {0, 1, NAN, 2, 3, NAN, 4};
    const double y[] = {1, 2, NAN, 2, 1, NAN, 2};
    struct tch_plot p = plot_of(4, 0, 2);
    double *far = malloc(MANY * sizeof *far);
    char path[256];

    (void)state;
    tch_plot_begin(&p);
    tch_plot_line(&p, "a", x, y, 7, false);
    tch_plot_end(&p);
    assert_string_equal(path_of_line(path, sizeof path), "M0.0 95.0L117.0 0.0M234.0 0.0"
                                                         "L351.0 95.0M468.0 0.0h0");
    p = plot_of(MANY, 0, 2);
    assert_non_null(far);
    for (int i = 0; i < MANY; i++)
        far[i] = i == MANY / 2 + 1 ? (double)NAN : (double)i;
    tch_plot_begin(&p);
    tch_plot_line(&p, "a", far, far, MANY, true);
    tch_plot_end(&p);
    assert_int_equal(count_of("Z"), 2);
    free(far);
}

static void shares_are_steps_from_0_to_1(void **state)
{
    const double sorted[] = {10, 10, 20, 30};
    struct tch_plot p = plot_of(40, 0, 1);
    char path[256];

    (void)state;
    tch_plot_begin(&p);
    tch_plot_ecdf(&p, "c", sorted, NULL, 4);
    tch_plot_end(&p);
    assert_string_equal(path_of_line(path, sizeof path),
                        "M0 190.0H117.0L117.0 142.5H117.0L117.0 95.0H234.0L234.0 47.5"
                        "H351.0L351.0 0.0H468");
}

static void runs_start_at_1(void **state)
{
    const size_t counts[] = {1, 2, 12, 20, 1000};

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct tch_plot p = plot_of(0, 0, 1);

        p.x_first = 1;
        tch_plot_range_x(&p, 1, (double)counts[i]);
        tch_plot_begin(&p);
        tch_plot_end(&p);
        assert_non_null(strstr(strstr(b.data, "ticks x"), ">1</text>"));
        assert_null(strstr(strstr(b.data, "ticks x"), ">0</text>"));
        assert_null(strstr(strstr(b.data, "ticks x"), ">-"));
    }
}

/* The text of a tick ends 6 left of the data and has room for each letter. */
static void wide_labels_get_room(void **state)
{
    struct tch_plot p = plot_of(1, 0, 0);

    (void)state;
    p.yu = TCH_PLAIN;
    p.y0 = 123456789012000;
    p.y1 = 123456789013000;
    tch_plot_begin(&p);
    tch_plot_end(&p);
    assert_non_null(strstr(b.data, ">123456789012400<"));
    assert_true(p.left - 6 > 9 * (int)strlen("123456789012400"));
}

/* One value, equal values, none, and empty ranges still make a chart, which every viewer can
   read. */
static void survives_any_numbers(void **state)
{
    static const double same[] = {3, 3, 3};
    static const double zero[] = {0};
    static const double wide[] = {1e-300, 1e300};
    static const double large[] = {1e17,
                                   1e17 + 16}; /* larger than a step between ticks can change */
    const double *lists[] = {same, zero, wide, large};
    const size_t counts[] = {3, 1, 2, 2};

    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (int from_zero = 0; from_zero < 2; from_zero++) {
            const double x[] = {1, 2, 3};
            struct tch_plot p = plot_of(4, 0, 0);

            tch_plot_range_y(&p, lists[i], counts[i], from_zero);
            assert_true(p.y1 > p.y0);
            tch_plot_begin(&p);
            tch_plot_dots(&p, x, lists[i], counts[i]);
            tch_plot_line(&p, "b", x, lists[i], counts[i], true);
            tch_plot_line(&p, "b", x, lists[i], 0, false);
            tch_plot_end(&p);
            assert_null(strstr(b.data, "nan"));
            assert_null(strstr(b.data, "inf"));
            assert_true(count_of("<text") < 40);
        }
}

static void bars_start_at_the_axis(void **state)
{
    static const double edge[] = {0, 1, 2, 3};
    static const double height[] = {2, 0, 1};
    struct tch_plot p = plot_of(3, 0, 2);

    (void)state;
    tch_plot_begin(&p);
    tch_plot_bars(&p, edge, height, 3);
    tch_plot_end(&p);
    assert_int_equal(count_of("h156.0"), 2); /* a third of the width; none for the empty one */
}

static void logarithmic_axes_have_powers_of_ten(void **state)
{
    struct tch_plot p = plot_of(1000, 1e3, 1e9);

    (void)state;
    p.x0 = 1;
    p.x_log = p.y_log = true;
    tch_plot_begin(&p);
    tch_plot_end(&p);
    assert_non_null(strstr(b.data, ">1 us<"));
    assert_non_null(strstr(b.data, ">1 ms<"));
    assert_non_null(strstr(b.data, ">100<"));
}

static void a_chart_is_a_file_too(void **state)
{
    static const double x[] = {1, 2};
    struct tch_plot p = plot_of(3, 0, 3);
    struct tch_buf file;

    (void)state;
    tch_plot_begin(&p);
    tch_plot_dots(&p, x, x, 2);
    tch_plot_end(&p);
    tch_buf_init(&file, 1 << 20);
    tch_plot_file(&b, 0, "t & u", &file);
    assert_int_equal(strncmp(file.data, "<svg xmlns=", 11), 0);
    assert_non_null(strstr(file.data, "t &amp; u"));
    assert_null(strstr(file.data, "figure"));
    tch_buf_release(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_values_at_their_positions),
        cmocka_unit_test(thins_long_lines_and_keeps_peaks),
        cmocka_unit_test(a_line_is_interrupted),
        cmocka_unit_test(shares_are_steps_from_0_to_1),
        cmocka_unit_test(runs_start_at_1),
        cmocka_unit_test(wide_labels_get_room),
        cmocka_unit_test(survives_any_numbers),
        cmocka_unit_test(bars_start_at_the_axis),
        cmocka_unit_test(logarithmic_axes_have_powers_of_ten),
        cmocka_unit_test(a_chart_is_a_file_too),
    };
    int failed;

    tch_buf_init(&b, 1);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    tch_buf_release(&b);
    return failed;
}
