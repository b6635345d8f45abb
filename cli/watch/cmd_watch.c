/* tacho watch: memory, CPU and power of a process tree, live, then a report. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/human_number.h"
#include "base/number.h"
#include "base/spawn.h"
#include "cli/cmds.h"
#include "cli/core/bars.h"
#include "cli/core/opt.h"
#include "cli/core/table.h"
#include "kit/flame/backend/process_guard.h"
#include "kit/run/process_watch.h"

enum { OUT_MAX = 1 << 20, WATCH_GRAPH = 40 };

struct watch_job {
    struct tch_watch_plan plan;
    uint64_t interval_ns;
    uint64_t duration_ns; /* 0: until it ends */
    bool pass_status;
    bool spawned;
    uint64_t own_peak; /* our largest resident size when it started */
    bool ended;        /* the child was waited for */
    struct tch_spawn_end end;
    struct tch_guard guard; /* kills the command if we are killed */
    int pidfd;
    tacho_error no_power;
    /* What is drawn. */
    size_t lines; /* on the terminal now */
    size_t points;
    double memory[WATCH_GRAPH];
    double cpu[WATCH_GRAPH];
    double watts[WATCH_GRAPH];
    struct tch_watch_now now;
};

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
    interrupted = signal;
}

static int take_watts(void *into, const struct args *args, const struct opt *opt)
{
    struct watch_job *job = into;
    double *watts = &job->plan.idle_watts;

    (void)opt;
    if (tch_parse_f64(args->value, watts) < 0 || *watts < 0 || !isfinite(*watts))
        return cli_wrong_usage(args, "'%s' is not a number of watts", args->value);
    return EXIT_OK;
}

/* --- What is shown: lines with small graphs while it runs, then a report --- */

static void push_point(double values[WATCH_GRAPH], double value)
{
    memmove(values, values + 1, (WATCH_GRAPH - 1) * sizeof *values);
    values[WATCH_GRAPH - 1] = value;
}

/* Appends the current sample to the graphs. */
static void remember_sample(struct watch_job *job)
{
    push_point(job->memory, (double)job->now.tree.rss_bytes);
    push_point(job->cpu, job->now.cpu);
    push_point(job->watts, job->now.watts);
    job->points += job->points < WATCH_GRAPH;
}

/* A line of the live display: name, value, graph. */
static void add_live_line(struct tch_buf *b, const struct term *term, const struct watch_job *job,
                          const char *name, const char *value, const double values[WATCH_GRAPH])
{
    tch_buf_addf(b, "%-8s%10s  ", name, value);
    if (values) /* only what is there yet: an empty half looks like nothing was used */
        cli_add_spark(b, term, values + WATCH_GRAPH - job->points, job->points);
}

/* Three lines for a terminal. */
static void add_live(struct tch_buf *b, const struct term *term, const struct watch_job *job)
{
    char text[64];
    struct tch_buf value;

    tch_buf_init_on(&value, text, sizeof text, sizeof text - 1);
    tch_add_value(&value, TCH_BYTES, (double)job->now.tree.rss_bytes);
    add_live_line(b, term, job, "memory", text, job->memory);
    tch_buf_adds(b, "  peak ");
    tch_add_value(b, TCH_BYTES, (double)job->now.tree.peak_rss_bytes);
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

static void add_power_rows(struct table *t, const struct watch_job *job,
                           const struct tch_watch_report *r)
{
    for (size_t i = 0; i < r->sources; i++) {
        const tacho_power_report *p = &r->power[i];

        cli_table_add(t, PLAIN, i == 0 ? "energy" : "");
        cli_table_addf(t, BOLD, "%.4g J", p->joules);
        cli_table_addf(t, PLAIN, "%s: %.4g W mean, %.4g W peak, %s%s", p->name, p->mean_watts,
                       p->peak_watts, p->estimated ? "estimated from watts" : "by a counter",
                       p->dropped > 0 ? "; readings failed" : "");
    }
    if (r->sources > 0 && !isnan(r->tree_joules)) {
        cli_table_add(t, PLAIN, "");
        cli_table_addf(t, BOLD, "%.4g J", r->tree_joules);
        cli_table_add(t, PLAIN, "of it this tree's, by CPU time");
    }
    if (r->sources == 0) {
        cli_table_add(t, PLAIN, "energy");
        cli_table_add(t, PLAIN, "-");
        cli_table_add(t, YELLOW, job->no_power.message);
    }
}

static void add_value_row(struct table *t, const char *name, enum tch_unit unit, double value,
                          const char *what)
{
    char text[64];
    struct tch_buf b;

    tch_buf_init_on(&b, text, sizeof text, sizeof text - 1);
    tch_add_value(&b, unit, value);
    cli_table_add(t, PLAIN, name);
    cli_table_add(t, BOLD, b.data);
    cli_table_add(t, PLAIN, what);
}

static void add_memory_rows(struct table *t, const struct tch_watch_report *r)
{
    if (r->peak_rss_bytes > 0)
        add_value_row(t, "memory", TCH_BYTES, (double)r->peak_rss_bytes, "peak");
    else if (r->peak_at_most > 0)
        add_value_row(t, "memory", TCH_BYTES, (double)r->peak_at_most,
                      "at most: no more is known of one that ended so soon");
    if (r->peak_rss_bytes > 0 && r->mean_rss_bytes > 0)
        add_value_row(t, "", TCH_BYTES, (double)r->mean_rss_bytes, "mean");
    if (r->peak_rss_bytes == 0 && r->peak_at_most == 0) {
        cli_table_add(t, PLAIN, "memory");
        cli_table_add(t, PLAIN, "-");
        cli_table_add(t, YELLOW, "not known: it ended before it could be looked at");
    }
    if (r->swap_bytes > 0)
        add_value_row(t, "", TCH_BYTES, (double)r->swap_bytes, "swapped out at most");
}

static void add_text(struct tch_buf *b, const struct watch_job *job,
                     const struct tch_watch_report *r, const struct args *args)
{
    static const struct column columns[] = {{.fit = FIT_WHOLE}, {.right = true}, {.fit = FIT_WRAP}};
    struct table t;
    char what[128] = "ended before it could be looked at";

    cli_table_init(&t, &args->out, columns, 3);
    if (r->most_processes > 0)
        snprintf(what, sizeof what, "looked at %llu times, up to %llu process%s",
                 (unsigned long long)r->looks, (unsigned long long)r->most_processes,
                 r->most_processes == 1 ? "" : "es");
    add_value_row(&t, "time", TCH_NS, r->seconds * 1e9, what);
    what[0] = '\0'; /* of one that ended so soon, its time is that since it was started: no share */
    if (r->most_processes > 0)
        snprintf(what, sizeof what, "%.0f%% of a CPU",
                 r->seconds > 0 ? (double)r->cpu_ns / 1e7 / r->seconds : 0);
    add_value_row(&t, "cpu", TCH_NS, (double)r->cpu_ns, what);
    add_memory_rows(&t, r);
    cli_table_add(&t, PLAIN, "faults");
    cli_table_addf(&t, BOLD, "%llu", (unsigned long long)r->minor_faults);
    cli_table_addf(&t, PLAIN, "minor, %llu major", (unsigned long long)r->major_faults);
    add_power_rows(&t, job, r);
    cli_table_print(&t, b);
    cli_table_release(&t);
}

/* --- Watching --- */

static int start_command(struct watch_job *job, const struct args *args)
{
    struct tch_spawn s = {.argv = (const char *const *)args->operands};
    struct rusage usage;
    tacho_error err;

    tch_guard_open(&job->guard);
    if (tch_spawn(&s, &job->plan.pid, &err) < 0) {
        cli_complain(&err, "cannot start '%s'", args->operands[0]);
        tch_guard_close(&job->guard);
        return EXIT_WORK;
    }
    tch_guard_watch(&job->guard, job->plan.pid);
    getrusage(RUSAGE_SELF, &usage);
    job->own_peak = (uint64_t)usage.ru_maxrss * 1024;
    job->spawned = true;
    return EXIT_OK;
}

static void erase_live(struct watch_job *job)
{
    if (job->lines > 0)
        fprintf(stderr, "\x1b[%zuA\x1b[J", job->lines);
    job->lines = 0;
}

static void draw_live(struct watch_job *job, const struct args *args)
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
        status = tch_watch_poll(w, &job->now, err);
        if (status < 0)
            return status;
        remember_sample(job);
        draw_live(job, args);
    }
    return tch_watch_poll(w, &job->now, err);
}

static int finish_child(struct watch_job *job, struct tch_watch *w)
{
    tacho_error err;

    if (job->duration_ns > 0 && !child_ended(job))
        kill(job->plan.pid, SIGTERM);
    if (tch_spawn_wait(job->plan.pid, &job->end, &err) < 0) {
        cli_complain(&err, "cannot wait for the command");
        return EXIT_WORK;
    }
    job->ended = true;
    tch_watch_ended(w, &job->end.usage, job->own_peak);
    return EXIT_OK;
}

/* How the command ended, as an exit status of ours. */
static int judge_command(const struct watch_job *job, const struct args *args)
{
    int status = job->end.status;
    int code;

    if (!job->ended || status == 0 || (job->duration_ns > 0 && WIFSIGNALED(status)))
        return EXIT_OK;
    code = cli_complain_of_status(args->operands[0], status);
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
        cli_complain(&err, "cannot watch process %ld", (long)job->plan.pid);
        goto out;
    }
    if (watch_it(job, w, args, &err) < 0) {
        cli_complain(&err, "cannot go on watching process %ld", (long)job->plan.pid);
        goto out;
    }
    if (job->spawned && finish_child(job, w) != EXIT_OK)
        goto out;
    erase_live(job);
    tch_watch_report(w, &report);
    tch_buf_init(&b, OUT_MAX);
    if (args->json)
        tch_watch_json(&b, &report, job->plan.pid, job->ended ? &job->end.status : NULL,
                       job->no_power.message[0] ? job->no_power.message : NULL);
    else
        add_text(&b, job, &report, args);
    status = cli_print(&b);
    if (tch_watch_close(w, &err) < 0) {
        cli_complain(&err, "cannot write the files");
        status = EXIT_WORK;
    }
    w = NULL;
out:
    erase_live(job);
    tch_watch_discard(w);
    if (job->spawned && !job->ended) { /* not watched, it need not run */
        kill(job->plan.pid, SIGTERM);
        tch_spawn_wait(job->plan.pid, &job->end, NULL);
    }
    return status;
}

static int run_watch(struct args *args)
{
    struct sigaction action = {.sa_handler = interrupt};
    struct watch_job job = {
        .plan = {.root = ""}, .interval_ns = 100000000, .guard = TCH_NO_GUARD, .pidfd = -1};
    int status = cli_set_opts(args, &job, NULL);
    bool by_pid = job.plan.pid > 0;

    if (status == EXIT_OK && by_pid == (args->count > 0))
        status = cli_wrong_usage(args, by_pid ? "either a process or a command, not both"
                                              : "say what to watch: -p PID, or -- COMMAND");
    if (status != EXIT_OK)
        return status;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (args->count > 0)
        status = start_command(&job, args);
    if (status != EXIT_OK)
        return status;
    job.pidfd = (int)syscall(SYS_pidfd_open, job.plan.pid, 0); /* -1 on kernels before 5.3 */
    status = watch_and_report(&job, args);
    tch_guard_close(&job.guard);
    if (job.pidfd >= 0)
        close(job.pidfd);
    return status == EXIT_OK ? judge_command(&job, args) : status;
}

static const char *const power_sources[] = {"rapl",    "perf",   "hwmon",   "nvml", "rocm",
                                            "battery", "fixed:", "replay:", NULL};

static const struct opt opts[] = {
    {.name = "pid",
     .letter = 'p',
     .arg = "PID",
     .help = "a process that runs",
     .set = CLI_SET(struct watch_job, plan.pid, .kind = TCH_SET_U32, .least = 1, .most = INT32_MAX),
     .not_a = "a process id"},
    {.name = "interval",
     .letter = 'i',
     .arg = "TIME",
     .help = "how often to look, 100ms when not given",
     .set = CLI_SET(struct watch_job, interval_ns, .kind = TCH_SET_DURATION, .least = 1000000),
     .not_a = "an interval of 1ms or more"},
    {.name = "duration",
     .arg = "TIME",
     .help = "stop after so long",
     .set = CLI_SET(struct watch_job, duration_ns, .kind = TCH_SET_DURATION),
     .not_a = "a duration such as 10s"},
    {.name = "csv",
     .arg = "DIR",
     .help = "write memory.csv, memory-detail.csv and power.csv there",
     .complete = COMPLETE_DIR,
     CLI_TEXT(struct watch_job, plan.folder)},
    {.name = "power",
     .arg = "SOURCE",
     .help = "rapl, perf, hwmon, nvml, rocm, battery, fixed:W or replay:FILE; what there is "
             "when not given",
     .offers = power_sources,
     CLI_TEXT(struct watch_job, plan.power)},
    {.name = "idle-watts",
     .arg = "W",
     .help = "what the machine draws doing nothing; taken off before energy is shared out",
     .take = take_watts},
    {.name = "pass-status",
     .help = "end with the command's own exit status",
     CLI_FLAG(struct watch_job, pass_status)},
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

static const struct exit_note exits[] = {
    {EXIT_WORK, "could not do the work, or the command failed; with --pass-status its own status"},
    EXIT_NOTE_STOPPED,
    {0, NULL},
};

static const struct man_item files[] = {
    {"/proc/PID", "The memory and CPU time of processes."},
    {"/sys/class/powercap, /sys/class/hwmon, /sys/class/power_supply", "Sources of power."},
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
    .exits = exits,
    .json = true,
    .runs_program = true,
    .run = run_watch,
    .files = files,
};
