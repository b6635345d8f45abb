/* Tests that the samples of results are read back as they were written, and the warnings about
 * them. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "kit/result/advise.h"
#include "kit/result/result.h"
#include "kit/result/summary.h"
#include "kit/run/spawner/spawner_parts.h"
#include "kit/stats/random.h"

/* Makes a result with two metrics of the user's. */
static struct tch_result empty(void)
{
    struct tch_result r;
    struct tch_metric m;

    assert_int_equal(tch_result_init(&r, NULL), 0);
    tch_metric_describe(&m, "tps", false);
    assert_int_equal(tch_result_add_column(&r, &m, NULL), TCH_FIELDS);
    tch_metric_describe(&m, "each", true);
    assert_int_equal(tch_result_add_column(&r, &m, NULL), TCH_FIELDS + 1);
    return r;
}

static int read_back(const char *json, struct tch_result *to)
{
    return tch_result_parse_run(to, json, strlen(json), NULL);
}

static void reads_what_it_wrote(void **state)
{
    struct tch_result from = empty();
    struct tch_result to = empty();
    struct tch_result_run run = {
        .run = 3, .pair = 4, .start_ns = 1234567890123, .status = 9, .left_running = true};
    struct tch_column *each = &from.columns[TCH_FIELDS + 1];
    struct tch_buf first;
    struct tch_buf second;

    (void)state;
    assert_int_equal(tch_result_add_run(&from, &run, NULL), 0);
    from.columns[TCH_WALL].value[0] = 1.5e9;
    from.columns[TCH_SYSTEM].value[0] = 0.785; /* another tool may know fractions */
    from.columns[TCH_ENERGY].value[0] = 0.25;
    assert_int_equal(tch_column_add(each, 0, 1.5, NULL), 0);
    assert_int_equal(tch_column_add(each, 0, -2, NULL), 0);
    tch_buf_init(&first, 4096);
    tch_result_write_run(&first, &from, 0);
    assert_non_null(strstr(first.data, "\"wall_ns\":1500000000,\"system_ns\":0.785,"));
    assert_int_equal(read_back(first.data, &to), 0);
    assert_int_equal(to.run_count, 1);
    assert_true(to.runs[0].status == 9 && to.runs[0].left_running && !to.runs[0].timed_out);
    assert_true(isnan(tch_result_value(&to, TCH_USER, 0)));
    tch_buf_init(&second, 4096);
    tch_result_write_run(&second, &to, 0);
    assert_string_equal(first.data, second.data);
    tch_buf_release(&first);
    tch_buf_release(&second);
    tch_result_release(&from);
    tch_result_release(&to);
}

static void refuses_invalid_samples(void **state)
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
    struct tch_result to = empty();

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_true(read_back(bad[i], &to) < 0);
    assert_int_equal(to.run_count, 0);
    assert_int_equal(read_back("{\"wall_ns\":1,\"later\":{\"a\":[1]}}", &to), 0);
    tch_result_release(&to);
}

/* The spawner writes the line of a run without metrics and energy. It must be the same text. */
static void the_spawners_line_is_the_same(void **state)
{
    const int statuses[] = {0, 3 << 8, 9};
    struct tch_run_sample sample = {.run = {.run = UINT32_MAX}};
    struct tch_result none;
    char line[2048];
    struct tch_buf b;
    int ends[2];

    (void)state;
    tch_spawner_log_init();
    assert_int_equal(pipe(ends), 0);
    for (int i = 0; i < TCH_FIELDS; i++)
        sample.field[i] = i < TCH_ENERGY && i != TCH_CYCLES ? 9007199254740991.0 - i : (double)NAN;
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        ssize_t n;

        sample.run.pair = sample.run.start_ns = UINT64_MAX;
        sample.run.status = statuses[i];
        sample.run.timed_out = sample.run.left_running = i > 0;
        assert_int_equal(tch_spawner_log(ends[1], &sample), 0);
        n = read(ends[0], line, sizeof line);
        assert_int_equal(tch_result_init(&none, NULL), 0);
        assert_int_equal(tch_result_add_run(&none, &sample.run, NULL), 0);
        tch_result_set_fields(&none, sample.field);
        tch_buf_init(&b, 4096);
        tch_result_write_run(&b, &none, 0);
        tch_buf_addc(&b, '\n');
        assert_int_equal(n, b.len);
        assert_memory_equal(line, b.data, b.len);
        tch_buf_release(&b);
        tch_result_release(&none);
    }
    assert_non_null(memmem(line, sizeof line, "\"exit_status\":137,\"signal\":9,", 29));
    close(ends[0]);
    close(ends[1]);
}

static int parse_one(void *arg)
{
    struct tch_result to;
    int status = tch_result_init(&to, NULL);
    struct tch_metric m;

    (void)arg;
    tch_metric_describe(&m, "each", true);
    if (status == 0)
        status = tch_result_add_column(&to, &m, NULL) < 0 ? TACHO_ENOMEM : 0;
    if (status == 0)
        status = read_back("{\"wall_ns\":1,\"metrics\":{\"each\":[1,2],\"tps\":3}}", &to);
    tch_result_release(&to);
    return status;
}

static void survives_without_memory(void **state)
{
    (void)state;
    test_every_allocation_fails(parse_one, NULL);
}

/* Returns a result with these wall times. */
static struct tch_result with_times(const double *times, size_t n)
{
    struct tch_result r;

    assert_int_equal(tch_result_init(&r, NULL), 0);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(tch_result_add_run(&r, &(struct tch_result_run){0}, NULL), 0);
        r.columns[TCH_WALL].value[i] = times[i];
    }
    return r;
}

/* Compares the codes of the warnings, with a blank after each. */
static void warns(const double *times, size_t n, const char *want)
{
    struct tch_result r = with_times(times, n);
    struct tch_warnings *w = &r.warnings;
    char codes[256] = "";
    size_t len = 0;

    assert_int_equal(tch_advise(&r, NULL), 0);
    for (size_t i = 0; i < w->count; i++)
        len += (size_t)snprintf(codes + len, sizeof codes - len, "%s ", w->item[i].code);
    assert_string_equal(codes, want);
    tch_result_release(&r);
}

static void warns_of_what_the_times_show(void **state)
{
    double times[40];

    (void)state;
    for (int i = 0; i < 40; i++) /* evenly spread from 1.00 to 1.04 ms, in no order */
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

static void names_the_times_of_two_modes_with_their_unit(void **state)
{
    double times[40];
    struct tch_result r;
    struct tch_warnings *w = &r.warnings;

    (void)state;
    for (int i = 0; i < 40; i++)
        times[i] = (i * 7 % 4 < 2 ? 10e9 : 15e9) + 1e6 * (i * 17 % 40);
    r = with_times(times, 40);
    assert_int_equal(tch_advise(&r, NULL), 0);
    assert_int_equal(w->count, 1);
    assert_string_equal(w->item[0].text,
                        "the runs fall into two groups, 20 about 10.02 s and 20 about 15.02 s");
    tch_result_release(&r);
}

static void a_single_outlier_is_singular(void **state)
{
    double times[20];
    struct tch_result r;
    struct tch_warnings *w = &r.warnings;

    (void)state;
    for (int i = 0; i < 20; i++)
        times[i] = 1e6 + 1e3 * (i * 7 % 20);
    times[9] = 5e6;
    r = with_times(times, 20);
    assert_int_equal(tch_advise(&r, NULL), 0);
    assert_int_equal(w->count, 1);
    assert_non_null(strstr(w->item[0].text, "1 of 20 runs is far from the others"));
    tch_result_release(&r);
}

/* Exponential times have far values and no second mode. */
static void skewed_times_seldom_warn(void **state)
{
    static const size_t sizes[] = {10, 20, 40, 100};
    uint64_t seed = 29;

    (void)state;
    for (size_t k = 0; k < 4; k++) {
        int outliers = 0;
        int modes = 0;

        for (int round = 0; round < 500; round++) {
            double times[100];
            struct tch_result r;
            struct tch_warnings *w = &r.warnings;

            for (size_t i = 0; i < sizes[k]; i++)
                times[i] = 1e6 - 1e6 * log(1 - (double)(tch_random_bits(&seed) >> 11) * 0x1p-53);
            r = with_times(times, sizes[k]);
            assert_int_equal(tch_advise(&r, NULL), 0);
            for (size_t i = 0; i < w->count; i++) {
                outliers += strcmp(w->item[i].code, "outliers") == 0;
                modes += strcmp(w->item[i].code, "two-modes") == 0;
            }
            tch_result_release(&r);
        }
        printf("%zu exponential times: outliers %.1f %%, two modes %.1f %%\n", sizes[k],
               outliers / 5.0, modes / 5.0);
        assert_true(outliers <= 40 && modes <= 15);
    }
}

static void sums_up_with_an_interval(void **state)
{
    const double values[] = {5, 1, 4, 2, 3, 6};
    struct tch_summary s;

    (void)state;
    assert_int_equal(tch_summary_of(values, 6, 0.05, &s, NULL), 0);
    assert_true(s.n == 6 && s.median == 3.5 && s.low == 1 && s.high == 6 && s.level > 0.95);
    assert_int_equal(tch_summary_of(values, 5, 0.05, &s, NULL), 0);
    assert_true(s.level == 0 && s.low == 1 && s.high == 5);
    assert_true(isinf(tch_summary_precision(&s)));
    assert_int_equal(
        tch_summary_of((double[]){0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 7, 0.05, &s, NULL), 0);
    assert_true(s.mean == 0.1 && s.stddev == 0); /* although their sum is not exactly 0.7 */
    assert_int_equal(tch_summary_of(values, 0, 0.05, &s, NULL), 0);
    assert_int_equal(s.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_it_wrote),
        cmocka_unit_test(refuses_invalid_samples),
        cmocka_unit_test(survives_without_memory),
        cmocka_unit_test(warns_of_what_the_times_show),
        cmocka_unit_test(names_the_times_of_two_modes_with_their_unit),
        cmocka_unit_test(a_single_outlier_is_singular),
        cmocka_unit_test(skewed_times_seldom_warn),
        cmocka_unit_test(sums_up_with_an_interval),
        cmocka_unit_test(the_spawners_line_is_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
