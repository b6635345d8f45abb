/* Tests what is said about the cost of recording. */
#include "kit/result/costs.h"

#include <math.h>
#include <string.h>

#include "support/test.h"

static const struct tch_result_costs nothing = {.recordings_per_run = NAN,
                                                .spans_per_run = NAN,
                                                .events_per_run = NAN,
                                                .latencies_per_run = NAN};

static void describes_records_and_recordings(void **state)
{
    struct tch_result_costs c = nothing;
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 4096);
    tch_costs_describe(&b, &c, 1e6);
    assert_string_equal(b.data, "");
    assert_false(tch_costs_counted(&c));
    c.recordings_per_run = 1;
    c.recording_cost_ns = 8e5;
    c.spans_per_run = 10;
    c.span_cost_ns = 200;
    assert_true(tch_costs_counted(&c));
    tch_costs_describe(&b, &c, 1.6e6);
    assert_string_equal(
        b.data, "10 spans in each run cost about 2.000 us, 0.12 % of the wall time (estimated: "
                "200 ns each, measured on this machine); 1 recording started and ended in each run "
                "cost about 800.0 us, 50 % of the wall time (estimated: 800.0 us each, measured on "
                "this machine)");
    tch_buf_release(&b);
}

static void warns_above_one_percent(void **state)
{
    struct tch_result_costs c = nothing;
    struct tch_warnings w = {.count = 0};

    (void)state;
    tch_costs_advise(&w, &c, 1e6);
    c.recordings_per_run = 2;
    c.recording_cost_ns = NAN; /* could not be measured */
    tch_costs_advise(&w, &c, 1e6);
    c.recording_cost_ns = 5e3;
    tch_costs_advise(&w, &c, 1e6); /* exactly 1 % */
    tch_costs_advise(&w, &c, NAN); /* no run succeeded */
    assert_int_equal(w.count, 0);
    tch_costs_advise(&w, &c, 0.5e6);
    assert_int_equal(w.count, 1);
    assert_string_equal(w.item[0].code, "recording-cost");
    assert_non_null(strstr(w.item[0].text, "takes about 10.00 us, 2.0 % of the median run"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(describes_records_and_recordings),
        cmocka_unit_test(warns_above_one_percent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
