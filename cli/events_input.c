/* Files of events: opening them, how many threads read them, what is said about bad lines. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/number.h"
#include "events.h"

int events_open(const char *path)
{
    tacho_error err;
    int fd;

    if (strcmp(path, "-") == 0)
        return STDIN_FILENO;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        tch_fail_errno(&err, errno, "cannot open '%s'", path);
        complain(NULL, "%s", err.message);
    }
    return fd;
}

void events_close(int fd)
{
    if (fd > STDIN_FILENO)
        close(fd);
}

unsigned events_jobs(const struct args *args, const char *value)
{
    uint64_t jobs;

    if (tch_parse_u64(value, TCH_SCAN_THREADS, &jobs) == 0 && jobs > 0)
        return (unsigned)jobs;
    wrong_usage(args, "--jobs is a number from 1 to %d, not '%s'", TCH_SCAN_THREADS, value);
    return 0;
}

unsigned events_default_jobs(void)
{
    enum { MOST = 4 };
    cpu_set_t cpus;
    int count = 1;

    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0)
        count = CPU_COUNT(&cpus);
    return count < 1 ? 1 : count > MOST ? MOST : (unsigned)count;
}

void events_warn_bad(void *path, const tacho_error *why)
{
    warn("%s:%" PRIu64 ": %s", (const char *)path, why->line, why->message);
}
