/* Tests counters of commands with software counters, which every kernel has. */
#include "support/test.h"

#include <linux/perf_event.h>
#include <math.h>
#include <sched.h>

#include "kit/run/spawner/hardware_counters.h"
#include "process/spawn.h"

enum { RUNS = 10 };

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

/* Pins this process to one CPU. There the kernel switches directly between us and the child, which
   is where counters got lost; see tch_counters_open(). */
static void stay_on_one_cpu(void)
{
    cpu_set_t allowed;
    cpu_set_t one;
    size_t cpu = 0;

    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    while (!CPU_ISSET(cpu, &allowed))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
}

/* A command and its children are counted in every run, and each read returns the counts since the
   last one. */
static void counts_a_command_and_its_children(void **state)
{
    static const struct tch_counter software[] = {
        {TCH_CYCLES, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
        {TCH_CACHE_MISSES, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    };
    struct tch_counters c;
    double field[TCH_FIELDS];
    double first = 0;

    (void)state;
    stay_on_one_cpu();
    for (int i = 0; i < TCH_FIELDS; i++)
        field[i] = NAN;
    tch_counters_open(&c, software, 2);
    if (c.count < 2) {
        print_message("skipped: this kernel lets us open no performance events\n");
        skip();
    }
    tch_counters_read(&c, field);
    assert_true(isnan(field[TCH_CYCLES]));
    for (int i = 0; i < RUNS; i++) {
        spawn_and_wait();
        tch_counters_read(&c, field);
        assert_true(field[TCH_CYCLES] > 0);
        if (i == 0)
            first = field[TCH_CACHE_MISSES];
        assert_true(first > 10);
        assert_true(field[TCH_CACHE_MISSES] > first / 2 && field[TCH_CACHE_MISSES] < first * 2);
    }
    tch_counters_read(&c, field);
    assert_true(field[TCH_CYCLES] == 0 && field[TCH_CACHE_MISSES] == 0);
    assert_true(isnan(field[TCH_INSTRUCTIONS]));
}

static void leaves_out_missing_counters(void **state)
{
    static const struct tch_counter nonsense[] = {{TCH_CYCLES, 0x7FFFFFFF, 1}};
    struct tch_counters c;

    (void)state;
    tch_counters_open(&c, nonsense, 1);
    assert_int_equal(c.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_a_command_and_its_children),
        cmocka_unit_test(leaves_out_missing_counters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
