/* Samples: what is written reads back the same; warnings for what they show. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

#include "kit/run/advise.h"
#include "kit/run/run_sample.h"
#include "kit/run/run_summary.h"

static const struct tch_metric_name names[] = {{(char *)"tps", false}, {(char *)"each", true}};

static struct tch_run_samples empty(void)
{
    return (struct tch_run_samples){.metrics = names, .metric_count = 2};
}

/* Writes the one sample of `from` and reads it back. */
static int read_back(const char *json, struct tch_run_samples *to)
{
    return tch_run_sample_parse(json, strlen(json), to, NULL);
}

static void reads_what_it_wrote(void **state)
{
    struct tch_run_samples from = empty();
    struct tch_run_samples to = empty();
    struct tch_run_sample *sample = tch_run_samples_next(&from);
    struct tch_buf first;
    struct tch_buf second;

    (void)state;
    sample->run = 3;
    sample->pair = 4;
    sample->start_ns = 1234567890123;
    sample->status = 9;
    sample->left_running = true;
    sample->field[TCH_WALL] = 1.5e9;
    sample->field[TCH_ENERGY] = 0.25;
    assert_int_equal(tch_values_add(&sample->metrics[1], 1.5, NULL), 0);
    assert_int_equal(tch_values_add(&sample->metrics[1], -2, NULL), 0);
    from.count++;
    tch_buf_init(&first, 4096);
    tch_run_sample_write(&first, sample, &from);
    assert_int_equal(read_back(first.data, &to), 0);
    assert_int_equal(to.count, 1);
    assert_true(to.items[0].status == 9 && to.items[0].left_running && !to.items[0].timed_out);
    assert_true(isnan(to.items[0].field[TCH_USER]));
    tch_buf_init(&second, 4096);
    tch_run_sample_write(&second, &to.items[0], &to);
    assert_string_equal(first.data, second.data);
    tch_buf_release(&first);
    tch_buf_release(&second);
    tch_run_samples_release(&from);
    tch_run_samples_release(&to);
}

static void refuses_what_is_no_sample(void **state)
{
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "{\"wall_ns\":1",
        "{\"wall_ns\":\"x\"}",
        "{\"wall_ns\":-1}",
        "{\"wall_ns\":1,\"metrics\":[]}",
        "{\"wall_ns\":1,\"metrics\":{\"tps\":\"x\"}}",
        "{\"wall_ns\":1,\"metrics\":{\"each\":[1,null]}}",
        "{\"wall_ns\":1} x",
    };
    struct tch_run_samples to = empty();

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_true(read_back(bad[i], &to) < 0);
    assert_int_equal(to.count, 0);
    assert_int_equal(read_back("{\"wall_ns\":1,\"later\":{\"a\":[1]}}", &to), 0);
    tch_run_samples_release(&to);
}

/* A log has a second line where there is more to tell of a run. */
static void a_second_line_adds_to_the_run(void **state)
{
    struct tch_run_samples to = empty();

    (void)state;
    assert_int_equal(read_back("{\"run\":1,\"wall_ns\":5,\"minor_faults\":7}", &to), 0);
    assert_int_equal(
        read_back("{\"run\":1,\"wall_ns\":5,\"tree_rss_bytes\":9,\"metrics\":{\"tps\":3}}", &to),
        0);
    assert_int_equal(read_back("{\"run\":2,\"wall_ns\":6}", &to), 0);
    assert_int_equal(to.count, 2);
    assert_true(to.items[0].field[TCH_MINOR_FAULTS] == 7);
    assert_true(to.items[0].field[TCH_TREE_RSS] == 9);
    assert_int_equal(to.items[0].metrics[0].n + to.items[0].metrics[1].n, 1);
    assert_true(isnan(to.items[1].field[TCH_TREE_RSS]));
    tch_run_samples_release(&to);
}

/* Of runs that were begun together, the first may have more to tell when the next is there. */
static void a_later_line_adds_to_its_run(void **state)
{
    struct tch_run_samples to = empty();

    (void)state;
    assert_int_equal(read_back("{\"run\":1,\"wall_ns\":5}", &to), 0);
    assert_int_equal(read_back("{\"run\":2,\"wall_ns\":6}", &to), 0);
    assert_int_equal(read_back("{\"run\":3,\"wall_ns\":7}", &to), 0);
    assert_int_equal(read_back("{\"run\":1,\"wall_ns\":5,\"tree_rss_bytes\":9}", &to), 0);
    assert_int_equal(to.count, 3);
    assert_true(to.items[0].field[TCH_TREE_RSS] == 9);
    assert_true(to.items[2].field[TCH_WALL] == 7);
    tch_run_samples_release(&to);
}

static int parse_one(void *arg)
{
    struct tch_run_samples to = empty();
    int status = read_back("{\"wall_ns\":1,\"metrics\":{\"each\":[1,2],\"tps\":3}}", &to);

    (void)arg;
    tch_run_samples_release(&to);
    return status;
}

static void survives_without_memory(void **state)
{
    (void)state;
    test_every_allocation_fails(parse_one, NULL);
}

/* Samples with these wall times. */
static struct tch_run_samples with_times(const double *times, size_t n)
{
    struct tch_run_samples samples = {0};

    for (size_t i = 0; i < n; i++) {
        tch_run_samples_next(&samples)->field[TCH_WALL] = times[i];
        samples.count++;
    }
    return samples;
}

/* The codes of the warnings, with a blank behind each. */
static void warns(const double *times, size_t n, const char *want)
{
    struct tch_run_samples samples = with_times(times, n);
    struct tch_warnings w = {0};
    char codes[256] = "";
    size_t len = 0;

    assert_int_equal(tch_advise_samples(&w, &samples, NULL), 0);
    for (size_t i = 0; i < w.count; i++)
        len += (size_t)snprintf(codes + len, sizeof codes - len, "%s ", w.item[i].code);
    assert_string_equal(codes, want);
    tch_run_samples_release(&samples);
}

static void warns_of_what_the_times_show(void **state)
{
    double times[40];

    (void)state;
    for (int i = 0; i < 40; i++) /* even: 1.00 to 1.04 ms, in no order */
        times[i] = 1e6 + 1e3 * (i * 17 % 40);
    warns(times, 40, "");
    times[0] = 2e6;
    warns(times, 40, "slow-first-run ");
    times[0] = 1e6;
    times[7] = times[20] = 3e6;
    warns(times, 40, "outliers ");
    for (int i = 0; i < 40; i++)
        times[i] = 1e6 + 1e4 * i;
    warns(times, 40, "drift ");
    for (int i = 0; i < 40; i++)
        times[i] = (i * 7 % 4 < 2 ? 1e6 : 1.5e6) + 1e3 * (i * 17 % 40);
    warns(times, 40, "two-modes ");
}

static void sums_up_with_an_interval(void **state)
{
    const double values[] = {5, 1, 4, 2, 3, 6};
    struct tch_run_summary s;

    (void)state;
    assert_int_equal(tch_run_summary_of(values, 6, 0.05, &s, NULL), 0);
    assert_true(s.n == 6 && s.median == 3.5 && s.low == 1 && s.high == 6 && s.level > 0.95);
    assert_int_equal(tch_run_summary_of(values, 5, 0.05, &s, NULL), 0);
    assert_true(s.level == 0 && s.low == 1 && s.high == 5);
    assert_true(isinf(tch_run_summary_precision(&s)));
    assert_int_equal(tch_run_summary_of(values, 0, 0.05, &s, NULL), 0);
    assert_int_equal(s.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_it_wrote),
        cmocka_unit_test(refuses_what_is_no_sample),
        cmocka_unit_test(survives_without_memory),
        cmocka_unit_test(warns_of_what_the_times_show),
        cmocka_unit_test(sums_up_with_an_interval),
        cmocka_unit_test(a_second_line_adds_to_the_run),
        cmocka_unit_test(a_later_line_adds_to_its_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
