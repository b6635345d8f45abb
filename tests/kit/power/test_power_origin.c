/* Tests the origin of energy as JSON and as text, for runs that are too short, and for idle
   power. */
#include "support/test.h"

#include <math.h>

#include "base/json_write.h"
#include "kit/power/power_origin.h"
#include "kit/watch/process_watch.h"
#include "support/system.h"

static const struct tch_power_origin rapl = {.status = "measured",
                                             .source = "rapl",
                                             .domain = "package-0",
                                             .update_us = 1000,
                                             .short_runs = 2,
                                             .idle = {.seconds = 5, .watts = 12.5, .busy = 0.01}};

static void text_is(const struct tch_power_origin *o, const char *expected, const char *idle)
{
    struct tch_buf b;

    tch_buf_init(&b, 1024);
    tch_power_origin_add(&b, o);
    assert_string_equal(b.data, expected);
    tch_buf_clear(&b);
    tch_power_idle_add(&b, o);
    assert_string_equal(b.data, idle);
    tch_buf_release(&b);
}

static void read_origin(struct tch_power_origin *o, const char *json)
{
    struct tch_json_reader r;

    *o = (struct tch_power_origin)TCH_POWER_ORIGIN_NONE;
    tch_json_open(&r, json, strlen(json), NULL);
    assert_int_equal(tch_json_fields_read(&r, tch_power_origin_fields, o, NULL, NULL), 0);
}

static void is_read_as_it_was_written(void **state)
{
    struct tch_power_origin got;
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 4096);
    tch_json_fields_write(&b, tch_power_origin_fields, &rapl);
    read_origin(&got, b.data);
    assert_string_equal(got.status, "measured");
    assert_string_equal(got.source, "rapl");
    assert_string_equal(got.domain, "package-0");
    assert_int_equal(got.update_us, 1000);
    assert_int_equal(got.short_runs, 2);
    assert_true(got.idle.watts == 12.5 && got.idle.seconds == 5 && got.idle.busy == 0.01);
    assert_string_equal(got.why_not, "");
    text_is(&got, "measured by rapl (package-0)",
            "12.5 W, measured for 5.000 s before while the CPUs were 1 % busy");
    tch_buf_release(&b);
}

static void missing_members_stay_empty(void **state)
{
    static const char old[] = "{\"source\":null,\"why_not\":\"none\"}";
    static const char odd[] = "{\"status\":\"certain\",\"update_us\":-1e300,\"idle\":7}";
    struct tch_power_origin got;

    (void)state;
    read_origin(&got, old);
    assert_string_equal(got.status, "");
    assert_string_equal(got.why_not, "none");
    read_origin(&got, odd);
    assert_true(!got.status[0] && got.update_us == 0 && got.idle.seconds == 0);
    read_origin(&got, "{}");
    assert_string_equal(got.status, "");
    tch_power_origin_of(&got, NULL);
    text_is(&got, "unavailable: not requested", "");
}

static void text_that_is_too_long_is_refused(void **state)
{
    struct tch_power_origin o = TCH_POWER_ORIGIN_NONE;
    char json[400];
    struct tch_json_reader r;
    tacho_error err;

    (void)state;
    snprintf(json, sizeof json, "{\"source\":\"%0200d\"}", 0);
    tch_json_open(&r, json, strlen(json), &err);
    assert_int_equal(tch_json_fields_read(&r, tch_power_origin_fields, &o, NULL, &err),
                     TACHO_EPARSE);
    assert_string_equal(err.message, "'source' is longer than 127 bytes");
}

static void less_than_20_updates_is_too_short(void **state)
{
    struct tch_power_origin fixed = {.status = "estimated", .source = "fixed"};

    (void)state;
    assert_true(tch_power_too_short(&rapl, 0.0199));
    assert_false(tch_power_too_short(&rapl, 0.02));
    assert_false(tch_power_too_short(&fixed, 0)); /* a fixed source is always current */
}

static void idle_power_of_a_fixed_source(void **state)
{
    struct tch_watch_plan plan = {.root = "", .power = "fixed:20"};
    volatile sig_atomic_t stop = 0;
    tacho_error err;

    (void)state;
    assert_int_equal(tch_watch_idle(&plan, 100000000, &stop, &err), 0);
    assert_true(plan.idle.seconds >= 0.1);
    assert_true(plan.idle_watts == plan.idle.watts);
    assert_true(fabs(plan.idle_watts - 20) < 1e-6);
    stop = 15;
    assert_int_equal(tch_watch_idle(&plan, 3600000000000, &stop, &err), 1);
    plan.power = "steam";
    assert_int_equal(tch_watch_idle(&plan, 1, NULL, &err), TACHO_EINVAL);
}

static void without_a_source_there_is_no_idle_power(void **state)
{
    struct tch_watch_plan plan = {.root = test_home};

    (void)state;
    assert_int_equal(tch_watch_idle(&plan, 3600000000000, NULL, NULL), 0); /* returns at once */
    assert_true(plan.idle.seconds == 0 && plan.idle_watts == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_read_as_it_was_written),
        cmocka_unit_test(missing_members_stay_empty),
        cmocka_unit_test(text_that_is_too_long_is_refused),
        cmocka_unit_test(less_than_20_updates_is_too_short),
        cmocka_unit_test(idle_power_of_a_fixed_source),
        TEST_IN_HOME(without_a_source_there_is_no_idle_power),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
