/* Tests recorded metrics: their names, and their values in files made by this test. */
#include "support/test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "kit/run/recorded_metric.h"
#include "support/system.h"

#define TRACE "iter/0001/trace-ferrum.json"

static int remove_parts(void **state)
{
    unlink(test_at(TRACE));
    unlink(test_at("iter/0001/latency-ns.login.7.2.csv"));
    unlink(test_at("iter/0001/latency.7.csv"));
    rmdir(test_at("iter/0001"));
    rmdir(test_at("iter"));
    return test_home_remove(state);
}

/* On one track, an "a" of 100 us contains an "a" of 20 us, and an "a" of 30 us begins in it and
   ends 10 us after it. On another track there is an "a" of 5 us at the same time. The async "a"
   takes 40 us. */
static int make_parts(void **state)
{
    if (test_home_make(state) < 0)
        return -1;
    assert_int_equal(mkdir(test_at("iter"), 0777), 0);
    assert_int_equal(mkdir(test_at("iter/0001"), 0777), 0);
    test_put(
        test_at(TRACE),
        "[{\"name\":\"a\",\"cat\":\"t\",\"ph\":\"X\",\"ts\":80,\"dur\":30,\"pid\":1,\"tid\":1},"
        "{\"name\":\"a\",\"cat\":\"t\",\"ph\":\"X\",\"ts\":0,\"dur\":100,\"pid\":1,\"tid\":1},"
        "{\"name\":\"a\",\"cat\":\"t\",\"ph\":\"X\",\"ts\":10,\"dur\":20,\"pid\":1,\"tid\":1},"
        "{\"name\":\"a\",\"cat\":\"t\",\"ph\":\"X\",\"ts\":10,\"dur\":5,\"pid\":1,\"tid\":2},"
        "{\"name\":\"b\",\"cat\":\"t\",\"ph\":\"B\",\"ts\":1,\"pid\":1,\"tid\":3},"
        "{\"name\":\"b\",\"cat\":\"t\",\"ph\":\"E\",\"ts\":4,\"pid\":1,\"tid\":3},"
        "{\"name\":\"c\",\"cat\":\"t\",\"ph\":\"b\",\"id\":1,\"ts\":1,\"pid\":1,\"tid\":3},"
        "{\"name\":\"c\",\"cat\":\"t\",\"ph\":\"e\",\"id\":1,\"ts\":41,\"pid\":1,\"tid\":4}]");
    test_put(test_at("iter/0001/latency-ns.login.7.2.csv"),
             "sample_id,wall_ns,kernel_ns,seq_len\n0,10,3,0\n1,30,5,0\n");
    test_put(test_at("iter/0001/latency.7.csv"),
             "sample_id,wall_time_us,kernel_time_us,seq_len\n0,1,0,0\n1,2"); /* truncated */
    return 0;
}

/* Returns the value of a metric, or -1 if there is none. */
static double value_of(const char *spec)
{
    struct tch_warnings warnings = {0};
    struct tch_recorded_run in = {.folder = test_home, .run = 1, .warnings = &warnings};
    struct tch_values values = {0};
    struct tch_metric metric;
    double value;

    assert_int_equal(tch_metric_init(&metric, spec, NULL), 0);
    assert_int_equal(tch_recorded_metrics_find(&metric, 1, &in, &values, NULL), 0);
    assert_true(values.n <= 1);
    value = values.n > 0 ? values.v[0] : -1;
    tch_values_release(&values);
    tch_metric_release(&metric);
    return value;
}

static void spans_inside_each_other_count_once(void **state)
{
    (void)state;
    assert_float_equal(value_of("span:a"), 115000, 0);
    assert_float_equal(value_of("span:a:total"), 115000, 0);
    assert_float_equal(value_of("span:a:count"), 4, 0);
    assert_float_equal(value_of("span:a:mean"), 38750, 0);
    assert_float_equal(value_of("span:a:p50"), 25000, 0);
    assert_float_equal(value_of("span:a:p99"), 100000, 0);
    assert_float_equal(value_of("span:a:max"), 100000, 0);
    assert_float_equal(value_of("span:b"), 3000, 0);
    assert_float_equal(value_of("span:c"), 40000, 0);
    assert_float_equal(value_of("span:d"), -1, 0);
}

static void latencies_have_the_names_of_their_files(void **state)
{
    (void)state;
    assert_float_equal(value_of("latency:wall:count"), 3, 0);
    assert_float_equal(value_of("latency:wall:total"), 1040, 0);
    assert_float_equal(value_of("latency:kernel:max"), 5, 0);
    assert_float_equal(value_of("latency:login"), 20, 0);
    assert_float_equal(value_of("latency:7"), -1, 0);
}

static void lost_records_are_a_warning(void **state)
{
    struct tch_warnings warnings = {0};
    struct tch_recorded_run in = {.folder = test_home, .run = 1, .warnings = &warnings};
    struct tch_values values = {0};
    struct tch_metric metric;

    (void)state;
    assert_int_equal(tch_metric_init(&metric, "latency:wall", NULL), 0);
    assert_int_equal(tch_recorded_metrics_find(&metric, 1, &in, &values, NULL), 0);
    assert_int_equal(tch_recorded_metrics_find(&metric, 1, &in, &values, NULL), 0);
    assert_int_equal(warnings.count, 1);
    assert_string_equal(warnings.item[0].code, "records-lost");
    tch_values_release(&values);
    tch_metric_release(&metric);
}

static void a_missing_name_lists_the_others(void **state)
{
    struct tch_recorded_run in = {.folder = test_home, .run = 1};
    struct tch_metric metric;
    tacho_error err;

    (void)state;
    assert_int_equal(tch_metric_init(&metric, "span:d:max", NULL), 0);
    assert_int_equal(tch_recorded_metric_missing(&metric, &in, &err), TACHO_EINVAL);
    assert_string_equal(err.message,
                        "metric 'span:d:max': run 1 recorded no 'd'; its spans are a, b and c");
    in.run = 2;
    assert_int_equal(tch_recorded_metric_missing(&metric, &in, &err), TACHO_EINVAL);
    assert_non_null(strstr(err.message, "run 2 recorded no spans"));
    tch_metric_release(&metric);
}

static void names_have_a_statistic_and_a_unit(void **state)
{
    static const struct {
        const char *given;
        const char *name; /* NULL: an invalid name */
        enum tch_unit unit;
    } cases[] = {
        {"span:a", "span:a:total", TCH_NS},
        {"span:std::sort", "span:std::sort:total", TCH_NS},
        {"span:a:max:p50", "span:a:max:p50", TCH_NS},
        {"span:a:count", "span:a:count", TCH_COUNT},
        {"stage:e.s", "stage:e.s:p50", TCH_NS},
        {"stage:e.n_calls:max", "stage:e.n_calls:max", TCH_COUNT},
        {"latency:wall", "latency:wall:p50", TCH_NS},
        {"span:", NULL, TCH_PLAIN},
        {"span::max", NULL, TCH_PLAIN},
        {"stage:nopoint", NULL, TCH_PLAIN},
        {"span:quo\"te", NULL, TCH_PLAIN},
        {"span:tab\tbed", NULL, TCH_PLAIN},
        {"span:\xff", NULL, TCH_PLAIN},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tch_metric metric;
        int status = tch_metric_init(&metric, cases[i].given, NULL);

        assert_int_equal(status, cases[i].name ? 0 : TACHO_EINVAL);
        if (!cases[i].name)
            continue;
        assert_string_equal(metric.id.name, cases[i].name);
        assert_int_equal(tch_metric_unit(metric.id.name), cases[i].unit);
        tch_metric_release(&metric);
    }
    assert_int_equal(tch_metric_unit("spans"), TCH_PLAIN);
}

static int init_once(void *arg)
{
    struct tch_metric metric;
    int status = tch_metric_init(&metric, arg, NULL);

    tch_metric_release(&metric);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_every_allocation_fails(init_once, "span:c:p99");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(spans_inside_each_other_count_once, make_parts,
                                        remove_parts),
        cmocka_unit_test_setup_teardown(latencies_have_the_names_of_their_files, make_parts,
                                        remove_parts),
        cmocka_unit_test_setup_teardown(lost_records_are_a_warning, make_parts, remove_parts),
        cmocka_unit_test_setup_teardown(a_missing_name_lists_the_others, make_parts, remove_parts),
        cmocka_unit_test(names_have_a_statistic_and_a_unit),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
