/* LTTng-UST: two events per span, in a session that writes them to files. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "peer_lttng_tp.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace_peers.h"

static const char *missing = "no session could be started (package lttng-tools)";
static char output[128];
static char daemon_pid[128]; /* file with its process id; exists only if we started it */

static int run(const char *command)
{
    char text[512];

    snprintf(text, sizeof text, "{ %s; } >/dev/null 2>&1", command);
    return system(text);
}

void bench_lttng_start(const char *folder)
{
    char create[256], create_daemon[256];

    snprintf(output, sizeof output, "%s/lttng", folder);
    snprintf(create, sizeof create, "lttng create tacho_bench --output=%s", output);
    snprintf(daemon_pid, sizeof daemon_pid, "%s/lttng.pid", folder);
    snprintf(create_daemon, sizeof create_daemon,
             "lttng-sessiond --daemonize --no-kernel --pidfile=%s", daemon_pid);
    run(create_daemon);               /* fails if a daemon is running, which is then used */
    run("lttng destroy tacho_bench"); /* left by a benchmark that was killed */
    if (run(create) == 0 &&
        run("lttng enable-channel --userspace --subbuf-size=1M --num-subbuf=8 "
            "--session=tacho_bench "
            "spans") == 0 &&
        run("lttng enable-event --userspace --session=tacho_bench --channel=spans "
            "'tacho_bench:*'") == 0 &&
        run("lttng start tacho_bench") == 0)
        missing = NULL;
    /* The daemon enables the events of this process by a thread of the library. */
    for (int i = 0; !missing && i < 200 && !lttng_ust_tracepoint_enabled(tacho_bench, begin); i++)
        usleep(10000);
    if (!missing && !lttng_ust_tracepoint_enabled(tacho_bench, begin))
        missing = "its session daemon does not answer";
}

void bench_lttng_stop(void)
{
    char command[512];

    if (!missing)
        run("lttng destroy tacho_bench");
    snprintf(command, sizeof command, "kill $(cat %s); rm -rf %s %s", daemon_pid, daemon_pid,
             output);
    run(command);
}

const char *bench_lttng_missing(void)
{
    return missing;
}

void bench_lttng_spans(uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        lttng_ust_tracepoint(tacho_bench, begin);
        lttng_ust_tracepoint(tacho_bench, end);
    }
}
