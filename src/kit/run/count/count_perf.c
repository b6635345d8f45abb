/*
 * Counts instructions in user mode with the CPU's counter. It costs nothing. An interrupt may add
 * an instruction or a few, so the count is often not exact.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fail.h"
#include "count_backend.h"

/* Opens the counter for a process. pid 0 is this process, to test whether it works. */
static int open_counter(pid_t pid)
{
    struct perf_event_attr attr = {
        .size = sizeof attr,
        .type = PERF_TYPE_HARDWARE,
        .config = PERF_COUNT_HW_INSTRUCTIONS,
        .disabled = 1,
        .inherit = 1,
        .enable_on_exec = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };

    return (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool check(const struct tch_count_target *t, char source[TCH_COUNT_TEXT],
                  char why[TCH_COUNT_TEXT])
{
    int fd = open_counter(0);

    (void)t;
    (void)source;
    if (fd < 0)
        snprintf(why, TCH_COUNT_TEXT, "the CPU's counter cannot be used: %s",
                 strerrordesc_np(errno));
    else
        close(fd);
    return fd >= 0;
}

static void count(const struct tch_count_target *t, struct tch_tally *tally)
{
    struct tch_count_start start = {.path = t->path, .argv = t->argv, .env = t->env};
    uint64_t read_out[3] = {0}; /* the count, enabled and running nanoseconds */
    int hold;
    pid_t pid = tch_count_start_held(&start, &hold, tally);
    int fd;

    if (pid < 0)
        return;
    fd = open_counter(pid);
    if (fd < 0)
        kill(pid, SIGKILL);
    close(hold); /* the child waits for this */
    tch_count_wait(pid, tally);
    if (fd < 0 || read(fd, read_out, sizeof read_out) != (ssize_t)sizeof read_out)
        tch_tally_fail(tally, TACHO_EUNSUPPORTED, "the CPU's counter cannot be read");
    else if (read_out[2] == 0 || read_out[1] != read_out[2])
        tch_tally_fail(
            tally, TACHO_EUNSUPPORTED,
            "the CPU's counter was shared with other programs and did not count all the time");
    tally->value[TCH_COUNT_INSTRUCTIONS] = (double)read_out[0];
}

const struct tch_count_backend tch_count_perf = {
    .counts = 1u << TCH_COUNT_INSTRUCTIONS,
    .source = "the CPU's counter, in user mode, with descendants",
    .check = check,
    .count = count,
    .by_cpu = true,
};
