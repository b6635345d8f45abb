/* Counters of commands, shown with those that every kernel has: of software. */
#include "support/test.h"

#include <linux/perf_event.h>
#include <math.h>

#include "base/spawn.h"
#include "run/counters.h"

static void spawn_and_wait(void)
{
    const char *argv[] = {"sh", "-c",
                          "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done; sh -c :", NULL};
    struct tch_spawn spec = {.argv = argv};
    struct tch_spawn_end end;
    pid_t pid;

    assert_int_equal(tch_spawn(&spec, &pid, NULL), 0);
    assert_int_equal(tch_spawn_wait(pid, &end, NULL), 0);
}

/* What takes say until it comes to more than `least`. A kernel may hand in what a process counted
   a moment after its end was told, so that one take may be too early. */
static double gather(struct tch_counters *c, int which, double least)
{
    double field[TCH_FIELDS];
    double sum = 0;

    for (int tries = 0; sum <= least && tries < 2000; tries++) {
        const struct timespec moment = {.tv_nsec = 1000000};

        nanosleep(&moment, NULL);
        field[which] = 0;
        tch_counters_take(c, field);
        sum += isnan(field[which]) ? 0 : field[which];
    }
    return sum;
}

/* A command and its children; each take since the last. */
static void counts_what_is_spawned(void **state)
{
    static const struct tch_counter software[] = {
        {TCH_CYCLES, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
        {TCH_CACHE_MISSES, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    };
    struct tch_counters c;
    double field[TCH_FIELDS];

    (void)state;
    for (int i = 0; i < TCH_FIELDS; i++)
        field[i] = NAN;
    tch_counters_open(&c, software, 2);
    if (c.count < 2) {
        tch_counters_close(&c);
        print_message("skipped: this kernel lets us open no performance events\n");
        skip();
    }
    tch_counters_take(&c, field);
    assert_true(isnan(field[TCH_CYCLES]));
    spawn_and_wait();
    assert_true(gather(&c, TCH_CACHE_MISSES, 10) > 10);
    spawn_and_wait();
    assert_true(gather(&c, TCH_CYCLES, 0) > 0);
    assert_true(isnan(field[TCH_INSTRUCTIONS]));
    tch_counters_close(&c);
}

static void leaves_out_what_is_not_there(void **state)
{
    static const struct tch_counter nonsense[] = {{TCH_CYCLES, 0x7FFFFFFF, 1}};
    struct tch_counters c;

    (void)state;
    tch_counters_open(&c, nonsense, 1);
    assert_int_equal(c.count, 0);
    tch_counters_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_what_is_spawned),
        cmocka_unit_test(leaves_out_what_is_not_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
