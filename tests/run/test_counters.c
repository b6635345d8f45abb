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

/* A command and its children, not us; each take since the last. */
static void counts_what_is_spawned(void **state)
{
    static const struct tch_counter software[] = {
        {TCH_CYCLES, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
        {TCH_CACHE_MISSES, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    };
    struct tch_counters c;
    double field[TCH_FIELDS];
    double first;
    double first_cycles;

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
    tch_counters_take(&c, field);
    first = field[TCH_CACHE_MISSES];
    first_cycles = field[TCH_CYCLES];
    assert_true(first_cycles > 0 && first > 10);
    tch_counters_take(&c, field); /* from zero again: nothing ran but the taking itself */
    assert_true(field[TCH_CYCLES] < first_cycles && field[TCH_CACHE_MISSES] < first);
    spawn_and_wait();
    tch_counters_take(&c, field);
    assert_true(field[TCH_CACHE_MISSES] > first / 2 && field[TCH_CACHE_MISSES] < first * 2);
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
