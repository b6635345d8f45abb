/* Files of events: opening them, how many threads read them, what is said about bad lines. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/number.h"
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

unsigned cli_events_jobs(const struct args *args, const char *value)
{
    uint64_t jobs;

    if (tch_parse_u64(value, TCH_SCAN_THREADS, &jobs) == 0 && jobs > 0)
        return (unsigned)jobs;
    cli_wrong_usage(args, "--jobs is a number from 1 to %d, not '%s'", TCH_SCAN_THREADS, value);
    return 0;
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
                 " lines are no events and were left out; see 'tacho events validate'",
                 path, counts->bad);
    return EXIT_OK;
}

const char *const cli_events_booleans[] = {"false", "true", NULL};

int cli_events_meta_option(const struct args *args, int id, tacho_event_config *config,
                           bool *graph_enabled)
{
    uint64_t number;

    switch (id) {
    case EVENTS_COMMIT_SHA:
        config->commit_sha = args->value;
        break;
    case EVENTS_CONCURRENCY:
        if (tch_parse_u64(args->value, UINT32_MAX, &number) < 0)
            return cli_wrong_usage(args, "--concurrency is a number from 1 to %u, not '%s'",
                                   UINT32_MAX, args->value);
        config->concurrency = (uint32_t)number;
        break;
    case EVENTS_ENV_HASH:
        config->env_hash = args->value;
        break;
    case EVENTS_GRAPH_ENABLED:
        *graph_enabled = cli_choice_index(cli_events_booleans, args->value) == 1;
        break;
    case EVENTS_MODEL:
        config->model = args->value;
        break;
    case EVENTS_RUNTIME_FLAGS:
        config->runtime_flags = args->value;
        break;
    }
    return EXIT_OK;
}
