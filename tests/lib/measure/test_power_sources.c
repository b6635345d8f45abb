/* Tests power sources on made-up machines: which ones exist, what they read, what they refuse. */
#include "support/test.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tacho/power.h>

#include "base/clock.h"
#include "lib/measure/power/power_meter.h"
#include "lib/measure/under_root.h"
#include "made_up.h"
#include "support/system.h"

static void take_away(const char *name)
{
    assert_int_equal(unlink(test_at(name)), 0);
}

static tacho_power_source open_source(const char *name)
{
    tacho_power_source source = TACHO_POWER_SOURCE_INIT;
    tacho_error err;

    if (tch_power_open(name, test_home, &source, &err) < 0)
        fail_msg("%s", err.message);
    assert_string_equal(source.name, name);
    return source;
}

static double joules_of(const tacho_power_source *source)
{
    tacho_power_reading r = {.joules = NAN, .watts = NAN};

    assert_int_equal(source->read(source->ctx, &r, NULL), 0);
    return r.joules;
}

static double watts_of(const tacho_power_source *source)
{
    tacho_power_reading r = {.joules = NAN, .watts = NAN};

    assert_int_equal(source->read(source->ctx, &r, NULL), 0);
    return r.watts;
}

static void put_zone(const char *zone, const char *name, const char *energy, const char *range)
{
    char path[128];

    snprintf(path, sizeof path, "sys/class/powercap/%s/name", zone);
    put(path, name);
    snprintf(path, sizeof path, "sys/class/powercap/%s/energy_uj", zone);
    put(path, energy);
    if (range) {
        snprintf(path, sizeof path, "sys/class/powercap/%s/max_energy_range_uj", zone);
        put(path, range);
    }
}

static void rapl_adds_up_packages_once(void **state)
{
    tacho_power_source s = TACHO_POWER_SOURCE_INIT;

    (void)state;
    put_zone("intel-rapl:0", "package-0\n", "1000000\n", "262143328850\n");
    put_zone("intel-rapl:0:0", "core\n", "500000\n", "262143328850\n");
    put_zone("intel-rapl:1", "package-1\n", "7000000\n", "262143328850\n");
    put_zone("intel-rapl:2", "psys\n", "90000000\n", "262143328850\n");
    put_zone("intel-rapl-mmio:0", "package-0\n", "1000000\n", "262143328850\n");
    s = open_source("rapl");
    assert_true(joules_of(&s) == 0);
    put_zone("intel-rapl:0", "package-0\n", "3000000\n", NULL);
    put_zone("intel-rapl:1", "package-1\n", "7500000\n", NULL);
    put_zone("intel-rapl:2", "psys\n", "99000000\n", NULL);
    assert_true(joules_of(&s) == 2.5);
    s.close(s.ctx);
}

static void rapl_uses_the_platform_when_there_is_no_package(void **state)
{
    tacho_power_source s = TACHO_POWER_SOURCE_INIT;

    (void)state;
    put_zone("intel-rapl:0", "psys\n", "5000000\n", "262143328850\n");
    s = open_source("rapl");
    put_zone("intel-rapl:0", "psys\n", "6000000\n", NULL);
    assert_true(joules_of(&s) == 1);
    s.close(s.ctx);
}

static void a_counter_that_wraps_keeps_counting(void **state)
{
    tacho_power_source s = TACHO_POWER_SOURCE_INIT;
    tacho_power_reading r;
    uint64_t step;

    (void)state;
    put_zone("intel-rapl:0", "package-0\n", "262143000000\n", "262143328850\n");
    s = open_source("rapl");
    put_zone("intel-rapl:0", "package-0\n", "671150\n", NULL);
    assert_true(joules_of(&s) == 1);
    s.close(s.ctx);

    put_zone("intel-rapl:0", "package-0\n", "1000\n",
             "0\n"); /* without a range a wrap-around cannot be computed */
    s = open_source("rapl");
    put_zone("intel-rapl:0", "package-0\n", "500\n", NULL);
    assert_int_equal(s.read(s.ctx, &r, NULL), TACHO_EIO);
    put_zone("intel-rapl:0", "package-0\n", "1000500\n", NULL);
    assert_true(joules_of(&s) == 1);
    s.close(s.ctx);
    assert_true(tch_power_step(5, 9, 0, &step) && step == 4);
    assert_false(tch_power_step(9, 5, 8, &step));
}

static void a_zone_that_vanishes_is_a_failed_reading(void **state)
{
    tacho_power_source s = TACHO_POWER_SOURCE_INIT;
    tacho_power *p = NULL;
    tacho_power_report report = TACHO_POWER_REPORT_INIT;

    (void)state;
    put_zone("intel-rapl:0", "package-0\n", "1000000\n", "262143328850\n");
    s = open_source("rapl");
    assert_int_equal(tacho_power_new(NULL, &p, NULL), 0);
    assert_int_equal(tacho_power_add(p, &s, NULL), 0);
    assert_int_equal(tacho_power_poll(p, NULL), 0);
    take_away("sys/class/powercap/intel-rapl:0/energy_uj");
    assert_int_equal(tacho_power_poll(p, NULL), 0);
    assert_int_equal(tacho_power_report_at(p, 0, &report, NULL), 0);
    assert_true(report.samples == 1 && report.dropped == 1 && isnan(report.joules));
    put_zone("intel-rapl:0", "package-0\n", "4000000\n", NULL);
    assert_int_equal(tacho_power_poll(p, NULL), 0);
    assert_int_equal(tacho_power_report_at(p, 0, &report, NULL), 0);
    assert_true(report.samples == 2 && report.dropped == 1 && report.joules == 3);
    assert_int_equal(report.estimated, 0);
    tacho_power_free(p);
}

static int open_as_nobody(void *arg)
{
    tacho_power_source s = TACHO_POWER_SOURCE_INIT;
    tacho_error err;

    (void)arg;
    chmod(test_home, 0755);
    chmod(test_at("sys/class/powercap/intel-rapl:0/energy_uj"), 0);
    test_become_nobody();
    if (tch_power_open("rapl", test_home, &s, &err) != TACHO_EIO)
        return 1;
    return err.system_errno == EACCES && strstr(err.message, "sudo chmod a+r") ? 0 : 2;
}

static void rapl_without_permission_says_what_to_do(void **state)
{
    (void)state;
    put_zone("intel-rapl:0", "package-0\n", "1\n", "2\n");
    assert_int_equal(test_in_child(open_as_nobody, NULL), 0);
}

/* The software clock event of one CPU counts nanoseconds; at a scale of 1e-9 that is 1 W. */
static void perf_reads_energy_events(void **state)
{
    tacho_power_source s = TACHO_POWER_SOURCE_INIT;
    tacho_error err;
    double before;
    double used;
    uint64_t at[4];
    int status;

    (void)state;
    put("sys/bus/event_source/devices/power/type", "1\n");
    put("sys/bus/event_source/devices/power/cpumask", "0\n");
    put("sys/bus/event_source/devices/power/events/energy-pkg", "event=0x00\n");
    put("sys/bus/event_source/devices/power/events/energy-pkg.scale", "1e-9\n");
    status = tch_power_open("perf", test_home, &s, &err);
    if (status < 0 &&
        (err.system_errno == EACCES || err.system_errno == EPERM || err.system_errno == ENOSYS)) {
        print_message("not tested: %s\n", err.message);
        skip();
    }
    assert_int_equal(status, 0);
    at[0] = tch_now_ns();
    before = joules_of(&s);
    at[1] = tch_now_ns();
    sleep_ns(200000000);
    at[2] = tch_now_ns();
    used = joules_of(&s) - before;
    at[3] = tch_now_ns();
    assert_true(used >= 0.99 * took(at).least && used <= 1.01 * took(at).most);
    s.close(s.ctx);
}

static void perf_refuses_events_that_it_cannot_parse(void **state)
{
    tacho_power_source s = TACHO_POWER_SOURCE_INIT;
    tacho_error err;

    (void)state;
    assert_int_equal(tch_power_open("perf", test_home, &s, &err), TACHO_EUNSUPPORTED);
    put("sys/bus/event_source/devices/power/type", "1\n");
    put("sys/bus/event_source/devices/power/events/energy-pkg", "config=7\n");
    put("sys/bus/event_source/devices/power/events/energy-pkg.scale", "1e-9\n");
    assert_int_equal(tch_power_open("perf", test_home, &s, &err), TACHO_EIO);
    put("sys/bus/event_source/devices/power/events/energy-pkg", "event=0x00\n");
    put("sys/bus/event_source/devices/power/cpumask", "0-x\n");
    assert_int_equal(tch_power_open("perf", test_home, &s, &err), TACHO_EIO);
    put("sys/bus/event_source/devices/power/cpumask", "99999\n");
    assert_int_equal(tch_power_open("perf", test_home, &s, &err), TACHO_EIO);
}

static void hwmon_adds_up_chips(void **state)
{
    tacho_power_source s = TACHO_POWER_SOURCE_INIT;

    (void)state;
    put("sys/class/hwmon/hwmon0/name", "acpitz\n");
    put("sys/class/hwmon/hwmon1/power1_average", "25000000\n");
    put("sys/class/hwmon/hwmon1/power1_input", "99000000\n");
    put("sys/class/hwmon/hwmon2/power1_input", "500000\n");
    s = open_source("hwmon");
    assert_true(watts_of(&s) == 25.5);
    s.close(s.ctx);
}

static void a_battery_counts_while_it_discharges(void **state)
{
    tacho_power_source s = TACHO_POWER_SOURCE_INIT;
    tacho_power_reading r;
    tacho_error err;

    (void)state;
    put("sys/class/power_supply/BAT0/status", "Charging\n");
    put("sys/class/power_supply/BAT0/power_now", "9000000\n");
    assert_int_equal(tch_power_open("battery", test_home, &s, &err), TACHO_EUNSUPPORTED);
    assert_string_equal(err.message, "BAT0 is not discharging");
    put("sys/class/power_supply/BAT1/status", "Discharging\n");
    put("sys/class/power_supply/BAT1/current_now", "1500000\n");
    put("sys/class/power_supply/BAT1/voltage_now", "12000000\n");
    s = open_source("battery");
    assert_true(watts_of(&s) == 18);
    put("sys/class/power_supply/BAT1/power_now", "17000000\n");
    assert_true(watts_of(&s) == 17);
    put("sys/class/power_supply/BAT1/status", "Full\n");
    assert_int_equal(s.read(s.ctx, &r, NULL), TACHO_EUNSUPPORTED);
    s.close(s.ctx);
}

static void gpus_of_nvidia_by_counter_or_power(void **state)
{
    tacho_power_source s = TACHO_POWER_SOURCE_INIT;
    tacho_error err;
    double before;

    (void)state;
    unsetenv("TACHO_STUB_GPUS");
    assert_int_equal(tch_power_open("nvml", STUB_NVML, &s, &err), TACHO_EUNSUPPORTED);
    setenv("TACHO_STUB_GPUS", "1", 1);
    assert_int_equal(tch_power_open("nvml", STUB_NVML, &s, &err), 0);
    before = joules_of(&s);
    assert_true(joules_of(&s) - before == 2.5);
    s.close(s.ctx);
    setenv("TACHO_STUB_GPUS", "3", 1); /* the second has no counter, the third has nothing */
    assert_int_equal(tch_power_open("nvml", STUB_NVML, &s, &err), 0);
    assert_true(watts_of(&s) == 175.5);
    s.close(s.ctx);
    setenv("TACHO_STUB_GPUS", "0", 1);
    assert_int_equal(tch_power_open("nvml", STUB_NVML, &s, &err), TACHO_EUNSUPPORTED);
    assert_string_equal(err.message, "NVML finds no GPU");
    assert_int_equal(tch_power_open("nvml", "/nonexistent.so", &s, &err), TACHO_EUNSUPPORTED);
    assert_int_equal(tch_power_open("nvml", STUB_ROCM, &s, &err), TACHO_EUNSUPPORTED);
}

static void gpus_of_amd_by_counter(void **state)
{
    tacho_power_source s = TACHO_POWER_SOURCE_INIT;
    double before;

    (void)state;
    assert_int_equal(tch_power_open("rocm", STUB_ROCM, &s, NULL), 0);
    before = joules_of(&s);
    assert_true(joules_of(&s) - before == 15.25);
    s.close(s.ctx);
}

static void gpus_of_amd_by_the_older_call(void **state)
{
    tacho_power_source s = TACHO_POWER_SOURCE_INIT;

    (void)state;
    assert_int_equal(tch_power_open("rocm", STUB_ROCM5, &s, NULL), 0);
    assert_true(watts_of(&s) == 42.5);
    s.close(s.ctx);
}

static void names_the_sources_that_exist(void **state)
{
    tacho_power_source s = TACHO_POWER_SOURCE_INIT;
    tacho_error err;

    (void)state;
    assert_int_equal(tacho_power_open("steam", &s, &err), TACHO_EINVAL);
    assert_non_null(strstr(err.message, "no power source 'steam': there are rapl, perf,"));
    assert_int_equal(tacho_power_open("fixed:much", &s, &err), TACHO_EINVAL);
    assert_int_equal(tacho_power_open("replay:/nonexistent", &s, &err), TACHO_EIO);
    assert_int_equal(tacho_power_open("replay:/dev/null", &s, &err), TACHO_EPARSE);
    assert_non_null(strstr(err.message, "'/dev/null', line 1: the first line must be the header"));
    for (const char *const *name = tacho_power_names(); *name; name++)
        assert_int_not_equal(tch_power_open(*name, test_home, &s, &err), TACHO_EINVAL);
}

static void no_source_at_all_says_why(void **state)
{
    tacho_power *p = NULL;
    tacho_power_report report = TACHO_POWER_REPORT_INIT;
    tacho_error err;

    (void)state;
    assert_int_equal(tacho_power_new(NULL, &p, NULL), 0);
    assert_int_equal(tch_power_add_all(p, test_home, &err), TACHO_EUNSUPPORTED);
    assert_string_equal(err.message,
                        "no power source: this machine has no rapl, perf, hwmon, battery");
    assert_int_equal(tacho_power_report_at(p, 0, &report, NULL), TACHO_EINVAL);
    assert_true(isnan(tacho_power_now(p)));
    tacho_power_free(p);
    tacho_power_free(NULL);
}

static void uses_one_source_per_measured_thing(void **state)
{
    tacho_power *p = NULL;
    tacho_power_report report = TACHO_POWER_REPORT_INIT;

    (void)state;
    put_zone("intel-rapl:0", "package-0\n", "1\n", "2\n");
    put("sys/class/hwmon/hwmon1/power1_average", "25000000\n");
    put("sys/class/power_supply/BAT0/status", "Discharging\n");
    put("sys/class/power_supply/BAT0/power_now", "9000000\n");
    assert_int_equal(tacho_power_new(NULL, &p, NULL), 0);
    assert_int_equal(tch_power_add_all(p, test_home, NULL), 1);
    assert_int_equal(tacho_power_report_at(p, 0, &report, NULL), 0);
    assert_string_equal(report.name, "rapl");
    tacho_power_free(p);
}

static int open_once(void *arg)
{
    static const char *const names[] = {"rapl", "hwmon", "battery", "fixed:5", NULL};
    tacho_power *p = NULL;
    int status = 0;

    (void)arg;
    if (tacho_power_new(NULL, &p, NULL) < 0)
        return -1;
    for (size_t i = 0; names[i] && status == 0; i++) {
        tacho_power_source s = TACHO_POWER_SOURCE_INIT;

        status = tch_power_open(names[i], test_home, &s, NULL);
        if (status == 0)
            status = tacho_power_add(p, &s, NULL);
    }
    if (status == 0)
        status = tacho_power_poll(p, NULL);
    tacho_power_free(p);
    return status;
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    put_zone("intel-rapl:0", "package-0\n", "1\n", "2\n");
    put("sys/class/hwmon/hwmon1/power1_average", "25000000\n");
    put("sys/class/power_supply/BAT0/status", "Discharging\n");
    put("sys/class/power_supply/BAT0/power_now", "9000000\n");
    test_every_allocation_fails(open_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(rapl_adds_up_packages_once),
        TEST_IN_HOME(rapl_uses_the_platform_when_there_is_no_package),
        TEST_IN_HOME(a_counter_that_wraps_keeps_counting),
        TEST_IN_HOME(a_zone_that_vanishes_is_a_failed_reading),
        TEST_IN_HOME(rapl_without_permission_says_what_to_do),
        TEST_IN_HOME(perf_reads_energy_events),
        TEST_IN_HOME(perf_refuses_events_that_it_cannot_parse),
        TEST_IN_HOME(hwmon_adds_up_chips),
        TEST_IN_HOME(a_battery_counts_while_it_discharges),
        cmocka_unit_test(gpus_of_nvidia_by_counter_or_power),
        cmocka_unit_test(gpus_of_amd_by_counter),
        cmocka_unit_test(gpus_of_amd_by_the_older_call),
        TEST_IN_HOME(names_the_sources_that_exist),
        TEST_IN_HOME(no_source_at_all_says_why),
        TEST_IN_HOME(uses_one_source_per_measured_thing),
        TEST_IN_HOME(survives_every_failing_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
