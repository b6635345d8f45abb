/* Tests numbers in the output of a program: across blocks, in sparse files, in files that
   shrink. */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kit/run/plan/metric_rule.h"
#include "process/limited_child.h"
#include "support/system.h"

enum { MIB = 1 << 20 };

static int fd;

static void open_output(void)
{
    fd = open(test_at("output"), O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    assert_true(fd >= 0);
}

static void print_text(const char *text)
{
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static void print_dots(size_t count)
{
    static char dots[MIB];

    memset(dots, '.', sizeof dots);
    for (size_t n; count > 0; count -= n) {
        n = count < sizeof dots ? count : sizeof dots;
        assert_int_equal(write(fd, dots, n), n);
    }
}

/* Compares the numbers that the metric finds with the expected ones. */
static void expect(const char *spec, off_t from, size_t count, const double *numbers)
{
    struct tch_metric_rule metric;
    struct tch_found_numbers found = {0};

    assert_int_equal(tch_metric_rule_init(&metric, spec, NULL), 0);
    assert_int_equal(tch_metric_rule_find(&metric, fd, from, "output", &found, NULL), 0);
    assert_int_equal(found.values.n, count);
    for (size_t i = 0; i < count; i++)
        assert_float_equal(found.values.v[i], numbers[i], 0);
    tch_values_release(&found.values);
    tch_metric_rule_release(&metric);
}

#define EXPECT(spec, from, ...) \
    expect(spec, from, sizeof(double[]){__VA_ARGS__} / sizeof(double), (double[]){__VA_ARGS__})

static void finds_all_and_the_last(void **state)
{
    (void)state;
    open_output();
    print_text("x=1 x=2\nnothing\nx=3\nx=4 x=5\ny=7");
    EXPECT("all:x=x=([0-9]+)", 0, 1, 2, 3, 4, 5);
    EXPECT("x=x=([0-9]+)", 0, 5);
    EXPECT("y=y=([0-9]+)", 0, 7);
    EXPECT("x=x=([0-9]+)", 8, 5);
    EXPECT("all:x=x=([0-9]+)", 8, 3, 4, 5);
    expect("z=z=([0-9]+)", 0, 0, NULL);
    expect("x=x=([0-9]+)", 100, 0, NULL);
    close(fd);
}

/* The number is at every position around the border of two blocks, counted from either end. */
static void a_line_may_cross_blocks(void **state)
{
    (void)state;
    for (size_t before = MIB - 12; before <= MIB + 2; before++) {
        open_output();
        print_dots(before - 1);
        print_text("\nx=1234\n");
        print_dots(before);
        EXPECT("x=x=([0-9]+)", 0, 1234);
        EXPECT("all:x=x=([0-9]+)", 0, 1234);
        close(fd);
    }
}

static void a_line_that_is_too_long_is_ignored(void **state)
{
    (void)state;
    open_output();
    print_text("x=1\nx=2");
    print_dots(3 * MIB);
    print_text("x=3\nx=4\n");
    EXPECT("all:x=x=([0-9]+)", 0, 1, 4);
    print_dots(3 * MIB);
    EXPECT("x=x=([0-9]+)", 0, 4);
    print_text("x=5");
    EXPECT("x=x=([0-9]+)", 0, 4);
    close(fd);
}

/* The size of the file is 200 GB, but it contains only a few bytes of data. */
static void holes_are_skipped(void **state)
{
    const off_t size = (off_t)200 << 30;

    (void)state;
    open_output();
    print_text("x=1\nx=2");
    if (ftruncate(fd, size) < 0)
        skip(); /* the file system does not support files of this size */
    EXPECT("x=x=([0-9]+)", 0, 2);
    EXPECT("all:x=x=([0-9]+)", 0, 1, 2);
    print_text("x=3\n");
    EXPECT("x=x=([0-9]+)", 0, 3);
    EXPECT("all:x=x=([0-9]+)", 0, 1, 2, 3);
    close(fd);
}

/* A child process finds numbers in both outputs. A signal stops a search that would take
   forever. */
static void searches_in_a_child(void **state)
{
    volatile sig_atomic_t stop = 0;
    struct tch_metric_rule metrics[2];
    struct tch_found_numbers found[2] = {0};
    struct tch_run_outputs outputs = {.from = 4};
    tacho_error err;

    (void)state;
    open_output();
    print_text("x=1\nx=2\nx=3\n");
    outputs.fd[0] = outputs.fd[1] = fd;
    assert_int_equal(tch_metric_rule_init(&metrics[0], "all:x=x=([0-9]+)", NULL), 0);
    assert_int_equal(tch_metric_rule_init(&metrics[1], "last=x=([0-9]+)", NULL), 0);
    assert_int_equal(tch_metric_rules_find(metrics, 2, &outputs, &stop, found, &err), 0);
    assert_int_equal(found[0].values.n, 5);
    assert_float_equal(found[0].values.v[0], 2, 0);
    assert_float_equal(found[0].values.v[2], 1, 0);
    assert_int_equal(found[1].values.n, 1);
    assert_float_equal(found[1].values.v[0], 3, 0);
    tch_metric_rule_release(&metrics[1]);
    assert_int_equal(tch_metric_rule_init(&metrics[1], "a=(\\.*)(\\.*)(\\.*)\\1\\2\\3b", NULL), 0);
    print_dots(4000);
    stop = 1;
    assert_int_equal(tch_metric_rules_find(&metrics[1], 1, &outputs, &stop, found, &err),
                     TACHO_EIO);
    assert_int_equal(err.system_errno, ECANCELED);
    for (size_t i = 0; i < 2; i++) {
        tch_values_release(&found[i].values);
        tch_metric_rule_release(&metrics[i]);
    }
    close(fd);
}

/* This is the last test, because it lowers the limit of this process permanently. */
static void names_the_expression_that_is_too_expensive(void **state)
{
    struct rlimit limit = {.rlim_cur = tch_child_memory() + (16 << 20)};
    struct tch_metric_rule metrics[2];
    struct tch_found_numbers found[2] = {0};
    struct tch_run_outputs outputs = {.fd = {-1, -1}};
    tacho_error err;

    (void)state;
    open_output();
    for (uint32_t i = 0, bits = 1; i < 1000; i++, bits = bits * 1664525 + 1013904223)
        print_text(bits >> 31 ? "a" : "b");
    outputs.fd[0] = fd;
    assert_int_equal(tch_metric_rule_init(&metrics[0], "good=(b)", NULL), 0);
    assert_int_equal(tch_metric_rule_init(&metrics[1], "bad=(a|b)*a(a|b){100}c", NULL), 0);
    limit.rlim_max = limit.rlim_cur;
    assert_int_equal(setrlimit(RLIMIT_DATA, &limit), 0);
    assert_int_equal(tch_metric_rules_find(metrics, 2, &outputs, NULL, found, &err), TACHO_ELIMIT);
    assert_non_null(strstr(err.message, "metric 'bad': searching the output with '(a|b)*a"));
    assert_non_null(strstr(err.message, "MB of memory"));
    for (size_t i = 0; i < 2; i++) {
        tch_values_release(&found[i].values);
        tch_metric_rule_release(&metrics[i]);
    }
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(finds_all_and_the_last),
        TEST_IN_HOME(a_line_may_cross_blocks),
        TEST_IN_HOME(a_line_that_is_too_long_is_ignored),
        TEST_IN_HOME(holes_are_skipped),
        TEST_IN_HOME(searches_in_a_child),
        TEST_IN_HOME(names_the_expression_that_is_too_expensive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
