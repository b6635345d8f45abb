/* Tests that samples are read back as they were written, and the warnings about them. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/random.h"
#include "kit/run/advise.h"
#include "kit/run/run_sample.h"
#include "kit/run/run_summary.h"
#include "kit/run/spawner/spawner_parts.h"

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
    struct tch_run_samples to = empty();

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_true(read_back(bad[i], &to) < 0);
    assert_int_equal(to.count, 0);
    assert_int_equal(read_back("{\"wall_ns\":1,\"later\":{\"a\":[1]}}", &to), 0);
    tch_run_samples_release(&to);
}

/* The spawner writes the line of a run without metrics and energy. It must be the same text. */
static void the_spawners_line_is_the_same(void **state)
{
    const int statuses[] = {0, 3 << 8, 9};
    struct tch_run_samples none = {0};
    struct tch_run_sample *sample = tch_run_samples_next(&none);
    char line[TCH_RUN_SAMPLE_TEXT];
    struct tch_buf b;
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    for (int i = 0; i < TCH_FIELDS; i++)
        if (i != TCH_ENERGY && i != TCH_CYCLES)
            sample->field[i] = 9007199254740991.0 - i;
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        ssize_t n;

        sample->run = UINT32_MAX;
        sample->pair = sample->start_ns = UINT64_MAX;
        sample->status = statuses[i];
        sample->timed_out = sample->left_running = i > 0;
        assert_int_equal(tch_spawner_log(ends[1], sample), 0);
        n = read(ends[0], line, sizeof line);
        tch_buf_init(&b, 4096);
        tch_run_sample_write(&b, sample, &none);
        tch_buf_addc(&b, '\n');
        assert_int_equal(n, b.len);
        assert_memory_equal(line, b.data, b.len);
        tch_buf_release(&b);
    }
    assert_non_null(memmem(line, sizeof line, "\"exit_status\":137,\"signal\":9,", 29));
    close(ends[0]);
    close(ends[1]);
    tch_run_samples_release(&none);
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

/* Returns samples with these wall times. */
static struct tch_run_samples with_times(const double *times, size_t n)
{
    struct tch_run_samples samples = {0};

    for (size_t i = 0; i < n; i++) {
        tch_run_samples_next(&samples)->field[TCH_WALL] = times[i];
        samples.count++;
    }
    return samples;
}

/* Compares the codes of the warnings, with a blank after each. */
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
    struct tch_run_samples samples;
    struct tch_warnings w = {0};

    (void)state;
    for (int i = 0; i < 40; i++)
        times[i] = (i * 7 % 4 < 2 ? 10e9 : 15e9) + 1e6 * (i * 17 % 40);
    samples = with_times(times, 40);
    assert_int_equal(tch_advise_samples(&w, &samples, NULL), 0);
    assert_int_equal(w.count, 1);
    assert_string_equal(w.item[0].text,
                        "the runs fall into two groups, 20 about 10.02 s and 20 about 15.02 s");
    tch_run_samples_release(&samples);
}

static void a_single_outlier_is_singular(void **state)
{
    double times[20];
    struct tch_run_samples samples;
    struct tch_warnings w = {0};

    (void)state;
    for (int i = 0; i < 20; i++)
        times[i] = 1e6 + 1e3 * (i * 7 % 20);
    times[9] = 5e6;
    samples = with_times(times, 20);
    assert_int_equal(tch_advise_samples(&w, &samples, NULL), 0);
    assert_int_equal(w.count, 1);
    assert_non_null(strstr(w.item[0].text, "1 of 20 runs is far from the others"));
    tch_run_samples_release(&samples);
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
            struct tch_run_samples samples;
            struct tch_warnings w = {0};

            for (size_t i = 0; i < sizes[k]; i++)
                times[i] = 1e6 - 1e6 * log(1 - (double)(tch_random_bits(&seed) >> 11) * 0x1p-53);
            samples = with_times(times, sizes[k]);
            assert_int_equal(tch_advise_samples(&w, &samples, NULL), 0);
            for (size_t i = 0; i < w.count; i++) {
                outliers += strcmp(w.item[i].code, "outliers") == 0;
                modes += strcmp(w.item[i].code, "two-modes") == 0;
            }
            tch_run_samples_release(&samples);
        }
        printf("%zu exponential times: outliers %.1f %%, two modes %.1f %%\n", sizes[k],
               outliers / 5.0, modes / 5.0);
        assert_true(outliers <= 40 && modes <= 15);
    }
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
    assert_int_equal(
        tch_run_summary_of((double[]){0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 7, 0.05, &s, NULL), 0);
    assert_true(s.mean == 0.1 && s.stddev == 0); /* although their sum is not exactly 0.7 */
    assert_int_equal(tch_run_summary_of(values, 0, 0.05, &s, NULL), 0);
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
