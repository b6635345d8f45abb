/* Tests energy computed from samples, and the meter that takes samples. test_power_sources.c
   tests the sources. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include <tacho/power.h>

#include "base/clock.h"
#include "base/file.h"
#include "lib/measure/under_root.h"
#include "made_up.h"
#include "support/system.h"
#include "support/vectors.h"

static void check_energy(const struct test_case *c, void *arg)
{
    struct test_json list = test_member(c->input, "samples");
    struct test_json bits = test_member(c->expect, "bits");
    size_t n = test_count(list);
    tacho_power_sample *samples = calloc(n + 1, sizeof *samples);
    tacho_power_report got = TACHO_POWER_REPORT_INIT;
    bool good = true;

    (void)arg;
    for (size_t i = 0; i < n; i++) {
        struct test_json s = test_element(list, i);

        samples[i].timestamp_us = test_u64(test_member(s, "timestamp_us"));
        samples[i].watts = test_f64_bits(test_member(s, "watts_bits"));
        good &= isfinite(samples[i].watts);
        good &= i == 0 || samples[i].timestamp_us >= samples[i - 1].timestamp_us;
    }
    assert_int_equal(tacho_power_energy(samples, n, &got, NULL), 0);
    if (!good) { /* in the reference, NaN spreads and time that runs backwards counts twice */
        assert_true(isfinite(got.joules) || got.duration_s == 0);
        assert_true(got.samples < n || got.dropped > 0);
        free(samples);
        return;
    }
    test_same_f64(c->id, got.joules, test_f64_bits(test_element(bits, 0)));
    test_same_f64(c->id, got.mean_watts, test_f64_bits(test_element(bits, 1)));
    test_same_f64(c->id, got.peak_watts, test_f64_bits(test_element(bits, 2)));
    test_same_f64(c->id, got.duration_s, test_f64_bits(test_element(bits, 3)));
    assert_int_equal(got.samples, test_u64(test_member(c->expect, "samples")));
    free(samples);
}

static void integrates_as_the_reference_does(void **state)
{
    (void)state;
    test_each_case("energy.jsonl", 23, check_energy, NULL);
}

static void integrates_by_trapezoids(void **state)
{
    tacho_power_sample samples[] = {{0, 100}, {1000000, 200}, {3000000, 0}};
    tacho_power_report got = TACHO_POWER_REPORT_INIT;

    (void)state;
    assert_int_equal(tacho_power_energy(samples, 3, &got, NULL), 0);
    assert_true(got.joules == 150 + 200 && got.duration_s == 3 && got.peak_watts == 200);
    assert_true(got.mean_watts == 100); /* mean of the readings */
    assert_int_equal(got.samples, 3);
}

/* From 1 to 2.5 s: no part of that time counts twice. */
static void time_that_runs_backwards_adds_nothing(void **state)
{
    tacho_power_sample samples[] = {{1000000, 100}, {2000000, 100}, {1500000, 100}, {2500000, 100}};
    tacho_power_report got = TACHO_POWER_REPORT_INIT;

    (void)state;
    assert_int_equal(tacho_power_energy(samples, 4, &got, NULL), 0);
    assert_true(got.joules == 150 && got.dropped == 1 && got.samples == 4 && got.estimated == 1);
    assert_true(got.duration_s == 1.5);
    assert_int_equal(tacho_power_energy(NULL, 0, &got, NULL), 0);
    assert_true(got.joules == 0 && got.mean_watts == 0 && got.peak_watts == 0);
}

static tacho_power *fixed_meter(void)
{
    tacho_power *p = NULL;
    tacho_power_source s = TACHO_POWER_SOURCE_INIT;

    assert_int_equal(tacho_power_new(NULL, &p, NULL), 0);
    assert_int_equal(tacho_power_open("fixed:100", &s, NULL), 0);
    assert_int_equal(tacho_power_add(p, &s, NULL), 0);
    return p;
}

static void a_reading_of_nan_loses_its_interval_only(void **state)
{
    tacho_power_sample samples[] = {{0, NAN},       {1000000, 100},      {2000000, 100},
                                    {3000000, NAN}, {4000000, INFINITY}, {5000000, 100},
                                    {6000000, 100}};
    tacho_power_report got = TACHO_POWER_REPORT_INIT;

    (void)state;
    assert_int_equal(tacho_power_energy(samples, 7, &got, NULL), 0);
    assert_true(got.joules == 200 && got.mean_watts == 100 && got.peak_watts == 100);
    assert_true(got.samples == 4 && got.dropped == 2); /* before the first, and from 2 s to 5 s */
    assert_true(got.duration_s == 2);                  /* the time of the 200 J */
}

/* An unknown energy is never 0 J. */
static void a_failed_reading_between_two_leaves_no_energy(void **state)
{
    tacho_power_sample samples[] = {{0, 100}, {1000000, NAN}, {2000000, 100}, {3000000, 100}};
    tacho_power_report got = TACHO_POWER_REPORT_INIT;

    (void)state;
    assert_int_equal(tacho_power_energy(samples, 3, &got, NULL), 0);
    assert_true(isnan(got.joules) && got.duration_s == 0 && got.dropped == 1);
    assert_true(got.samples == 2 && got.last_watts == 100);
    assert_string_equal(tacho_power_status(&got), "unavailable");
    assert_int_equal(tacho_power_energy(samples, 4, &got, NULL), 0);
    assert_true(got.joules == 100 && got.duration_s == 1 && got.dropped == 1);
    assert_string_equal(tacho_power_status(&got), "estimated");
}

static void a_fixed_source_over_a_real_second(void **state)
{
    tacho_power *p = fixed_meter();
    tacho_power_report report = TACHO_POWER_REPORT_INIT;
    uint64_t at[4];
    struct took t;

    (void)state;
    at[0] = tch_now_ns();
    assert_int_equal(tacho_power_poll(p, NULL), 0);
    at[1] = tch_now_ns();
    for (int i = 0; i < 10; i++) {
        sleep_ns(100000000);
        at[2] = tch_now_ns();
        assert_int_equal(tacho_power_poll(p, NULL), 0);
    }
    at[3] = tch_now_ns();
    t = took(at);
    assert_int_equal(tacho_power_report_at(p, 0, &report, NULL), 0);
    assert_true(report.joules >= 99 * t.least && report.joules <= 101 * t.most);
    assert_true(report.mean_watts == 100 && report.peak_watts == 100 && report.estimated == 1);
    assert_true(report.samples == 11 && report.dropped == 0);
    assert_true(tacho_power_now(p) == 100 && report.last_watts == 100);
    tacho_power_free(p);
}

static void a_thread_samples_until_it_is_stopped(void **state)
{
    tacho_power *p = fixed_meter();
    tacho_power_report report = TACHO_POWER_REPORT_INIT;

    (void)state;
    assert_int_equal(tacho_power_start(p, 0, NULL), TACHO_EINVAL);
    assert_int_equal(tacho_power_start(p, 5000000, NULL), 0);
    assert_int_equal(tacho_power_start(p, 5000000, NULL), TACHO_EALREADY);
    do {
        sleep_ns(10000000);
        assert_int_equal(tacho_power_report_at(p, 0, &report, NULL), 0);
    } while (report.samples < 5);
    assert_int_equal(tacho_power_stop(p, NULL), 0);
    assert_int_equal(tacho_power_stop(p, NULL), 0);
    assert_int_equal(tacho_power_report_at(p, 0, &report, NULL), 0);
    assert_true(report.duration_s > 0 && report.samples >= 6);
    assert_true(fabs(report.joules / (100 * report.duration_s) - 1) < 1e-9);
    tacho_power_free(p);
}

static void the_samples_are_kept_and_written(void **state)
{
    tacho_power *p = NULL;
    tacho_power_source s = TACHO_POWER_SOURCE_INIT;
    tacho_power_sample sample;
    tacho_error err;
    size_t source = 9;
    char name[160];
    struct tch_buf text;

    (void)state;
    tch_buf_init(&text, 1000);
    put("in.csv", "timestamp_us,source,watts,joules\n"
                  "1000000,x,10,0\n2000000,x,30,0\n2500000,x,50,0\n");
    snprintf(name, sizeof name, "replay:%s", test_at("in.csv"));
    assert_int_equal(tacho_power_new(NULL, &p, NULL), 0);
    assert_int_equal(tacho_power_poll(p, &err), TACHO_EINVAL);
    assert_non_null(strstr(err.message, "tacho_power_add"));
    assert_int_equal(tacho_power_open(name, &s, NULL), 0);
    assert_int_equal(tacho_power_add(p, &s, NULL), 0);
    for (int i = 0; i < 4; i++) /* the fourth reading fails */
        assert_int_equal(tacho_power_poll(p, NULL), 0);
    assert_int_equal(tacho_power_sample_count(p), 3);
    assert_int_equal(tacho_power_sample_dropped(p), 0);
    assert_int_equal(tacho_power_sample_at(p, 1, &sample, &source, NULL), 0);
    assert_true(sample.timestamp_us == 2000000 && sample.watts == 30 && source == 0);
    assert_int_equal(tacho_power_sample_at(p, 2, &sample, NULL, NULL), 0);
    assert_int_equal(tacho_power_sample_at(p, 3, &sample, NULL, &err), TACHO_EINVAL);
    assert_int_equal(tacho_power_write_csv(p, test_at("new/power.csv"), NULL), 0);
    assert_int_equal(tch_file_read(test_at("new/power.csv"), 1000, &text, NULL), 0);
    assert_string_equal(text.data, "timestamp_us,source,watts,joules\n"
                                   "1000000,replay:recorded:estimated,10,0\n"
                                   "2000000,replay:recorded:estimated,30,20\n"
                                   "2500000,replay:recorded:estimated,50,40\n");
    tch_buf_release(&text);
    tacho_power_free(p);
}

static void a_replay_is_exact(void **state)
{
    tacho_power *p = NULL;
    tacho_power_source s = TACHO_POWER_SOURCE_INIT;
    tacho_power_report report = TACHO_POWER_REPORT_INIT;
    char name[160];

    (void)state;
    put("in.csv", "timestamp_us,source,watts,joules\n"
                  "1000000,x,10,0\n2000000,x,30,0\n2500000,x,50,0\n2400000,x,1000,0\n");
    snprintf(name, sizeof name, "replay:%s", test_at("in.csv"));
    assert_int_equal(tacho_power_open(name, &s, NULL), 0);
    assert_int_equal(tacho_power_new(NULL, &p, NULL), 0);
    assert_int_equal(tacho_power_add(p, &s, NULL), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(tacho_power_poll(p, NULL), 0);
    assert_int_equal(tacho_power_report_at(p, 0, &report, NULL), 0);
    assert_true(report.joules == 20 + 20 && report.peak_watts == 1000 && report.samples == 4);
    assert_int_equal(report.dropped, 1);
    assert_int_equal(tacho_power_poll(p, NULL),
                     0); /* the replay has ended, so one more reading is missing */
    assert_int_equal(tacho_power_report_at(p, 0, &report, NULL), 0);
    assert_true(report.dropped == 2 && report.samples == 4);
    tacho_power_free(p);
}

/* A source that a user of the library implements. */
struct counter {
    double joules;
    int closed;
};

static int counter_read(void *ctx, tacho_power_reading *ret, tacho_error *err)
{
    struct counter *c = ctx;

    (void)err;
    ret->joules = c->joules += 4;
    ret->timestamp_us = (uint64_t)(c->joules * 1000000);
    return 0;
}

static void counter_close(void *ctx)
{
    ((struct counter *)ctx)->closed++;
}

static void reads_a_source_of_the_caller(void **state)
{
    struct counter c = {0};
    tacho_power_source s = {sizeof s, "mine", &c, counter_read, counter_close, "", "", 0};
    tacho_power *p = NULL;
    tacho_power_report report = TACHO_POWER_REPORT_INIT;
    tacho_error err;

    (void)state;
    setenv("TACHO_RUN_DIR", test_home, 1);
    assert_int_equal(tacho_power_new("gpu", &p, NULL), 0);
    unsetenv("TACHO_RUN_DIR");
    assert_string_equal(tacho_power_label(p), "gpu");
    for (int i = 0; i < 8; i++)
        assert_int_equal(tacho_power_add(p, &s, NULL), 0);
    assert_int_equal(tacho_power_add(p, &s, &err), TACHO_ELIMIT);
    assert_int_equal(tacho_power_poll(p, NULL), 0);
    assert_int_equal(tacho_power_poll(p, NULL), 0);
    assert_int_equal(tacho_power_report_at(p, 0, &report, NULL), 0);
    assert_true(report.joules == 32 && report.mean_watts == 1 && report.estimated == 0);
    assert_true(tacho_power_now(p) == 8);
    tacho_power_free(p);
    assert_int_equal(c.closed, 8);
    {
        char path[160];
        struct tch_buf b;

        snprintf(path, sizeof path, "%s/power.%ld.csv", test_home, (long)getpid());
        tch_buf_init(&b, 65536);
        assert_int_equal(tch_file_read(path, 65536, &b, NULL), 0);
        assert_ptr_equal(strstr(b.data, "timestamp_us,source,watts,joules\n"
                                        "4000000,mine:-:measured,NaN,0\n"),
                         b.data);
        assert_non_null(strstr(b.data, "36000000,mine:-:measured,1,32\n"));
        tch_buf_release(&b);
    }
}

/* A source of watts. Each character of the script is one reading: 'g' succeeds, 'n' gives NaN,
   anything else fails. */
struct script {
    const char *next;
    uint64_t now_us;
};

static int script_read(void *ctx, tacho_power_reading *ret, tacho_error *err)
{
    struct script *s = ctx;
    char what = *s->next++;

    (void)err;
    s->now_us += 1000000;
    ret->timestamp_us = s->now_us;
    if (what == 'g')
        ret->watts = 10;
    return what == 'g' || what == 'n' ? 0 : TACHO_EIO;
}

static tacho_power_report report_of_script(const char *script)
{
    struct script s = {script, 0};
    tacho_power_source source = {sizeof source, "mine", &s, script_read, NULL, "", "", 0};
    tacho_power_report report = TACHO_POWER_REPORT_INIT;
    tacho_power *p = NULL;

    assert_int_equal(tacho_power_new(NULL, &p, NULL), 0);
    assert_int_equal(tacho_power_add(p, &source, NULL), 0);
    for (size_t i = 0; i < strlen(script); i++)
        assert_int_equal(tacho_power_poll(p, NULL), 0);
    assert_int_equal(tacho_power_report_at(p, 0, &report, NULL), 0);
    tacho_power_free(p);
    return report;
}

static void failed_readings_are_counted_and_never_0_joules(void **state)
{
    static const struct {
        const char *script;
        double joules, seconds;
        uint64_t samples, dropped;
    } cases[] = {
        {"", NAN, 0, 0, 0},      {"g", 0, 0, 1, 0},         {"f", NAN, 0, 0, 1},
        {"fff", NAN, 0, 0, 1},   {"nnn", NAN, 0, 0, 1},     {"fg", NAN, 0, 1, 1},
        {"gf", NAN, 0, 1, 1},    {"gfg", NAN, 0, 2, 1},     {"gnfg", NAN, 0, 2, 1},
        {"gfgfg", NAN, 0, 3, 2}, {"gfgg", 10, 1, 3, 1},     {"ggfg", 10, 1, 3, 1},
        {"fggf", 10, 1, 2, 2},   {"ggnggfgg", 30, 3, 6, 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tacho_power_report r = report_of_script(cases[i].script);
        bool known = !isnan(cases[i].joules) && cases[i].samples > 1;

        assert_true(isnan(cases[i].joules) ? isnan(r.joules) : r.joules == cases[i].joules);
        assert_true(r.duration_s == cases[i].seconds);
        assert_int_equal(r.samples, cases[i].samples);
        assert_int_equal(r.dropped, cases[i].dropped);
        assert_string_equal(tacho_power_status(&r), known ? "estimated" : "unavailable");
    }
}

/* A row for a failed reading would repeat the watts of the row before. */
static void a_failed_reading_writes_no_row(void **state)
{
    char path[160];
    struct tch_buf b;

    (void)state;
    setenv("TACHO_RUN_DIR", test_home, 1);
    (void)report_of_script("gfngg");
    unsetenv("TACHO_RUN_DIR");
    /* .2: the test before has opened the first file of this process */
    snprintf(path, sizeof path, "%s/power.%ld.2.csv", test_home, (long)getpid());
    tch_buf_init(&b, 65536);
    assert_int_equal(tch_file_read(path, 65536, &b, NULL), 0);
    assert_string_equal(b.data, "timestamp_us,source,watts,joules\n"
                                "1000000,mine:-:estimated,10,0\n"
                                "4000000,mine:-:estimated,10,NaN\n"
                                "5000000,mine:-:estimated,10,10\n");
    tch_buf_release(&b);
}

static void a_tree_gets_its_share(void **state)
{
    uint64_t busy;
    tacho_error err;

    (void)state;
    assert_true(tacho_power_share(100, 20, 2, 500, 1000) == 30);
    assert_true(tacho_power_share(100, 80, 2, 500, 1000) == 0);
    assert_true(tacho_power_share(100, 0, 2, 3000, 1000) == 100);
    assert_true(tacho_power_share(100, 0, 2, 0, 0) == 0);
    put("proc/stat", "cpu  100 10 50 9999 500 3 2 7 0 0\ncpu0 1 2 3\n");
    assert_int_equal(tch_cpu_busy(test_home, &busy, NULL), 0);
    assert_true(busy == 165 * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK)));
    put("proc/stat", "nonsense\n");
    assert_int_equal(tch_cpu_busy(test_home, &busy, &err), TACHO_EIO);
    assert_int_equal(tch_cpu_busy("/nonexistent", &busy, &err), TACHO_EIO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrates_as_the_reference_does),
        cmocka_unit_test(integrates_by_trapezoids),
        cmocka_unit_test(time_that_runs_backwards_adds_nothing),
        cmocka_unit_test(a_reading_of_nan_loses_its_interval_only),
        cmocka_unit_test(a_failed_reading_between_two_leaves_no_energy),
        cmocka_unit_test(a_fixed_source_over_a_real_second),
        cmocka_unit_test(a_thread_samples_until_it_is_stopped),
        TEST_IN_HOME(the_samples_are_kept_and_written),
        TEST_IN_HOME(a_replay_is_exact),
        TEST_IN_HOME(reads_a_source_of_the_caller),
        cmocka_unit_test(failed_readings_are_counted_and_never_0_joules),
        TEST_IN_HOME(a_failed_reading_writes_no_row),
        TEST_IN_HOME(a_tree_gets_its_share),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
