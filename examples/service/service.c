/*
 * A service with two worker processes: latencies with the time that requests waited, memory by
 * category, power, and a trace.
 *
 *     ./service FOLDER
 *
 * Requests are due at a fixed interval, so a slow one delays those after it. A list of latencies
 * shows how long each took to handle; a histogram that is corrected for coordinated omission shows
 * how long clients wait. Each worker sends its histogram through a pipe, encoded. The service
 * merges them and writes FOLDER/service.hlog, which the tools of HdrHistogram read, and
 * FOLDER/service.json, a trace. `kill -USR1` writes the trace so far.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <tacho/tacho.h>

enum {
    WORKERS = 2,
    WARM_UP = 4,
    REQUESTS = 64,
    SLOW_EACH = 16,
    INTERVAL_NS = 250000,
    ARENA = 256 * 1024,
    PATH_SIZE = 512
};

/* The measurements of a worker. */
struct worker {
    tacho_latency *handled;
    tacho_histogram *waited;
    tacho_memory *memory;
    int arena; /* the category of its buffers */
};

static int complain(const char *what, const tacho_error *err)
{
    fprintf(stderr, "service: %s: %s\n", what, err->message);
    return -1;
}

static void handle_request(struct worker *w, unsigned number)
{
    TACHO_SPAN_ARGS("request", "service", tacho_u64("number", number));
    char *buffer = malloc(ARENA);

    if (!buffer)
        return;
    tacho_memory_add(w->memory, w->arena, ARENA);
    memset(buffer, (int)number, ARENA);
    if (number % SLOW_EACH == 0)
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    free(buffer);
    tacho_memory_add(w->memory, w->arena, -ARENA);
}

static int handle_requests(struct worker *w, tacho_error *err)
{
    int status = 0;

    for (unsigned i = 0; i < WARM_UP + REQUESTS && status == 0; i++) {
        uint64_t start = tacho_trace_now_ns(), took;

        if (i == WARM_UP)
            tacho_histogram_reset(w->waited);
        handle_request(w, i);
        took = tacho_trace_now_ns() - start;
        tacho_histogram_record_corrected(w->waited, took, INTERVAL_NS);
        if (i >= WARM_UP)
            status = tacho_latency_add(
                w->handled, &(tacho_latency_record){.sample_id = i, .wall_ns = took}, err);
    }
    return status;
}

static int report_worker(struct worker *w, tacho_error *err)
{
    tacho_latency_stats handled = TACHO_LATENCY_STATS_INIT;
    tacho_memory_peak peak = TACHO_MEMORY_PEAK_INIT;

    if (tacho_latency_wall_stats(w->handled, &handled, err) < 0 ||
        tacho_memory_category_peak(w->memory, w->arena, &peak, err) < 0)
        return -1;
    printf("worker: %zu requests, handled in %llu us (p90); %s: at most %llu KiB\n",
           tacho_latency_count(w->handled), (unsigned long long)handled.p90 / 1000, peak.name,
           (unsigned long long)peak.peak / 1024);
    return 0;
}

static int send_histogram(const tacho_histogram *h, int fd, tacho_error *err)
{
    void *data = NULL;
    size_t len = 0;
    int status = tacho_histogram_encode(h, &data, &len, err);

    if (status == 0 && write(fd, data, len) != (ssize_t)len)
        status = -1;
    free(data);
    return status;
}

static int run_worker(int fd)
{
    struct worker w = {0};
    tacho_error err = {0};
    int status = -1;

    tacho_process_name("worker");
    if (tacho_latency_new(&w.handled, &err) == 0 && tacho_histogram_new(&w.waited, &err) == 0 &&
        tacho_memory_new("worker", &w.memory, &err) == 0 &&
        (w.arena = tacho_memory_category(w.memory, "arena", &err)) >= 0 &&
        tacho_memory_start(w.memory, TACHO_MEMORY_BASIC, 1000000, &err) == 0 &&
        handle_requests(&w, &err) == 0 && tacho_memory_stop(w.memory, &err) == 0 &&
        report_worker(&w, &err) == 0)
        status = send_histogram(w.waited, fd, &err);
    if (status < 0)
        complain("a worker failed", &err);
    tacho_memory_free(w.memory);
    tacho_histogram_free(w.waited);
    tacho_latency_free(w.handled);
    return status < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Reads an encoded histogram up to the end of the pipe and adds it to `all`. */
static int receive_histogram(int fd, tacho_histogram *all, tacho_error *err)
{
    static char data[256 * 1024];
    tacho_histogram *one = NULL;
    size_t len = 0;
    ssize_t got;

    while (len < sizeof data && (got = read(fd, data + len, sizeof data - len)) > 0)
        len += (size_t)got;
    if (tacho_histogram_decode(data, len, &one, err) < 0)
        return -1;
    tacho_histogram_merge(all, one);
    tacho_histogram_free(one);
    return 0;
}

/* A worker process, and the end of the pipe from which its histogram is read. */
struct running {
    pid_t pid;
    int fd;
};

/* Starts a worker that writes its histogram to w->fd. In the trace, an arrow leads from here to the
   merge, and a span across processes shows how long the worker ran. */
static int start_worker(uint64_t number, struct running *w)
{
    int ends[2];

    fflush(stdout);
    if (pipe(ends) < 0)
        return -1;
    tacho_async("worker", "service", TACHO_PHASE_BEGIN, number, TACHO_NO_FIELDS);
    tacho_span_begin("start", "service");
    tacho_flow("worker", "service", TACHO_PHASE_BEGIN, number);
    tacho_span_end();
    w->pid = fork();
    if (w->pid == 0) {
        close(ends[0]);
        exit(run_worker(ends[1]));
    }
    close(ends[1]);
    w->fd = ends[0];
    return w->pid < 0 ? -1 : 0;
}

/* Adds the histogram of a worker to `all` and waits for the worker. */
static int finish_worker(uint64_t number, const struct running *w, tacho_histogram *all,
                         tacho_error *err)
{
    int status, child = 0;

    tacho_span_begin("merge", "service");
    status = receive_histogram(w->fd, all, err);
    tacho_flow("worker", "service", TACHO_PHASE_END, number);
    tacho_span_end();
    close(w->fd);
    if (waitpid(w->pid, &child, 0) < 0 || child != 0)
        status = -1;
    tacho_async("worker", "service", TACHO_PHASE_END, number,
                TACHO_FIELDS(tacho_i64("status", child)));
    return status;
}

/* Writes a log of one histogram that starts now, and records the time that this took in the
   trace. */
static int write_log(const char *folder, const tacho_histogram *h, double seconds, tacho_error *err)
{
    uint64_t start = tacho_trace_now_ns();
    double now = (double)time(NULL);
    char path[PATH_SIZE], *head = NULL, *line = NULL;
    FILE *out = NULL;
    int status = -1;

    snprintf(path, sizeof path, "%s/service.hlog", folder);
    if (tacho_histogram_log_head(now, &head, err) == 0 &&
        tacho_histogram_line(h, NULL, 0, seconds, &line, err) == 0 && (out = fopen(path, "w")))
        status = fprintf(out, "%s%s", head, line) > 0 ? 0 : -1;
    if (out && fclose(out) != 0)
        status = -1;
    free(line);
    free(head);
    tacho_trace_push("write log", "service", (double)(tacho_trace_now_ns() - start) / 1e6, 1);
    return status;
}

/* Starts the trace, unless TACHO_TRACE_OUT has started one. */
static void start_trace(const char *folder)
{
    char path[PATH_SIZE];
    tacho_error err;

    snprintf(path, sizeof path, "%s/service.json", folder);
    if (!tacho_trace_is_on() && tacho_trace_start(path, &err) < 0)
        fprintf(stderr, "service: there is no trace: %s\n", tacho_trace_why_off());
    if (tacho_event_global_status(&err) < 0)
        complain("there are no profile events", &err);
}

/* Starts a meter. Prints a message and returns NULL where power cannot be measured. */
static tacho_power *start_power(void)
{
    tacho_power *power = NULL;
    tacho_error err;

    if (tacho_power_new("service", &power, &err) == 0 && tacho_power_add_all(power, &err) > 0 &&
        tacho_power_start(power, 5000000, &err) == 0)
        return power;
    printf("power: not measured. Sources are");
    for (const char *const *name = tacho_power_names(); *name; name++)
        printf(" %s", *name);
    printf(" (%s)\n", err.message);
    tacho_power_free(power);
    return NULL;
}

static void report_power(tacho_power *power)
{
    tacho_power_report report = TACHO_POWER_REPORT_INIT;
    tacho_error err;

    if (power && tacho_power_stop(power, &err) < 0)
        complain("power was not recorded", &err);
    for (size_t i = 0; power && tacho_power_report_at(power, i, &report, NULL) == 0; i++)
        printf("power: %s %.3f J in %.3f s, %s\n", report.name, report.joules, report.duration_s,
               tacho_power_status(&report));
    tacho_power_free(power);
}

/* Runs the service between the start of the trace and its end. */
static int serve(const char *folder, tacho_histogram *all, tacho_error *err)
{
    uint64_t start = tacho_trace_now_ns();
    struct running workers[WORKERS];
    tacho_power *power;
    int started = 0, status;

    /* A process must fork before it has threads: in the child, a lock that another thread holds is
       never released. Signals and power start a thread each, so they come after the workers. */
    while (started < WORKERS && start_worker((uint64_t)started, &workers[started]) == 0)
        started++;
    status = started == WORKERS ? 0 : -1;
    if (tacho_trace_is_on() && tacho_trace_flush_on_signal(SIGUSR1, err) < 0)
        complain("SIGUSR1 does not write the trace", err);
    power = start_power();
    for (int i = 0; i < started; i++)
        if (finish_worker((uint64_t)i, &workers[i], all, err) < 0)
            status = -1;
    if (status == 0)
        status = write_log(folder, all, (double)(tacho_trace_now_ns() - start) / 1e9, err);
    report_power(power);
    return status;
}

int main(int argc, char **argv)
{
    tacho_histogram *all = NULL;
    tacho_error err = {0};
    int status = -1;

    if (argc != 2) {
        fprintf(stderr, "usage: service FOLDER\n");
        return 2;
    }
    if (tacho_version_number() < TACHO_VERSION_NUMBER) {
        fprintf(stderr, "service: compiled for libtacho %s, found %s; rebuild it\n", TACHO_VERSION,
                tacho_version());
        return EXIT_FAILURE;
    }
    start_trace(argv[1]);
    if (tacho_histogram_new(&all, &err) == 0)
        status = serve(argv[1], all, &err);
    if (status == 0)
        printf("clients: %llu requests waited %llu to %llu us, p90 %llu us\n",
               (unsigned long long)tacho_histogram_count(all),
               (unsigned long long)tacho_histogram_min(all) / 1000,
               (unsigned long long)tacho_histogram_max(all) / 1000,
               (unsigned long long)tacho_histogram_percentile(all, 90) / 1000);
    else
        complain("failed", &err);
    tacho_histogram_free(all);
    if (tacho_trace_stop(&err) < 0)
        status = complain("the trace is not written", &err);
    return status < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
