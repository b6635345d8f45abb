/* tacho watch: memory, CPU and power of a process tree, live, then a report. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/number.h"
#include "cli/cmds.h"
#include "cli/core/stop.h"
#include "cmd_watch_parts.h"
#include "kit/run/plan/run_plan.h"
#include "process/tree.h"

enum { OUT_MAX = 1 << 20, LIVE_WIDTH = 70 };

static int take_watts(void *into, const struct args *args, const struct opt *opt)
{
    struct watch_job *job = into;
    double *watts = &job->plan.idle_watts;

    (void)opt;
    if (tch_parse_f64(args->value, watts) < 0 || *watts < 0 || !isfinite(*watts))
        return cli_wrong_usage(args, "'%s' is not a number of watts", args->value);
    return EXIT_OK;
}

/* --- Watching --- */

static int start_command(struct watch_job *job, const struct args *args)
{
    struct tch_spawn s = {.argv = (const char *const *)args->operands};
    struct rusage usage;
    tacho_error err;
    int output;
    int status;

    cli_watch_redirect(job, args, &s, &output);
    status = tch_keep(&job->keeper, &s, &err);
    if (output >= 0)
        close(output);
    if (status < 0) {
        cli_complain(&err, "cannot start '%s'", args->operands[0]);
        return EXIT_WORK;
    }
    job->plan.pid = job->keeper.pid;
    getrusage(RUSAGE_SELF, &usage);
    job->own_peak = (uint64_t)usage.ru_maxrss * 1024;
    job->spawned = true;
    return EXIT_OK;
}

/* Waits for the given time, a signal, the exit of the process or its output, whichever is first. */
static void wait_for(const struct watch_job *job, uint64_t until_ns)
{
    struct pollfd fds[] = {{.fd = job->pidfd, .events = POLLIN},
                           {.fd = job->output, .events = POLLIN}};
    uint64_t now = tch_now_ns();
    struct timespec t;

    if (now >= until_ns)
        return;
    t.tv_sec = (time_t)((until_ns - now) / 1000000000);
    t.tv_nsec = (long)((until_ns - now) % 1000000000);
    ppoll(fds, 2, &t, NULL); /* ignores a descriptor of -1 */
}

static bool has_ended(struct watch_job *job)
{
    if (job->pidfd >= 0)
        return poll(&(struct pollfd){.fd = job->pidfd, .events = POLLIN}, 1, 0) > 0;
    return kill(job->plan.pid, 0) < 0 && errno == ESRCH;
}

/* Waits until the next sample is due and copies the command's output until then. Returns false when
   there is nothing more to watch. */
static bool await_sample(struct watch_job *job, uint64_t due_ns, const struct args *args)
{
    bool first = true;

    while (first || tch_now_ns() < due_ns) {
        size_t before = job->unfinished.len;

        first = false;
        wait_for(job, due_ns);
        if (*job->stop || (job->spawned ? tch_keeper_ended(&job->keeper) : has_ended(job)))
            return false;
        cli_watch_relay(job, false);
        if (job->lines == 0 || job->unfinished.len != before)
            cli_watch_draw(job, args);
    }
    return true;
}

static int watch_it(struct watch_job *job, struct tch_watch *w, const struct args *args,
                    tacho_error *err)
{
    uint64_t start = tch_now_ns();
    uint64_t end = job->duration_ns > 0 ? start + job->duration_ns : UINT64_MAX;
    uint64_t next = start;

    while (next < end) {
        int status;

        next += job->interval_ns;
        if (next < tch_now_ns())
            next = tch_now_ns(); /* late: no two polls at once */
        if (next > end)
            next = end;
        if (!await_sample(job, next, args))
            break;
        status = tch_watch_poll(w, &job->now, err);
        if (status < 0)
            return status;
        cli_watch_remember(job);
        cli_watch_draw(job, args);
    }
    return tch_watch_poll(w, &job->now, err);
}

/* Stops a command that still runs: sends the signal that was received, or SIGTERM. Ends its
   descendants, which are listed before they lose their parent, when it has exited. A second later,
   kills them all. */
static void end_child(struct watch_job *job)
{
    enum { PATIENCE_MS = 100 };
    uint64_t limit = tch_now_ns() + TCH_RUN_GRACE_NS;
    struct tch_tree tree = {.keeper = job->keeper.keeper};

    if (tch_keeper_ended(&job->keeper))
        return;
    tch_tree_find(&tree, job->plan.pid);
    kill(job->plan.pid, *job->stop ? *job->stop : SIGTERM);
    while (!tch_keeper_ended(&job->keeper) && tch_now_ns() < limit) {
        uint64_t soon = tch_now_ns() + 10000000;

        wait_for(job, soon < limit ? soon : limit);
        cli_watch_relay(job, false);
    }
    if (tch_keeper_ended(&job->keeper))
        tch_tree_end(&tree, PATIENCE_MS, TCH_TREE_GRACE_MS);
    else
        tch_tree_end(&tree, 0, 0);
    tch_tree_release(&tree);
}

static int finish_child(struct watch_job *job, struct tch_watch *w)
{
    tacho_error err;

    end_child(job);
    if (tch_keeper_wait(&job->keeper, UINT64_MAX, &job->end, &err) < 0) {
        cli_complain(&err, "cannot wait for the command");
        return EXIT_WORK;
    }
    job->ended = true;
    cli_watch_relay(job, true);
    tch_watch_ended(w, &job->end.usage, job->own_peak);
    return EXIT_OK;
}

/* Returns the exit status for how the command exited. */
static int judge_command(const struct watch_job *job, const struct args *args)
{
    int status = job->end.status;
    int code;

    if (!job->ended || status == 0 || *job->stop || (job->duration_ns > 0 && WIFSIGNALED(status)))
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
        cli_complain(&err, "cannot continue to watch process %ld", (long)job->plan.pid);
        goto out;
    }
    if (job->spawned && finish_child(job, w) != EXIT_OK)
        goto out;
    cli_watch_erase(job);
    tch_watch_report(w, &report);
    if (report.missed > 0)
        cli_warn("%llu polls failed, so their rows are missing: %s",
                 (unsigned long long)report.missed, report.why_missed.message);
    tch_buf_init(&b, OUT_MAX);
    if (args->json)
        tch_watch_json(&b, &report, job->plan.pid, job->ended ? &job->end.status : NULL,
                       job->no_power.message[0] ? job->no_power.message : NULL);
    else
        cli_watch_add_report(&b, job, &report, args);
    status = cli_print(&b);
    if (tch_watch_close(w, &err) < 0) {
        cli_complain(&err, "cannot write the files");
        status = EXIT_WORK;
    }
    w = NULL;
out:
    cli_watch_erase(job);
    tch_watch_discard(w);
    if (job->spawned && !job->ended) { /* stop the command when watching stops */
        end_child(job);
        cli_watch_relay(job, true);
    }
    return status;
}

static int measure_idle(struct watch_job *job, const struct args *args)
{
    tacho_error err;
    int status;

    if (args->count == 0)
        return cli_wrong_usage(
            args,
            "--measure-idle needs a command, because process %ld already runs; use "
            "--idle-watts instead",
            (long)job->plan.pid);
    if (job->plan.idle_watts > 0)
        return cli_wrong_usage(args, "--measure-idle and --idle-watts exclude each other");
    if (job->plan.power && strncmp(job->plan.power, "fixed:", 6) == 0)
        return cli_wrong_usage(
            args,
            "--measure-idle needs a power source that is read; --power-source %s is not, "
            "so remove one of them",
            job->plan.power);
    status = tch_watch_idle(&job->plan, job->idle_ns, job->stop, &err);
    if (status < 0)
        cli_complain(&err, "cannot measure the idle power");
    if (status > 0)
        cli_complain(NULL, "interrupted while the idle power was measured");
    return status == 0 ? EXIT_OK : EXIT_WORK;
}

static int run_watch(struct args *args)
{
    struct watch_job job = {.plan = {.root = ""},
                            .interval_ns = 100000000,
                            .keeper = TCH_NO_KEEPER,
                            .pidfd = -1,
                            .output = -1};
    int status = cli_set_opts(args, &job, NULL);
    bool by_pid = job.plan.pid > 0;

    if (status == EXIT_OK && by_pid == (args->count > 0))
        status = cli_wrong_usage(args, by_pid ? "-p cannot be combined with a command; remove one"
                                              : "nothing to watch: give -p PID or -- COMMAND");
    if (status != EXIT_OK)
        return status;
    job.stop = cli_catch_stop();
    job.live = args->err.is_tty && !args->quiet && args->err.width >= LIVE_WIDTH;
    if (job.idle_ns > 0)
        status = measure_idle(&job, args);
    if (status != EXIT_OK)
        return status;
    tch_buf_init(&job.unfinished, WATCH_LINE);
    if (args->count > 0)
        status = start_command(&job, args);
    if (status != EXIT_OK)
        return status;
    job.pidfd = (int)syscall(SYS_pidfd_open, job.plan.pid, 0); /* -1 on kernels before 5.3 */
    status = watch_and_report(&job, args);
    tch_keeper_close(&job.keeper);
    tch_buf_release(&job.unfinished);
    if (job.pidfd >= 0)
        close(job.pidfd);
    return status == EXIT_OK ? judge_command(&job, args) : status;
}

static int take_power(void *into, const struct args *args, const struct opt *opt)
{
    tacho_error err;

    if (tch_power_check(args->value, "", &err) < 0)
        return cli_wrong_usage(args, "%s", err.message);
    return cli_set_field(args, opt, into);
}

static const char *const power_sources[] = {"rapl",    "perf",   "hwmon",   "nvml", "rocm",
                                            "battery", "fixed:", "replay:", NULL};

static const struct opt opts[] = {
    {.name = "pid",
     .letter = 'p',
     .arg = "PID",
     .help = "watch this running process",
     .set = CLI_SET(struct watch_job, plan.pid, .kind = TCH_SET_U32, .least = 1, .most = INT32_MAX),
     .not_a = "a process id"},
    {.name = "interval",
     .letter = 'i',
     .arg = "TIME",
     .help = "poll every TIME (default 100ms, at least 1ms)",
     .set = CLI_SET(struct watch_job, interval_ns, .kind = TCH_SET_DURATION, .least = 1000000),
     .not_a = "an interval of 1ms or more"},
    {.name = "duration",
     .arg = "TIME",
     .help = "stop after TIME",
     .set = CLI_SET(struct watch_job, duration_ns, .kind = TCH_SET_DURATION),
     .not_a = "a duration such as 10s"},
    {.name = "csv",
     .arg = "DIR",
     .help = "write memory.csv, memory-detail.csv and power.csv into DIR",
     .complete = COMPLETE_DIR,
     CLI_TEXT(struct watch_job, plan.folder)},
    {.name = "columns",
     .arg = "WHICH",
     .help = "write memory.csv with the two columns that are measured (short), or with all of "
             "ruvector-profiler, the others 0 (reference) (default short)",
     CLI_CHOICE(struct watch_job, plan.columns, tch_csv_columns_names)},
    {.name = "power-source",
     .arg = "SOURCE",
     .help = "read power from rapl, perf, hwmon, nvml, rocm, battery, fixed:W or replay:FILE "
             "(default: the best available)",
     .offers = power_sources,
     CLI_TEXT(struct watch_job, plan.power),
     .take = take_power},
    {.name = "idle-watts",
     .arg = "W",
     .help =
         "subtract W, the power of the idle machine, before energy is attributed to the process",
     .take = take_watts},
    {.name = "measure-idle",
     .arg = "TIME",
     .help = "measure the idle power for TIME, such as 5s, before the command starts",
     .set = CLI_SET(struct watch_job, idle_ns, .kind = TCH_SET_DURATION, .least = 100000000),
     .not_a = "a time of 100ms or more"},
    {.name = "pass-status",
     .help = "exit with the command's exit status",
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
    {"tacho watch -p 4711 --csv out", "Watch a running process and record its memory and power."},
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
    .summary = "show memory, CPU and power of a process tree, live",
    .usage = "tacho watch [OPTIONS] -p PID\ntacho watch [OPTIONS] -- COMMAND [ARGUMENTS]",
    .about =
        "Polls a process and all its descendants at an interval, draws memory, CPU and power in "
        "the terminal, and prints a report at the end. Memory is the sum of the resident sizes, so "
        "memory that processes share counts once for each of them. Without a power source the "
        "report says so.\n\n"
        "Watching stops when the process exits, after --duration, or on an interrupt. A command "
        "that tacho started then gets SIGTERM, or the signal that tacho received, and SIGKILL a "
        "second later. The command's output is shown above the graphs; with --json it goes to "
        "standard error.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .exits = exits,
    .json = true,
    .runs_program = true,
    .run = run_watch,
    .files = files,
};
