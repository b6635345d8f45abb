/* Tests the description of energy figures: domain, update interval, and which process counts
   them. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tacho/power.h>

#include "lib/measure/power/power_meter.h"
#include "lib/measure/under_root.h"
#include "made_up.h"
#include "support/system.h"

static void put_package(const char *energy)
{
    put("sys/class/powercap/intel-rapl:0/name", "package-0\n");
    put("sys/class/powercap/intel-rapl:0/energy_uj", energy);
    put("sys/class/powercap/intel-rapl:0/max_energy_range_uj", "262143328850\n");
}

static tacho_power *meter_of(const char *name)
{
    tacho_power_source s = TACHO_POWER_SOURCE_INIT;
    tacho_power *p = NULL;

    assert_int_equal(tacho_power_new(NULL, &p, NULL), 0);
    assert_int_equal(tch_power_open(name, test_home, &s, NULL), 0);
    assert_int_equal(tacho_power_add(p, &s, NULL), 0);
    return p;
}

static tacho_power_report report_of(tacho_power *p)
{
    tacho_power_report r = TACHO_POWER_REPORT_INIT;

    assert_int_equal(tacho_power_report_at(p, 0, &r, NULL), 0);
    return r;
}

static void check_domain(const char *name, const char *domain, uint64_t update_us)
{
    tacho_power *p = meter_of(name);
    tacho_power_report r = report_of(p);

    assert_string_equal(r.domain, domain);
    assert_int_equal(r.update_us, update_us);
    tacho_power_free(p);
}

static void every_source_names_its_domain(void **state)
{
    (void)state;
    put_package("1\n");
    check_domain("rapl", "package-0", 1000);
    put("sys/class/powercap/intel-rapl:1/name", "package-1\n");
    put("sys/class/powercap/intel-rapl:1/energy_uj", "1\n");
    check_domain("rapl", "package-0+package-1", 1000);
    put("sys/class/hwmon/hwmon0/power1_average", "25000000\n");
    check_domain("hwmon", "hwmon0", 1000000);
    put("sys/class/power_supply/BAT0/status", "Discharging\n");
    put("sys/class/power_supply/BAT0/power_now", "9000000\n");
    check_domain("battery", "BAT0", 10000000);
    check_domain("fixed:5", "given", 0);
}

static void a_sensor_says_how_often_it_updates(void **state)
{
    (void)state;
    put("sys/class/hwmon/hwmon0/power1_average", "25000000\n");
    put("sys/class/hwmon/hwmon0/name", "power_meter\n");
    put("sys/class/hwmon/hwmon0/power1_average_interval", "2000\n");
    put("sys/class/hwmon/hwmon1/power1_input", "5000000\n");
    put("sys/class/hwmon/hwmon1/name", "ina226\n");
    put("sys/class/hwmon/hwmon1/update_interval", "35\n");
    check_domain("hwmon", "power_meter+ina226", 2000000); /* the interval of the slower one */
}

static void a_counter_is_measured_and_watts_are_estimated(void **state)
{
    tacho_power *p;
    tacho_power_report r;

    (void)state;
    put_package("1000000\n");
    p = meter_of("rapl");
    r = report_of(p);
    assert_string_equal(tacho_power_status(&r), "unavailable"); /* it was never read */
    assert_int_equal(tacho_power_poll(p, NULL), 0);
    put_package("4000000\n");
    assert_int_equal(tacho_power_poll(p, NULL), 0);
    r = report_of(p);
    assert_string_equal(tacho_power_status(&r), "measured");
    assert_true(r.joules == 3);
    tacho_power_free(p);

    p = meter_of("fixed:5");
    for (int i = 0; i < 2; i++)
        assert_int_equal(tacho_power_poll(p, NULL), 0);
    r = report_of(p);
    assert_string_equal(tacho_power_status(&r), "estimated");
    tacho_power_free(p);
}

struct steps {
    unsigned reads;
    unsigned each; /* number of readings between two steps; 0: it never moves */
};

static int read_steps(void *ctx, tacho_power_reading *ret, tacho_error *err)
{
    struct steps *s = ctx;

    (void)err;
    s->reads++;
    ret->joules = s->each > 0 ? s->reads / s->each : 7;
    return 0;
}

static uint64_t update_of(unsigned each, unsigned *reads)
{
    struct steps steps = {.each = each};
    tacho_power_source s = {sizeof s, "mine", &steps, read_steps, NULL, "", "", 1000};

    tch_power_find_update(&s);
    *reads = steps.reads;
    return s.update_us;
}

/* Ten steps are observed, and the interval is the mean of the nine between them. For a counter
   that moves with every reading it is the time of one reading, which is at least the pause of
   100 us. */
static void finds_how_often_a_counter_moves(void **state)
{
    unsigned reads;
    uint64_t each = update_of(1, &reads);

    (void)state;
    assert_int_equal(reads, 11);
    assert_true(each >= 100);
    assert_true(update_of(4, &reads) >= 400);
    assert_in_range(reads, 40, 44);
    assert_int_equal(update_of(0, &reads), 300000); /* it did not move within that time */
}

static void watts_keep_the_rate_that_the_source_says(void **state)
{
    tacho_power *p;

    (void)state;
    put("sys/class/hwmon/hwmon0/power1_average", "25000000\n");
    p = meter_of("hwmon");
    tch_power_find_updates(p);
    assert_int_equal(report_of(p).update_us, 1000000);
    tacho_power_free(p);
}

/* Runs a meter in another process. Returns who counts, as its exit status: 0 (that process), 1
   (`holder`) or 2 (another one). */
static int counts_elsewhere(pid_t holder, const char *run)
{
    pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        tacho_power *p;
        tacho_power_report r;

        if (run)
            setenv("TACHO_RUN_DIR", run, 1);
        else
            unsetenv("TACHO_RUN_DIR");
        p = meter_of("rapl");
        for (int i = 0; i < 2; i++)
            assert_int_equal(tacho_power_poll(p, NULL), 0);
        r = report_of(p);
        if (r.counted_by == 0)
            _exit(strcmp(tacho_power_status(&r), "measured") == 0 ? 0 : 2);
        _exit(r.counted_by == (uint64_t)holder && isnan(r.joules) && r.samples == 0 &&
                      isnan(tacho_power_now(p)) &&
                      strcmp(tacho_power_status(&r), "unavailable") == 0
                  ? 1
                  : 2);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void two_trackers_count_once(void **state)
{
    tacho_power *first;
    tacho_power *second;

    (void)state;
    unsetenv("TACHO_RUN_DIR");
    put_package("1000000\n");
    first = meter_of("rapl");
    second =
        meter_of("rapl"); /* in the same process, for example in an inner part of the program */
    assert_int_equal(report_of(second).counted_by, 0);
    assert_int_equal(counts_elsewhere(getpid(), NULL), 1);
    tacho_power_free(first);
    assert_int_equal(counts_elsewhere(getpid(), NULL), 1);
    tacho_power_free(second);
    assert_int_equal(counts_elsewhere(getpid(), NULL), 0);
}

/* tacho counts at the same time as the program that it runs. Of the processes of a run, one
   counts. */
static void ranks_of_one_run_count_once(void **state)
{
    tacho_power *rank;

    (void)state;
    put_package("1000000\n");
    setenv("TACHO_RUN_DIR", test_home, 1);
    rank = meter_of("rapl");
    assert_int_equal(counts_elsewhere(getpid(), test_home), 1);
    assert_int_equal(counts_elsewhere(getpid(), NULL), 0);
    tacho_power_free(rank);
    unsetenv("TACHO_RUN_DIR");
}

static void made_up_watts_count_beside_any_other(void **state)
{
    tacho_power_source s = TACHO_POWER_SOURCE_INIT;

    (void)state;
    assert_int_equal(tacho_power_open("fixed:5", &s, NULL), 0);
    assert_string_equal(s.counts, "");
    s.close(s.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(every_source_names_its_domain),
        TEST_IN_HOME(a_sensor_says_how_often_it_updates),
        TEST_IN_HOME(a_counter_is_measured_and_watts_are_estimated),
        cmocka_unit_test(finds_how_often_a_counter_moves),
        TEST_IN_HOME(watts_keep_the_rate_that_the_source_says),
        TEST_IN_HOME(two_trackers_count_once),
        TEST_IN_HOME(ranks_of_one_run_count_once),
        cmocka_unit_test(made_up_watts_count_beside_any_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
