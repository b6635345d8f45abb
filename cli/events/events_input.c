/* Opens files of events, chooses the number of threads, and warns about invalid lines. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "cmd_events_parts.h"

int cli_events_open(const char *path)
{
    tacho_error err;
    int fd;

    if (strcmp(path, "-") == 0)
        return STDIN_FILENO;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        tch_fail_errno(&err, errno, "cannot open '%s'", path);
        cli_complain(NULL, "%s", err.message);
    }
    return fd;
}

void cli_events_close(int fd)
{
    if (fd > STDIN_FILENO)
        close(fd);
}

unsigned cli_events_default_jobs(void)
{
    enum { MOST = 4 };
    cpu_set_t cpus;
    int count = 1;

    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0)
        count = CPU_COUNT(&cpus);
    return count < 1 ? 1 : count > MOST ? MOST : (unsigned)count;
}

struct bad_lines {
    const char *path;
    unsigned told;
};

static void warn_bad(void *ctx, const tacho_error *why)
{
    enum { SHOWN = 10 };
    struct bad_lines *bad = ctx;

    if (bad->told++ < SHOWN)
        cli_warn("%s:%" PRIu64 ": %s", bad->path, why->line, why->message);
}

int cli_events_scan(const char *path, struct tch_scan scan, struct tch_scan_counts *counts)
{
    struct bad_lines bad = {.path = path};
    int fd = cli_events_open(path);
    tacho_error err;
    int status;

    if (fd < 0)
        return EXIT_WORK;
    scan.bad = warn_bad;
    scan.ctx = &bad;
    status = tch_scan_fd(fd, path, &scan, counts, &err);
    cli_events_close(fd);
    if (status < 0) {
        cli_complain(NULL, "%s", err.message);
        return EXIT_WORK;
    }
    if (counts->bad > 0)
        cli_warn("%s: %" PRIu64
                 " lines are not events and were left out; see 'tacho events validate'",
                 path, counts->bad);
    return EXIT_OK;
}

void cli_events_add_counts(struct tch_scan_counts *total, const struct tch_scan_counts *file)
{
    total->events += file->events;
    total->bad += file->bad;
    total->torn += file->torn;
    total->salvaged += file->salvaged;
}

const char *const cli_events_booleans[] = {"false", "true", NULL};

int cli_events_take_boolean(void *into, const struct args *args, const struct opt *opt)
{
    *(bool *)((char *)into + opt->set->offset) =
        cli_choice_index(cli_events_booleans, args->value) == 1;
    return EXIT_OK;
}
