/* Ticks and nanoseconds: the arithmetic with made-up pairs, then the real clocks. */
#include "support/test.h"

#include <pthread.h>

#include "base/clock.h"

static struct tch_clock line(uint64_t ticks0, uint64_t ns0, uint64_t ticks1, uint64_t ns1)
{
    struct tch_clock c;

    tch_clock_set(&c, (struct tch_clock_pair){ticks0, ns0, 0},
                  (struct tch_clock_pair){ticks1, ns1, 0});
    return c;
}

static void assert_within(uint64_t got, uint64_t want, uint64_t bound)
{
    uint64_t apart = got > want ? got - want : want - got;

    if (apart > bound)
        fail_msg("%llu is %llu away from %llu", (unsigned long long)got, (unsigned long long)apart,
                 (unsigned long long)want);
}

static void goes_through_both_pairs(void **state)
{
    struct tch_clock c = line(1000, 500, 4000, 1500);

    (void)state;
    assert_int_equal(tch_clock_ns(&c, 1000), 500);
    assert_within(tch_clock_ns(&c, 4000), 1500, 1);
    assert_within(tch_clock_ns(&c, 2500), 1000, 1);
}

static void extends_the_line_before_and_after_the_pairs(void **state)
{
    struct tch_clock c = line(3000, 1000000, 6000, 1001000);

    (void)state;
    assert_within(tch_clock_ns(&c, 0), 999000, 1);
    assert_within(tch_clock_ns(&c, 9000), 1002000, 1);
}

static void nanoseconds_stay_nanoseconds(void **state)
{
    struct tch_clock c = line(5, 5, 1000000005, 1000000005);

    (void)state;
    assert_int_equal(tch_clock_ns(&c, 123456789), 123456789);
    assert_true(tch_clock_ns(&c, UINT64_MAX) == UINT64_MAX);
}

/* A TSC of 2.999999999 GHz and one of 5 GHz, over a hundred days. */
static void holds_for_a_hundred_days(void **state)
{
    static const uint64_t frequencies[] = {2999999999u, 5000000000u, 24000000u, 1000000u};
    uint64_t seconds = 100 * 86400;

    (void)state;
    for (size_t i = 0; i < sizeof frequencies / sizeof frequencies[0]; i++) {
        uint64_t hz = frequencies[i];
        uint64_t start = UINT64_C(1) << 60;
        struct tch_clock c = line(start, 7, start + hz * seconds, 7 + seconds * 1000000000u);

        assert_within(tch_clock_ns(&c, start + hz), 1000000007, 1);
        assert_within(tch_clock_ns(&c, start + hz * seconds), 7 + seconds * 1000000000u, 100);
    }
}

static void never_falls_while_ticks_rise(void **state)
{
    struct tch_clock c = line(1000, 1000000, 1000 + 2999999999u, 1001000000);
    uint64_t last = 0;

    (void)state;
    for (uint64_t ticks = 0; ticks < 20000; ticks++) {
        uint64_t ns = tch_clock_ns(&c, ticks);

        assert_true(ns >= last);
        last = ns;
    }
}

static void trusts_the_tsc_only_where_the_kernel_does(void **state)
{
    (void)state;
    assert_null(tch_clock_judge_tsc(true, "tsc"));
    assert_null(tch_clock_judge_tsc(true, "kvm-clock"));
    assert_non_null(tch_clock_judge_tsc(false, "tsc"));
    assert_non_null(tch_clock_judge_tsc(true, "hpet"));
    assert_non_null(tch_clock_judge_tsc(true, "tsc-early"));
    assert_non_null(tch_clock_judge_tsc(true, ""));
}

static void ticks_come_from_the_chosen_source(void **state)
{
    struct tch_clock c;

    (void)state;
    tch_clock_init(&c);
    assert_int_equal(atomic_load(&tch_ticks_are_tsc), tch_clock_why_not_tsc() == NULL);
}

static void clocks_never_go_back(void **state)
{
    struct tch_clock c;
    uint64_t ticks;
    uint64_t ns;

    (void)state;
    tch_clock_init(&c);
    ticks = tch_ticks();
    ns = tch_now_ns();
    for (int i = 0; i < 10000; i++) {
        uint64_t next_ticks = tch_ticks();
        uint64_t next_ns = tch_now_ns();

        assert_true(next_ticks >= ticks);
        assert_true(next_ns >= ns);
        ticks = next_ticks;
        ns = next_ns;
    }
}

/* A tick lies between the readings around it, however busy the machine is. */
static void ticks_agree_with_the_monotonic_clock(void **state)
{
    enum { COUNT = 50 };
    struct timespec pause = {.tv_nsec = 1000000};
    uint64_t before[COUNT];
    uint64_t ticks[COUNT];
    uint64_t after[COUNT];
    struct tch_clock c;

    (void)state;
    tch_clock_init(&c);
    for (int i = 0; i < COUNT; i++) {
        before[i] = tch_now_ns();
        ticks[i] = tch_ticks();
        after[i] = tch_now_ns();
        nanosleep(&pause, NULL);
    }
    tch_clock_calibrate(&c);
    assert_true(c.last.ns - c.first.ns >= 50 * 1000000);
    for (int i = 0; i < COUNT; i++) {
        uint64_t ns = tch_clock_ns(&c, ticks[i]);
        /* The error of both pairs, and 1 ms over 50 ms because the clock may be slewed. */
        uint64_t slack = c.first.error + c.last.error + 1000000;

        assert_true(ns + slack >= before[i]);
        assert_true(ns <= after[i] + slack);
    }
}

static void calibrating_again_extends_the_line(void **state)
{
    struct tch_clock c;
    struct tch_clock_pair first;
    uint64_t last_ns;

    (void)state;
    tch_clock_init(&c);
    first = c.first;
    last_ns = c.last.ns;
    tch_clock_calibrate(&c);
    assert_int_equal(c.first.ticks, first.ticks);
    assert_int_equal(c.first.ns, first.ns);
    assert_true(c.last.ns > last_ns);
}

static void formats_the_date(void **state)
{
    (void)state;
    assert_true(tch_wall_ns() > UINT64_C(1600000000) * 1000000000u);
}

static void *init_one(void *arg)
{
    tch_clock_init(arg);
    return NULL;
}

static void threads_may_start_at_once(void **state)
{
    struct tch_clock clocks[4];
    pthread_t threads[4];

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, init_one, &clocks[i]), 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(clocks[i].last.ticks > clocks[i].first.ticks);
    }
}

static void writes_a_time_as_utc(void **state)
{
    char text[TCH_TIME_TEXT];

    (void)state;
    tch_utc_text(text, 0);
    assert_string_equal(text, "1970-01-01T00:00:00Z");
    tch_utc_text(text, UINT64_C(951782399999999999));
    assert_string_equal(text, "2000-02-28T23:59:59Z");
    tch_utc_text(text, UINT64_MAX);
    assert_string_equal(text, "2554-07-21T23:34:33Z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_may_start_at_once),
        cmocka_unit_test(goes_through_both_pairs),
        cmocka_unit_test(extends_the_line_before_and_after_the_pairs),
        cmocka_unit_test(nanoseconds_stay_nanoseconds),
        cmocka_unit_test(holds_for_a_hundred_days),
        cmocka_unit_test(never_falls_while_ticks_rise),
        cmocka_unit_test(trusts_the_tsc_only_where_the_kernel_does),
        cmocka_unit_test(ticks_come_from_the_chosen_source),
        cmocka_unit_test(clocks_never_go_back),
        cmocka_unit_test(ticks_agree_with_the_monotonic_clock),
        cmocka_unit_test(calibrating_again_extends_the_line),
        cmocka_unit_test(formats_the_date),
        cmocka_unit_test(writes_a_time_as_utc),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
