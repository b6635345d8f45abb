/* tacho watch: memory, CPU and power of a process tree, live, then a report. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_write.h"
#include "base/number.h"
#include "base/spawn.h"
#include "cmds.h"
#include "format.h"
#include "opt.h"
#include "run/watch.h"
#include "table.h"

enum { PID, INTERVAL, CSV, POWER, IDLE_WATTS, DURATION, PASS_STATUS };

enum { OUT_MAX = 1 << 20, GRAPH = 40 };

struct watch_job {
    struct tch_watch_plan plan;
    uint64_t interval_ns;
    uint64_t duration_ns; /* 0: until it ends */
    bool pass_status;
    bool spawned;
    uint64_t own_peak; /* our largest resident size when it started */
    bool ended;        /* the child was waited for */
    struct tch_spawn_end end;
    int pidfd;
    tacho_error no_power;
    /* What is drawn. */
    size_t lines; /* on the terminal now */
    size_t points;
    double memory[GRAPH];
    double cpu[GRAPH];
    double watts[GRAPH];
    struct tch_watch_now now;
};

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
    interrupted = signal;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = interrupt};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static int parse_options(struct watch_job *job, struct args *args)
{
    const struct opt *opt;
    uint64_t pid = 0;

    while ((opt = next_opt(args))) {
        const char *v = args->value;

        if (opt->id == PID && (tch_parse_u64(v, INT32_MAX, &pid) < 0 || pid == 0))
            return wrong_usage(args, "'%s' is not a process id", v);
        if (opt->id == INTERVAL &&
            (tch_parse_duration(v, &job->interval_ns) < 0 || job->interval_ns < 1000000))
            return wrong_usage(args, "'%s' is not an interval of 1ms or more", v);
        if (opt->id == DURATION && tch_parse_duration(v, &job->duration_ns) < 0)
            return wrong_usage(args, "'%s' is not a duration such as 10s", v);
        if (opt->id == IDLE_WATTS &&
            (tch_parse_f64(v, &job->plan.idle_watts) < 0 || job->plan.idle_watts < 0))
            return wrong_usage(args, "'%s' is not a number of watts", v);
        if (opt->id == CSV)
            job->plan.folder = v;
        if (opt->id == POWER)
            job->plan.power = v;
        if (opt->id == PASS_STATUS)
            job->pass_status = true;
    }
    if ((pid > 0) == (args->count > 0))
        return wrong_usage(args, pid > 0 ? "either a process or a command, not both"
                                         : "say what to watch: -p PID, or -- COMMAND");
    job->plan.pid = (pid_t)pid;
    return EXIT_OK;
}

static uint64_t own_peak(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_maxrss * 1024;
}

static int start_command(struct watch_job *job, const struct args *args)
{
    struct tch_spawn s = {.argv = (const char *const *)args->operands};
    tacho_error err;

    if (tch_spawn(&s, &job->plan.pid, &err) < 0) {
        complain(&err, "cannot start '%s'", args->operands[0]);
        return EXIT_WORK;
    }
    job->own_peak = own_peak();
    job->spawned = true;
    return EXIT_OK;
}

static void push(double values[GRAPH], double value)
{
    memmove(values, values + 1, (GRAPH - 1) * sizeof *values);
    values[GRAPH - 1] = value;
}

static void remember(struct watch_job *job)
{
    push(job->memory, (double)job->now.tree.rss_bytes);
    push(job->cpu, job->now.cpu);
    push(job->watts, job->now.watts);
    job->points += job->points < GRAPH;
}

/* Only what is there yet: an empty half of a graph looks like nothing was used. */
static void add_graph(struct tch_buf *b, const struct term *term, const struct watch_job *job,
                      const double values[GRAPH])
{
    add_spark(b, term, values + GRAPH - job->points, job->points);
}

/* A line of the live display: name, value, graph. */
static void add_live_line(struct tch_buf *b, const struct term *term, const struct watch_job *job,
                          const char *name, const char *value, const double values[GRAPH])
{
    tch_buf_addf(b, "%-8s%10s  ", name, value);
    if (values)
        add_graph(b, term, job, values);
}

static void add_live(struct tch_buf *b, const struct term *term, const struct watch_job *job)
{
    char text[64];
    struct tch_buf value;

    tch_buf_init_on(&value, text, sizeof text, sizeof text - 1);
    add_size(&value, job->now.tree.rss_bytes);
    add_live_line(b, term, job, "memory", text, job->memory);
    tch_buf_adds(b, "  peak ");
    add_size(b, job->now.tree.peak_rss_bytes);
    snprintf(text, sizeof text, isnan(job->now.cpu) ? "-" : "%.0f%%", 100 * job->now.cpu);
    tch_buf_adds(b, "\x1b[K\n");
    add_live_line(b, term, job, "cpu", text, job->cpu);
    tch_buf_addf(b, "  %llu processes\x1b[K\n", (unsigned long long)job->now.tree.processes);
    snprintf(text, sizeof text, isnan(job->now.watts) ? "-" : "%.1f W", job->now.watts);
    if (job->no_power.message[0])
        add_live_line(b, term, job, "power", "no source", NULL);
    else
        add_live_line(b, term, job, "power", text, job->watts);
    tch_buf_adds(b, "\x1b[K\n");
    tch_buf_release(&value);
}

static void erase(struct watch_job *job)
{
    if (job->lines > 0)
        fprintf(stderr, "\x1b[%zuA\x1b[J", job->lines);
    job->lines = 0;
}

static void draw(struct watch_job *job, const struct args *args)
{
    struct tch_buf b;

    if (!args->err.is_tty || args->quiet || args->err.width < 70)
        return;
    tch_buf_init(&b, 64 * 1024);
    if (job->lines > 0)
        tch_buf_addf(&b, "\x1b[%zuA", job->lines);
    add_live(&b, &args->err, job);
    fputs(b.data, stderr);
    job->lines = 3;
    tch_buf_release(&b);
}

/* Until the time comes, a signal does, or the process ends; where the kernel can tell that. */
static void wait_for(const struct watch_job *job, uint64_t until_ns)
{
    uint64_t now = tch_now_ns();
    struct timespec t;

    if (now >= until_ns)
        return;
    t.tv_sec = (time_t)((until_ns - now) / 1000000000);
    t.tv_nsec = (long)((until_ns - now) % 1000000000);
    if (job->pidfd >= 0)
        ppoll(&(struct pollfd){.fd = job->pidfd, .events = POLLIN}, 1, &t, NULL);
    else
        nanosleep(&t, NULL);
}

static bool has_ended(struct watch_job *job)
{
    if (job->pidfd >= 0)
        return poll(&(struct pollfd){.fd = job->pidfd, .events = POLLIN}, 1, 0) > 0;
    return kill(job->plan.pid, 0) < 0 && errno == ESRCH;
}

/* A zombie of ours is still there for kill(): it is asked for instead. */
static bool child_ended(struct watch_job *job)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)job->plan.pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == job->plan.pid;
}

static int watch_it(struct watch_job *job, struct tch_watch *w, const struct args *args,
                    tacho_error *err)
{
    uint64_t start = tch_now_ns();
    uint64_t next = start;

    for (;;) {
        int status;

        next += job->interval_ns;
        if (next < tch_now_ns())
            next = tch_now_ns(); /* late: not twice at once */
        wait_for(job, next);
        if (interrupted && job->spawned)
            kill(job->plan.pid, interrupted);
        if ((interrupted && !job->spawned) ||
            (job->duration_ns > 0 && tch_now_ns() - start >= job->duration_ns))
            break;
        interrupted = 0;
        if (job->spawned ? child_ended(job) : has_ended(job))
            break;
        status = tch_watch_look(w, &job->now, err);
        if (status < 0)
            return status;
        remember(job);
        draw(job, args);
    }
    return tch_watch_look(w, &job->now, err);
}

static int finish_child(struct watch_job *job, struct tch_watch *w)
{
    tacho_error err;

    if (job->duration_ns > 0 && !child_ended(job))
        kill(job->plan.pid, SIGTERM);
    if (tch_spawn_wait(job->plan.pid, &job->end, &err) < 0) {
        complain(&err, "cannot wait for the command");
        return EXIT_WORK;
    }
    job->ended = true;
    tch_watch_ended(w, &job->end.usage, job->own_peak);
    return EXIT_OK;
}

static void add_json_double(struct tch_buf *b, const char *key, double value)
{
    tch_json_key(b, key);
    tch_json_f64(b, value);
}

static void add_json_u64(struct tch_buf *b, const char *key, uint64_t value)
{
    tch_json_key(b, key);
    tch_json_u64(b, value);
}

/* A process that lives has memory: 0 is one that was never seen alive. */
static void add_json_known(struct tch_buf *b, const char *key, uint64_t value)
{
    tch_json_key(b, key);
    if (value > 0)
        tch_json_u64(b, value);
    else
        tch_json_null(b);
}

static void add_json_power(struct tch_buf *b, const tacho_power_report *p)
{
    tch_json_begin_object(b);
    tch_json_key(b, "source");
    tch_json_text(b, p->name);
    add_json_double(b, "joules", p->joules);
    add_json_double(b, "mean_watts", p->mean_watts);
    add_json_double(b, "peak_watts", p->peak_watts);
    add_json_u64(b, "samples", p->samples);
    add_json_u64(b, "dropped", p->dropped);
    tch_json_key(b, "estimated");
    tch_json_bool(b, p->estimated);
    tch_json_end_object(b);
}

static void add_json(struct tch_buf *b, const struct watch_job *job,
                     const struct tch_watch_report *r)
{
    tch_json_begin_object(b);
    tch_json_key(b, "schema");
    tch_json_text(b, "tacho.watch.v1");
    add_json_u64(b, "pid", (uint64_t)job->plan.pid);
    add_json_double(b, "seconds", r->seconds);
    add_json_u64(b, "looks", r->looks);
    add_json_u64(b, "most_processes", r->most_processes);
    add_json_known(b, "peak_rss_bytes", r->peak_rss_bytes);
    add_json_known(b, "peak_rss_at_most_bytes", r->peak_at_most);
    add_json_known(b, "mean_rss_bytes", r->mean_rss_bytes);
    add_json_u64(b, "swap_bytes", r->swap_bytes);
    add_json_u64(b, "minor_faults", r->minor_faults);
    add_json_u64(b, "major_faults", r->major_faults);
    add_json_u64(b, "cpu_ns", r->cpu_ns);
    tch_json_key(b, "wait_status");
    if (job->ended)
        tch_json_i64(b, job->end.status);
    else
        tch_json_null(b);
    tch_json_key(b, "power");
    tch_json_begin_array(b);
    for (size_t i = 0; i < r->sources; i++)
        add_json_power(b, &r->power[i]);
    tch_json_end_array(b);
    add_json_double(b, "joules", r->joules);
    add_json_double(b, "tree_joules", r->tree_joules);
    tch_json_key(b, "no_power");
    if (job->no_power.message[0])
        tch_json_text(b, job->no_power.message);
    else
        tch_json_null(b);
    tch_json_end_object(b);
    tch_buf_addc(b, '\n');
}

static void add_power_rows(struct table *t, const struct watch_job *job,
                           const struct tch_watch_report *r)
{
    for (size_t i = 0; i < r->sources; i++) {
        const tacho_power_report *p = &r->power[i];

        table_add(t, PLAIN, i == 0 ? "energy" : "");
        table_addf(t, BOLD, "%.4g J", p->joules);
        table_addf(t, PLAIN, "%s: %.4g W mean, %.4g W peak, %s%s", p->name, p->mean_watts,
                   p->peak_watts, p->estimated ? "estimated from watts" : "by a counter",
                   p->dropped > 0 ? "; readings failed" : "");
    }
    if (r->sources > 0 && !isnan(r->tree_joules)) {
        table_add(t, PLAIN, "");
        table_addf(t, BOLD, "%.4g J", r->tree_joules);
        table_add(t, PLAIN, "of it this tree's, by CPU time");
    }
    if (r->sources == 0) {
        table_add(t, PLAIN, "energy");
        table_add(t, PLAIN, "-");
        table_add(t, YELLOW, job->no_power.message);
    }
}

static void add_size_row(struct table *t, const char *name, uint64_t bytes, const char *what)
{
    char text[64];
    struct tch_buf b;

    tch_buf_init_on(&b, text, sizeof text, sizeof text - 1);
    add_size(&b, bytes);
    table_add(t, PLAIN, name);
    table_add(t, BOLD, b.data);
    table_add(t, PLAIN, what);
}

static void add_time_row(struct table *t, const char *name, double ns, const char *what)
{
    char text[64];
    struct tch_buf b;

    tch_buf_init_on(&b, text, sizeof text, sizeof text - 1);
    add_duration(&b, ns);
    table_add(t, PLAIN, name);
    table_add(t, BOLD, b.data);
    table_add(t, PLAIN, what);
}

static void add_memory_rows(struct table *t, const struct tch_watch_report *r)
{
    if (r->peak_rss_bytes > 0)
        add_size_row(t, "memory", r->peak_rss_bytes, "peak");
    else if (r->peak_at_most > 0)
        add_size_row(t, "memory", r->peak_at_most,
                     "at most: no more is known of one that ended so soon");
    if (r->peak_rss_bytes > 0 && r->mean_rss_bytes > 0)
        add_size_row(t, "", r->mean_rss_bytes, "mean");
    if (r->peak_rss_bytes == 0 && r->peak_at_most == 0) {
        table_add(t, PLAIN, "memory");
        table_add(t, PLAIN, "-");
        table_add(t, YELLOW, "not known: it ended before it could be looked at");
    }
    if (r->swap_bytes > 0)
        add_size_row(t, "", r->swap_bytes, "swapped out at most");
}

static void add_text(struct tch_buf *b, const struct watch_job *job,
                     const struct tch_watch_report *r, const struct args *args)
{
    static const struct column columns[] = {{.fit = FIT_WHOLE}, {.right = true}, {.fit = FIT_WRAP}};
    struct table t;
    char what[128] = "ended before it could be looked at";

    table_init(&t, &args->out, columns, 3);
    if (r->most_processes > 0)
        snprintf(what, sizeof what, "looked at %llu times, up to %llu process%s",
                 (unsigned long long)r->looks, (unsigned long long)r->most_processes,
                 r->most_processes == 1 ? "" : "es");
    add_time_row(&t, "time", r->seconds * 1e9, what);
    snprintf(what, sizeof what, "%.0f%% of a CPU",
             r->seconds > 0 ? (double)r->cpu_ns / 1e7 / r->seconds : 0);
    add_time_row(&t, "cpu", (double)r->cpu_ns, what);
    add_memory_rows(&t, r);
    table_add(&t, PLAIN, "faults");
    table_addf(&t, BOLD, "%llu", (unsigned long long)r->minor_faults);
    table_addf(&t, PLAIN, "minor, %llu major", (unsigned long long)r->major_faults);
    add_power_rows(&t, job, r);
    table_print(&t, b);
    table_release(&t);
}

/* How the command ended, as an exit status of ours. */
static int status_of(const struct watch_job *job, const struct args *args)
{
    int status = job->end.status;
    int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);

    if (!job->ended || code == 0 || (job->duration_ns > 0 && WIFSIGNALED(status)))
        return EXIT_OK;
    if (WIFSIGNALED(status))
        complain(NULL, "'%s' was ended by signal %d", args->operands[0], WTERMSIG(status));
    else
        complain(NULL, "'%s' ended with status %d", args->operands[0], code);
    return job->pass_status ? code : EXIT_WORK;
}

static int watch_and_report(struct watch_job *job, const struct args *args)
{
    struct tch_watch *w = NULL;
    struct tch_watch_report report;
    struct tch_buf b;
    tacho_error err;
    int status = EXIT_WORK;

    if (tch_watch_open(&job->plan, &w, &job->no_power, &err) < 0) {
        complain(&err, "cannot watch process %ld", (long)job->plan.pid);
        goto out;
    }
    if (watch_it(job, w, args, &err) < 0) {
        complain(&err, "cannot go on watching process %ld", (long)job->plan.pid);
        goto out;
    }
    if (job->spawned && finish_child(job, w) != EXIT_OK)
        goto out;
    erase(job);
    tch_watch_report(w, &report);
    tch_buf_init(&b, OUT_MAX);
    if (args->json)
        add_json(&b, job, &report);
    else
        add_text(&b, job, &report, args);
    status = put_out(&b);
    if (tch_watch_close(w, &err) < 0) {
        complain(&err, "cannot write the files");
        status = EXIT_WORK;
    }
    w = NULL;
out:
    erase(job);
    tch_watch_discard(w);
    if (job->spawned && !job->ended) { /* not watched, it need not run */
        kill(job->plan.pid, SIGTERM);
        tch_spawn_wait(job->plan.pid, &job->end, NULL);
    }
    return status;
}

static int run_watch(struct args *args)
{
    struct watch_job job = {.plan = {.root = ""}, .interval_ns = 100000000, .pidfd = -1};
    int status = parse_options(&job, args);

    if (status != EXIT_OK)
        return status;
    catch_signals();
    if (args->count > 0)
        status = start_command(&job, args);
    if (status != EXIT_OK)
        return status;
    job.pidfd = (int)syscall(SYS_pidfd_open, job.plan.pid, 0); /* -1 on kernels before 5.3 */
    status = watch_and_report(&job, args);
    if (job.pidfd >= 0)
        close(job.pidfd);
    return status == EXIT_OK ? status_of(&job, args) : status;
}

static const struct opt opts[] = {
    {.id = PID, .name = "pid", .letter = 'p', .arg = "PID", .help = "a process that runs"},
    {.id = INTERVAL,
     .name = "interval",
     .letter = 'i',
     .arg = "TIME",
     .help = "how often to look, 100ms when not given"},
    {.id = DURATION, .name = "duration", .arg = "TIME", .help = "stop after so long"},
    {.id = CSV,
     .name = "csv",
     .arg = "DIR",
     .help = "write memory.csv, memory-detail.csv and power.csv there",
     .complete = COMPLETE_DIR},
    {.id = POWER,
     .name = "power",
     .arg = "SOURCE",
     .help = "rapl, perf, hwmon, nvml, rocm, battery, fixed:W or replay:FILE; what there is "
             "when not given"},
    {.id = IDLE_WATTS,
     .name = "idle-watts",
     .arg = "W",
     .help = "what the machine draws doing nothing; taken off before energy is shared out"},
    {.id = PASS_STATUS, .name = "pass-status", .help = "end with the command's own exit status"},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "COMMAND",
     .help = "a program and its arguments",
     .optional = true,
     .many = true,
     .complete = COMPLETE_PROGRAM},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho watch -- ./bench --samples 1000", "Start a program and watch it."},
    {"tacho watch -p 4711 --csv out", "Watch one that runs, and keep the numbers."},
    {NULL, NULL},
};

const struct cmd cmd_watch = {
    .name = "watch",
    .summary = "memory, CPU and power of a process tree, live",
    .usage = "tacho watch [OPTIONS] -p PID\ntacho watch [OPTIONS] -- COMMAND [ARGUMENTS]",
    .about = "Looks at a process and all its descendants at an interval, draws memory, CPU and "
             "power in the terminal, and ends with a report. Memory is the sum of the resident "
             "sizes: what processes share counts for each. Where there is no power source the "
             "report says so.\n\n"
             "It ends when the process does, after --duration, or, with -p, on an interrupt. A "
             "command that it started is sent SIGTERM after --duration.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .json = true,
    .runs_program = true,
    .run = run_watch,
};
