/* Calibrations: what they measure, what they store, and the session spread. */
#include "kit/judge/calibration.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit/stats/random.h"
#include "support/test.h"

enum { PAIRS = 60 };

static double normal(uint64_t *seed)
{
    double u = ((double)(tch_random_bits(seed) >> 11) + 0.5) / 9007199254740992.0;
    double v = (double)(tch_random_bits(seed) >> 11) / 9007199254740992.0;

    return sqrt(-2 * log(u)) * cos(2 * acos(-1) * v);
}

/* Makes the receipts of both sides. In even rounds b is first. Every first run takes 2 ms, every
   second one 1 ms, with 2 % noise, and 10 % more at the end than at the beginning. */
static void make_sides(struct tch_result side[2], uint64_t seed)
{
    struct tch_buf b[2];

    for (int k = 0; k < 2; k++) {
        tch_buf_init(&b[k], 1 << 20);
        tch_buf_addf(&b[k],
                     "{\"schema\":\"tacho.run.v1\",\"name\":\"x\",\"id\":\"20260101-%c\","
                     "\"started_at\":\"2026-01-01T00:00:00Z\",\"command\":{\"line\":\"./x 'y'\"},"
                     "\"commit\":\"abc\",\"environment\":{\"cpu\":1},\"machine_class\":\"m\","
                     "\"samples\":[",
                     'a' + k);
    }
    for (size_t i = 0; i < (size_t)2 * PAIRS; i++) {
        size_t round = i / 2 + 1;
        size_t k = (i + round + 1) % 2;
        double wall = i % 2 == 0 ? 2e6 : 1e6;

        wall *= exp(0.02 * normal(&seed) + 0.1 * (double)i / (2 * PAIRS));
        tch_buf_addf(&b[k],
                     "%s{\"run\":%zu,\"pair\":%zu,\"start_ns\":%zu,\"wall_ns\":%.0f,"
                     "\"max_rss_bytes\":4096,\"major_faults\":0,\"exit_status\":0}",
                     round > 1 ? "," : "", round, round, 1000000000 * (i + 1), wall);
    }
    for (int k = 0; k < 2; k++) {
        tch_buf_adds(&b[k], "]}");
        assert_int_equal(tch_result_parse(&side[k], b[k].data, b[k].len, NULL), 0);
        tch_buf_release(&b[k]);
    }
}

static void release_sides(struct tch_result side[2])
{
    for (int k = 0; k < 2; k++)
        tch_result_release(&side[k]);
}

static const struct tch_calibrating_how how = {.quantile = 0.5, .alpha = 0.05, .metrics = 1};

static void measures_runs_in_the_order_they_were_made(void **state)
{
    struct tch_result side[2];
    struct tch_calibrating m;

    (void)state;
    make_sides(side, 3);
    assert_int_equal(tch_calibrating_init(&m, &side[0], &side[1], "wall", &how, NULL), 0);
    assert_true(m.pairs == PAIRS);
    for (size_t i = 0; i < PAIRS; i++)
        assert_true(m.first[i] > 1.5e6 && m.second[i] < 1.5e6);
    assert_true(fabs(m.result.noise - 0.028) < 0.008); /* root 2 times 2 % */
    assert_true(m.result.lag1 < -0.8);                 /* long and short runs alternate */
    assert_true(m.result.median > 1e6 && m.result.median < 2.3e6);
    assert_true(fabs(m.result.drift) < 0.2);
    assert_string_equal(m.result.name, "wall");
    for (size_t i = 1; i < TCH_CALIBRATION_SIZES; i++)
        assert_true(m.result.sees[i] < m.result.sees[i - 1]);
    tch_calibrating_release(&m);
    release_sides(side);
}

/* The first run of a pair takes twice as long, but because of the coins that causes no FAIL. */
static void unchanged_pairs_fail_at_most_as_often_as_alpha(void **state)
{
    struct tch_result side[2];
    struct tch_calibrating m[2];
    double share;

    (void)state;
    make_sides(side, 4);
    assert_int_equal(tch_calibrating_init(&m[0], &side[0], &side[1], "wall", &how, NULL), 0);
    assert_int_equal(tch_calibrating_init(&m[1], &side[0], &side[1], "memory", &how, NULL), 0);
    assert_int_equal(tch_calibrating_false_fails(m, 2, 0.05, &share, NULL), 0);
    assert_true(share > 0.005 && share < 0.065);
    assert_int_equal(tch_calibrating_false_fails(m + 1, 1, 0.05, &share, NULL), 0);
    assert_true(share == 0); /* memory never varies */
    for (int i = 0; i < 2; i++)
        tch_calibrating_release(&m[i]);
    release_sides(side);
}

static void refuses_metrics_without_a_ratio(void **state)
{
    struct tch_result side[2];
    struct tch_calibrating m;
    tacho_error err;

    (void)state;
    make_sides(side, 5);
    assert_int_equal(tch_calibrating_init(&m, &side[0], &side[1], "major_faults", &how, &err),
                     TACHO_EINVAL);
    assert_non_null(strstr(err.message, "values of 0"));
    tch_calibrating_release(&m);
    assert_int_equal(tch_calibrating_init(&m, &side[0], &side[1], "tps", &how, &err), TACHO_EINVAL);
    tch_calibrating_release(&m);
    side[0].run_count = 5;
    assert_int_equal(tch_calibrating_init(&m, &side[0], &side[1], "wall", &how, &err),
                     TACHO_EINVAL);
    assert_non_null(strstr(err.message, "5 pairs"));
    tch_calibrating_release(&m);
    side[0].run_count = PAIRS;
    release_sides(side);
}

/* --- Files --- */

static struct tch_calibrated wall_of(double median)
{
    return (struct tch_calibrated){.name = "wall",
                                   .median = median,
                                   .noise = 0.03,
                                   .lag1 = 0.25,
                                   .drift = -0.01,
                                   .session_spread = 0.026,
                                   .sees = {NAN, 0.04, 0.03, 0.02}};
}

static int add(struct tch_calibration *c, const char *at, const char *command, double median)
{
    struct tch_calibration_occasion o = {.id = strdup("20260101-a"),
                                         .at = strdup(at),
                                         .commit = strdup("abc"),
                                         .command = strdup(command),
                                         .environment = strdup("{\"cpu\":\"a\\\"b\"}"),
                                         .pairs = 20,
                                         .pair_seconds = 0.5,
                                         .alpha = 0.05,
                                         .false_fails = 0.046,
                                         .occasions = 1,
                                         .metrics = calloc(1, sizeof *o.metrics)};
    struct tch_calibration_occasion *more =
        realloc(c->occasions, (c->count + 1) * sizeof *c->occasions);

    if (more)
        c->occasions = more;
    if (!more || !o.id || !o.at || !o.commit || !o.command || !o.environment || !o.metrics) {
        tch_calibration_occasion_release(&o);
        return TACHO_ENOMEM;
    }
    o.metrics[o.count++] = wall_of(median);
    c->occasions[c->count++] = o;
    return 0;
}

static void reads_back_what_it_wrote(void **state)
{
    struct tch_calibration c = {.bench = strdup("x"), .machine_class = strdup("m")};
    struct tch_calibration again;
    struct tch_buf one;
    struct tch_buf two;
    tacho_error err;
    char *noise;

    (void)state;
    assert_int_equal(add(&c, "2026-01-01T00:00:00Z", "./x \"y\"", 1e6), 0);
    assert_int_equal(add(&c, "2026-01-02T00:00:00Z", "./x \"y\"", 1.5e6), 0);
    tch_buf_init(&one, TCH_CALIBRATION_MAX);
    tch_buf_init(&two, TCH_CALIBRATION_MAX);
    tch_calibration_format(&one, &c, 0);
    assert_int_equal(tch_calibration_parse(&again, one.data, one.len, NULL), 0);
    tch_calibration_format(&two, &again, 0);
    assert_string_equal(one.data, two.data);
    assert_int_equal(again.count, 2);
    assert_true(isnan(again.occasions[0].metrics[0].sees[0]));
    assert_non_null(tch_calibration_latest(&again, "./x \"y\""));
    assert_null(tch_calibration_latest(&again, "./z"));
    tch_calibration_release(&again);

    noise = strstr(one.data, "\"noise\":0.03"); /* changing one digit breaks the seal */
    assert_non_null(noise);
    noise[strlen("\"noise\":0.0")] = '2';
    assert_int_equal(tch_calibration_parse(&again, one.data, one.len, &err), TACHO_EPARSE);
    assert_non_null(strstr(err.message, "seal"));
    tch_calibration_release(&again);
    tch_buf_release(&one);
    tch_buf_release(&two);
    tch_calibration_release(&c);
}

static void converts_runs_to_visible_changes_and_back(void **state)
{
    struct tch_calibrated m = wall_of(1e6);

    (void)state;
    assert_true(isnan(tch_calibrated_sees(&m, 6)));
    assert_true(isnan(tch_calibrated_sees(&m, 10)));
    assert_true(fabs(tch_calibrated_sees(&m, 40) - 0.03) < 1e-12);
    assert_true(fabs(tch_calibrated_sees(&m, 320) - expm1(log1p(0.02) / 2)) < 1e-12);
    assert_int_equal(tch_calibrated_runs(&m, expm1(log1p(0.02) / 2) + 1e-9), 320);
    assert_int_equal(tch_calibrated_runs(&m, 0.5), 10);
    assert_int_equal(tch_calibrated_runs(&m, 0), 0);
    assert_int_equal(tch_calibrated_runs(&m, 1e-9), 0);
}

/* Calibrations of 1.00, 1.05, 1.00 and 1.00 ms on three days, the last two on one. Those of another
   command do not count. Sessions differ by more than is assumed, so the assumption does not count
   either. */
static void calibrations_give_the_session_spread(void **state)
{
    struct tch_calibration c = {0};
    double step = log(1.05);
    size_t occasions;
    double spread;

    (void)state;
    assert_int_equal(add(&c, "2026-01-01T00:00:00Z", "x", 1.00e6), 0);
    assert_int_equal(add(&c, "2026-01-02T00:00:00Z", "x", 1.05e6), 0);
    assert_int_equal(add(&c, "2026-01-02T12:00:00Z", "y", 9e6), 0);
    assert_int_equal(add(&c, "2026-01-03T00:00:00Z", "x", 1.00e6), 0);
    assert_int_equal(add(&c, "2026-01-03T00:30:00Z", "x", 1.00e6), 0);
    spread = tch_sessions_spread(NULL, &c, "x", "wall", 0.5, 0.026, &occasions);
    assert_int_equal(occasions, 3);
    assert_true(fabs(spread - 1.4826 * step * 1.5) < 1e-12);
    spread = tch_sessions_spread(NULL, &c, "z", "wall", 0.5, 0.026, &occasions);
    assert_int_equal(occasions, 0);
    assert_true(spread == 0.026);
    tch_calibration_release(&c);
}

static void calibrations_and_baselines_are_ordered_by_time(void **state)
{
    double values[] = {1.02e6, 1.03e6};
    struct tch_kept kept[] = {{.name = "wall", .value = &values[0], .count = 1},
                              {.name = "wall", .value = &values[1], .count = 1}};
    struct tch_occasion saves[] = {{.at = "2026-01-02T00:00:00Z", .kept = &kept[0], .count = 1},
                                   {.at = "2026-01-05T00:00:00Z", .kept = &kept[1], .count = 1}};
    const struct tch_baseline b = {.occasions = saves, .count = 2};
    struct tch_calibration c = {0};
    size_t occasions;
    double spread;

    (void)state;
    assert_int_equal(add(&c, "2026-01-01T00:00:00Z", "x", 1.00e6), 0);
    assert_int_equal(add(&c, "2026-01-03T00:00:00Z", "x", 1.04e6), 0);
    /* In the order of time: 1.00, 1.02, 1.04, 1.03. The median step is that from 1.00 to 1.02 or
       from 1.02 to 1.04. */
    spread = tch_sessions_spread(&b, &c, "x", "wall", 0.5, 0.026, &occasions);
    assert_int_equal(occasions, 4);
    assert_true(fabs(spread - 1.4826 * log(1.04 / 1.02) * 11 / 9) < 1e-12);
    tch_calibration_release(&c);
}

/* --- Allocations --- */

static int write_and_read(void *arg)
{
    struct tch_calibration c = {.bench = strdup("x"), .machine_class = strdup("m")};
    struct tch_calibration again = {0};
    struct tch_buf b;
    int status =
        c.bench && c.machine_class ? add(&c, "2026-01-01T00:00:00Z", "x", 1e6) : TACHO_ENOMEM;

    (void)arg;
    tch_buf_init(&b, TCH_CALIBRATION_MAX);
    if (status == 0)
        tch_calibration_format(&b, &c, 0);
    if (status == 0 && b.failed)
        status = TACHO_ENOMEM;
    if (status == 0)
        status = tch_calibration_parse(&again, b.data, b.len, NULL);
    if (status == 0)
        (void)tch_sessions_spread(NULL, &again, "x", "wall", 0.5, 0.026, NULL);
    tch_buf_release(&b);
    tch_calibration_release(&c);
    tch_calibration_release(&again);
    return status;
}

static void survives_failed_allocations(void **state)
{
    (void)state;
    test_every_allocation_fails(write_and_read, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_runs_in_the_order_they_were_made),
        cmocka_unit_test(unchanged_pairs_fail_at_most_as_often_as_alpha),
        cmocka_unit_test(refuses_metrics_without_a_ratio),
        cmocka_unit_test(reads_back_what_it_wrote),
        cmocka_unit_test(converts_runs_to_visible_changes_and_back),
        cmocka_unit_test(calibrations_give_the_session_spread),
        cmocka_unit_test(calibrations_and_baselines_are_ordered_by_time),
        cmocka_unit_test(survives_failed_allocations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
