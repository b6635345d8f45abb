/* The session spread that is assumed for small and large values. */
#include "support/test.h"

#include <math.h>
#include <unistd.h>

#include "kit/result/metric.h"

static const char two[] = "{\"cpu_model\":\"x\",\"cpu_count\":2}";
static const char many[] = "{\"cpu_count\":64}";

static double spread_of(const char *name, double level, const char *environment)
{
    struct tch_metric m;

    assert_true(tch_metric_find(name, &m));
    return tch_metric_spread(&m, level, environment);
}

static void peak_memory_is_off_by_what_the_cpus_hold_back(void **state)
{
    double page = (double)sysconf(_SC_PAGESIZE);

    (void)state;
    assert_true(tch_memory_error(two) == 64 * page);
    assert_true(tch_memory_error(many) == 128 * 64 * page);
    assert_true(tch_memory_error(NULL) >= 32 * page && tch_memory_error("{}") >= 32 * page);
    /* A program of 64 pages may differ as much as it has, one of a GiB hardly. */
    assert_true(spread_of("memory", 64 * page, two) > 0.8);
    assert_true(spread_of("memory", 0x1p30, two) < 0.0066);
    assert_true(spread_of("memory", 0x1p30, two) > 0.0065);
}

static void times_of_processes_differ_by_their_start(void **state)
{
    (void)state;
    assert_true(fabs(spread_of("wall", 500e3, two) - hypot(0.026, 0.2)) < 1e-12);
    assert_true(fabs(spread_of("cpu", 1e6, two) - hypot(0.026, 0.1)) < 1e-12);
    assert_true(spread_of("wall", 1e9, two) < 0.02601);
}

static void other_metrics_have_no_absolute_part(void **state)
{
    struct tch_metric mine;

    (void)state;
    assert_true(spread_of("wall", NAN, two) == 0.026 && spread_of("wall", 0, two) == 0.026);
    assert_true(spread_of("instructions", 10, two) == 0.0065);
    assert_true(spread_of("latency", 10, two) == 0.026);
    assert_true(spread_of("memory.cache", 10, two) == 0.0065);
    tch_metric_describe(&mine, "mine", false);
    assert_true(tch_metric_spread(&mine, 10, two) == 0.026);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peak_memory_is_off_by_what_the_cpus_hold_back),
        cmocka_unit_test(times_of_processes_differ_by_their_start),
        cmocka_unit_test(other_metrics_have_no_absolute_part),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
