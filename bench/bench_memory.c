/* Measures memory snapshots of this process, and counting by category. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <tacho/memory.h>

#include "bench.h"

enum { SNAPSHOTS = 20000, QUICK_SNAPSHOTS = 500, ADDS = 20000000, QUICK_ADDS = 200000 };

static void *new_memory(void *work, void *arg)
{
    tacho_memory *m = NULL;

    (void)work;
    (void)arg;
    return tacho_memory_new("bench", &m, NULL) == 0 ? m : NULL;
}

static void free_memory(void *state)
{
    tacho_memory_free(state);
}

static int take(void *work, void *state, int level)
{
    tacho_memory_snapshot s = TACHO_MEMORY_SNAPSHOT_INIT;

    for (size_t i = 0; i < *(size_t *)work; i++)
        if (tacho_memory_snapshot_take(state, (enum tacho_memory_level)level, &s, NULL) < 0 ||
            s.rss_bytes == 0)
            return -1;
    return 0;
}

static int take_basic(void *work, void *state)
{
    return take(work, state, TACHO_MEMORY_BASIC);
}

static int take_full(void *work, void *state)
{
    return take(work, state, TACHO_MEMORY_FULL);
}

static int only_getrusage(void *work, void *state)
{
    struct rusage usage;

    (void)state;
    for (size_t i = 0; i < *(size_t *)work; i++)
        if (getrusage(RUSAGE_SELF, &usage) < 0)
            return -1;
    return 0;
}

/* The simple way: opens the file and searches for the line. */
static int by_stdio(void *work, void *state)
{
    (void)state;
    for (size_t i = 0; i < *(size_t *)work; i++) {
        FILE *f = fopen("/proc/self/status", "re");
        char line[256];
        unsigned long long rss = 0;

        if (!f)
            return -1;
        while (fgets(line, sizeof line, f))
            if (sscanf(line, "VmRSS: %llu kB", &rss) == 1)
                break;
        fclose(f);
        if (rss == 0)
            return -1;
    }
    return 0;
}

static int add_category(void *work, void *state)
{
    for (size_t i = 0; i < *(size_t *)work; i += 2) {
        tacho_memory_add(state, TACHO_MEMORY_KV_CACHE, 4096);
        tacho_memory_add(state, TACHO_MEMORY_KV_CACHE, -4096);
    }
    return tacho_memory_held(state, TACHO_MEMORY_KV_CACHE) == 0 ? 0 : -1;
}

/* The simple way: a counter that threads share. */
static int add_atomic(void *work, void *state)
{
    static atomic_llong counter;

    (void)state;
    for (size_t i = 0; i < *(size_t *)work; i += 2) {
        atomic_fetch_add_explicit(&counter, 4096, memory_order_relaxed);
        atomic_fetch_add_explicit(&counter, -4096, memory_order_relaxed);
    }
    return atomic_load(&counter) == 0 ? 0 : -1;
}

static int compare_snapshots(size_t count, const struct bench_options *o)
{
    const struct bench_contender contenders[] = {
        {.name = "getrusage alone (floor)", .role = BENCH_FLOOR, .run = only_getrusage},
        {.name = "tacho, basic",
         .role = BENCH_OURS,
         .setup = new_memory,
         .run = take_basic,
         .teardown = free_memory,
         .most_floors = 2.5},
        {.name = "tacho, full",
         .role = BENCH_OURS,
         .setup = new_memory,
         .run = take_full,
         .teardown = free_memory,
         .most_floors = 6.5}, /* half of what it took by /proc/self/status */
        {.name = "fopen, fgets, sscanf", .role = BENCH_PEER, .run = by_stdio},
    };
    const struct bench_case c = {.name = "memory snapshots",
                                 .work = &count,
                                 .operations = count,
                                 .operation = "snapshot",
                                 .contenders = contenders,
                                 .contender_count = 4};

    return bench_compare(&c, o);
}

static int compare_adds(size_t count, const struct bench_options *o)
{
    const struct bench_contender contenders[] = {
        {.name = "atomic addition", .role = BENCH_PEER, .run = add_atomic},
        {.name = "tacho",
         .role = BENCH_OURS,
         .setup = new_memory,
         .run = add_category,
         .teardown = free_memory},
    };
    const struct bench_target targets[] = {{"tacho", "atomic addition", 0.5}};
    const struct bench_case c = {.name = "counting by category",
                                 .work = &count,
                                 .operations = count,
                                 .operation = "addition",
                                 .contenders = contenders,
                                 .contender_count = 2,
                                 .targets = targets,
                                 .target_count = 1};

    return bench_compare(&c, o);
}

int main(int argc, char **argv)
{
    struct bench_options o;

    if (bench_parse(&argc, argv, &o) < 0)
        return EXIT_FAILURE;
    if (compare_snapshots(o.quick ? QUICK_SNAPSHOTS : SNAPSHOTS, &o) < 0 ||
        compare_adds(o.quick ? QUICK_ADDS : ADDS, &o) < 0)
        return EXIT_FAILURE;
    return EXIT_SUCCESS;
}
