/* Tests recorded metrics: their names, and their values in files made by this test. */
#include "support/test.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kit/recorded/recorded.h"
#include "kit/run/plan/metric_rule.h"
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

/* Makes a result with run 1 and a metric, and reads what the run recorded. */
static void read_run(struct tch_result *r, const char *spec)
{
    struct tch_metric_rule rule;
    struct tch_recorded rec;
    struct tch_metric metric;

    assert_int_equal(tch_metric_rule_init(&rule, spec, NULL), 0);
    assert_int_equal(tch_result_init(r, NULL), 0);
    tch_metric_describe(&metric, rule.name, false);
    assert_int_equal(tch_result_add_column(r, &metric, NULL), TCH_FIELDS);
    assert_int_equal(tch_result_add_run(r, &(struct tch_result_run){.run = 1}, NULL), 0);
    tch_recorded_init(&rec, test_home);
    assert_int_equal(tch_recorded_read(&rec, r, NULL), 0);
    tch_recorded_release(&rec);
    tch_metric_rule_release(&rule);
}

/* Returns the value of a metric, or -1 if there is none. */
static double value_of(const char *spec)
{
    struct tch_result r;
    double value;

    read_run(&r, spec);
    value = r.columns[TCH_FIELDS].value[0];
    tch_result_release(&r);
    return isnan(value) ? -1 : value;
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
    struct tch_result r;

    (void)state;
    read_run(&r, "latency:wall");
    assert_int_equal(r.warnings.count, 1);
    assert_string_equal(r.warnings.item[0].code, "records-lost");
    tch_result_release(&r);
    read_run(&r, "span:a"); /* nothing that this metric needs is lost */
    assert_int_equal(r.warnings.count, 0);
    tch_result_release(&r);
}

static void a_missing_name_lists_the_others(void **state)
{
    tacho_error err;

    (void)state;
    assert_int_equal(tch_recorded_missing("span:d:max", test_home, 1, &err), TACHO_EINVAL);
    assert_string_equal(err.message,
                        "metric 'span:d:max': run 1 recorded no 'd'; its spans are a, b and c");
    assert_int_equal(tch_recorded_missing("span:d:max", test_home, 2, &err), TACHO_EINVAL);
    assert_non_null(strstr(err.message, "run 2 recorded no spans"));
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
        struct tch_metric_rule rule;
        struct tch_metric metric;
        int status = tch_metric_rule_init(&rule, cases[i].given, NULL);

        assert_int_equal(status, cases[i].name ? 0 : TACHO_EINVAL);
        if (!cases[i].name)
            continue;
        assert_string_equal(rule.name, cases[i].name);
        tch_metric_describe(&metric, rule.name, false);
        assert_int_equal(metric.unit, cases[i].unit);
        tch_metric_rule_release(&rule);
    }
}

static int init_once(void *arg)
{
    struct tch_metric_rule metric;
    int status = tch_metric_rule_init(&metric, arg, NULL);

    tch_metric_rule_release(&metric);
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
