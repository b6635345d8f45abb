/* Measures the cost of one record, and of one recording, on this machine. */
#include "recording_cost.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tacho/event.h>
#include <tacho/latency.h>
#include <tacho/trace.h>

#include "base/clock.h"
#include "base/file.h"
#include "kit/file/found_file.h"
#include "kit/stats/order_stats.h"
#include "process/limited_child.h"

enum { BATCHES = 9, MEMORY = 256 << 20, SECONDS = 5 };

struct measuring {
    const char *folder;
    const bool *wanted;
};

/* Returns the median time of a call to record() in batches of n; NAN when a call fails. */
static double time_of(int (*record)(void *ctx), void *ctx, unsigned n)
{
    double each[BATCHES];
    int status = 0;

    for (int i = 0; i < BATCHES; i++) {
        uint64_t begin = tch_now_ns();

        for (unsigned k = 0; k < n; k++)
            status |= record(ctx);
        each[i] = (double)(tch_now_ns() - begin) / n;
    }
    return status == 0 ? tch_median(each, BATCHES) : NAN;
}

static int record_span(void *ctx)
{
    TACHO_SPAN("cost", "tacho");
    (void)ctx;
    return 0;
}

static int record_event(void *writer)
{
    return tacho_event_push(writer, "cost", TACHO_NO_FIELDS,
                            TACHO_FIELDS(tacho_f64("a_us", 1.5), tacho_f64("b_us", 2.5)), false,
                            NULL);
}

static int record_latency(void *list)
{
    return tacho_latency_add(list, &(tacho_latency_record){.wall_ns = 12345}, NULL);
}

/* Returns the time from fork to the end of a process that records one span to `path`, as a program
   does in a run; NULL: of one that records nothing. NAN when it fails. */
static double time_of_process(const char *path)
{
    uint64_t begin = tch_now_ns();
    pid_t pid = fork();
    int how = -1;

    if (pid == 0)
        _exit(path && (tacho_trace_start(path, NULL) < 0 || record_span(NULL) < 0 ||
                       tacho_trace_stop(NULL) < 0));
    if (pid < 0 || waitpid(pid, &how, 0) < 0 || how != 0)
        return NAN;
    return (double)(tch_now_ns() - begin);
}

/* The end of the process is part of the cost: the kernel unmaps the recording then. The two kinds
   of process alternate, so that both meet the same disturbances. */
static double cost_of_recording(const char *folder)
{
    enum { PAIRS = 25 };
    double with[PAIRS], without[PAIRS];
    char path[PATH_MAX];
    double more;

    if (snprintf(path, sizeof path, "%s/start.tacho", folder) >= PATH_MAX)
        return NAN;
    for (int i = 0; i < PAIRS; i++) {
        without[i] = time_of_process(NULL);
        with[i] = time_of_process(path);
        if (isnan(with[i]) || isnan(without[i]))
            return NAN;
        unlink(path);
    }
    more = tch_median(with, PAIRS) - tch_median(without, PAIRS);
    return more > 0 ? more : NAN; /* too small to be seen in the noise of this machine */
}

static double cost_of_span(const char *folder)
{
    char path[PATH_MAX];
    double each = NAN;

    if (snprintf(path, sizeof path, "%s/cost.tacho", folder) < PATH_MAX &&
        tacho_trace_start(path, NULL) == 0) {
        each = time_of(record_span, NULL, 2000);
        if (tacho_trace_stop(NULL) < 0)
            each = NAN;
    }
    return each;
}

static double cost_of_event(const char *folder)
{
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    tacho_event_writer *writer = NULL;
    char path[PATH_MAX];
    double each = NAN;

    config.path = path;
    if (snprintf(path, sizeof path, "%s/cost.jsonl", folder) < PATH_MAX &&
        tacho_event_open(&config, &writer, NULL) == 0)
        each = time_of(record_event, writer, 200);
    tacho_event_close(writer);
    return each;
}

static double cost_of_latency(const char *folder)
{
    tacho_latency *list = NULL;
    double each = NAN;

    if (setenv("TACHO_RUN_DIR", folder, 1) == 0 && tacho_latency_new(&list, NULL) == 0)
        each = time_of(record_latency, list, 2000);
    tacho_latency_free(list);
    return each;
}

static void measure_in_child(int fd, void *ctx)
{
    static double (*const costs[])(const char *) = {cost_of_recording, cost_of_span, cost_of_event,
                                                    cost_of_latency};
    const struct measuring *m = ctx;
    double each[TCH_COSTS];

    for (int i = 0; i < TCH_COSTS; i++)
        each[i] = m->wanted[i] ? costs[i](m->folder) : NAN;
    if (tch_write_all(fd, "a pipe", (const char *)each, sizeof each, NULL) < 0)
        _exit(1);
}

void tch_recording_cost_measure(struct tch_recording_cost *ret, const char *parent)
{
    struct tch_child_limits limits = {.cpu_seconds = SECONDS, .memory_bytes = MEMORY};
    const char *temporary = parent ? parent : getenv("TMPDIR");
    char folder[PATH_MAX];
    struct measuring m = {folder, ret->wanted};
    struct tch_buf answer;

    for (int i = 0; i < TCH_COSTS; i++)
        ret->ns[i] = NAN;
    if (snprintf(folder, sizeof folder, "%s/.cost-XXXXXX",
                 temporary && temporary[0] ? temporary : "/tmp") >= PATH_MAX ||
        !mkdtemp(folder))
        return;
    tch_buf_init(&answer, sizeof ret->ns);
    if (tch_child_call(&limits, measure_in_child, &m, &answer, NULL) == 0 &&
        answer.len == sizeof ret->ns)
        memcpy(ret->ns, answer.data, sizeof ret->ns);
    tch_buf_release(&answer);
    tch_found_clear(folder, ".");
    rmdir(folder);
}
