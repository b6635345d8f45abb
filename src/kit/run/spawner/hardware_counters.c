/* Opens and reads hardware counters. */
#include "hardware_counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <sys/syscall.h>
#include <unistd.h>

const struct tch_counter tch_hardware_counters[TCH_COUNTERS] = {
    {TCH_CYCLES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {TCH_INSTRUCTIONS, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {TCH_BRANCHES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {TCH_BRANCH_MISSES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {TCH_CACHE_REFERENCES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {TCH_CACHE_MISSES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
};

static int open_event(const struct tch_counter *counter, bool inherit, bool user_only)
{
    struct perf_event_attr attr = {
        .size = sizeof attr,
        .type = counter->type,
        .config = counter->config,
        .disabled = 1,
        .inherit = inherit,
        .enable_on_exec = inherit,
        .exclude_kernel = user_only,
        .exclude_hv = 1,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };

    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int open_one(const struct tch_counter *counter, bool inherit)
{
    int fd = open_event(counter, inherit, false);

    if (fd < 0 && (errno == EACCES || errno == EPERM))
        fd = open_event(counter, inherit, true);
    return fd;
}

/*
 * Opens the counters, and one more that guards them.
 *
 * If a process and its child have the same counters, the kernel may swap them when it switches
 * between the two. The exec of the child then enables our own counter permanently, and later
 * children get one that waits for no exec and never counts. One additional counter, which never
 * runs and is not inherited, makes the two sets differ.
 */
void tch_counters_open(struct tch_counters *c, const struct tch_counter *list, size_t count)
{
    *c = (struct tch_counters){.guard = -1};
    for (size_t i = 0; i < count && c->count < TCH_COUNTERS; i++) {
        int fd = open_one(&list[i], true);

        if (fd < 0)
            continue;
        c->open[c->count].field = list[i].field;
        c->open[c->count++].fd = fd;
        if (c->guard < 0)
            c->guard = open_one(&list[i], false);
    }
}

/* Reads the counters. If there are more counters than the CPU has, each ran for a part of the time
   and is scaled up. */
void tch_counters_read(struct tch_counters *c, double field[TCH_FIELDS])
{
    for (size_t i = 0; i < c->count; i++) {
        uint64_t read[3] = {0}; /* the count, enabled and running nanoseconds */
        double now;

        field[c->open[i].field] = NAN;
        if (syscall(SYS_read, c->open[i].fd, read, sizeof read) != (long)sizeof read ||
            read[2] == 0)
            continue;
        now = (double)read[0] * ((double)read[1] / (double)read[2]);
        field[c->open[i].field] = now > c->open[i].before ? now - c->open[i].before : 0;
        c->open[i].before = now;
    }
}
