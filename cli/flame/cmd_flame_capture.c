/* tacho flame -- COMMAND: profiles a command, a process or the machine and draws the profile. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include <tacho/flame.h>

#include "base/fail.h"
#include "base/number.h"
#include "cli/core/stop.h"
#include "cli/core/table.h"
#include "cmd_flame_parts.h"
#include "kit/flame/draw/palette.h"
#include "kit/flame/flame_json.h"
#include "kit/flame/sample/perf_event_kind.h"
#include "kit/flame/sample/perf_rings.h"
#include "kit/text/human_number.h"
#include "process/spawn.h"

enum { ENV_MAX = 256, OUT_MAX = 1 << 20 };

static const char *const call_graphs[] = {"auto", "fp", "dwarf", NULL};
static const char *const profilers[] = {"native", "perf",   "perf-inferno",   "preload",
                                        "ptrace", "dtrace", "dtrace-inferno", "cargo-flamegraph",
                                        NULL};

/* One call of `tacho flame`: its options and the request made from them. */
struct capture {
    struct args *args;
    tacho_flame_request request;
    const char *env[ENV_MAX + 1];
    size_t env_count;
    bool pass_status;
};

/* The write end of the pipe by which a signal stops the capture. */
static int stop_write = -1;

static void stop(int number)
{
    int saved = errno;
    ssize_t ignored = write(stop_write, "", 1);

    (void)ignored;
    cli_note_stop(number);
    errno = saved;
}

static int take_stack_size(void *into, const struct args *args, const struct opt *opt)
{
    struct capture *c = into;
    uint64_t size;

    (void)opt;
    if (tch_parse_size(args->value, &size) < 0 || size == 0 || size > TCH_STACK_COPY_MAX ||
        size % 8 != 0)
        return cli_wrong_usage(args, "'%s' is not a multiple of 8 from 8 to 63k", args->value);
    c->request.stack_bytes = (uint32_t)size;
    return EXIT_OK;
}

static int take_env(void *into, const struct args *args, const struct opt *opt)
{
    struct capture *c = into;
    const char *value = args->value;

    (void)opt;
    if (!strchr(value, '=') || value[0] == '=')
        return cli_wrong_usage(c->args, "'%s' is not NAME=VALUE", value);
    if (c->env_count == ENV_MAX)
        return cli_wrong_usage(c->args, "there are more than %d --env options", ENV_MAX);
    c->env[c->env_count++] = value;
    c->request.env = c->env;
    return EXIT_OK;
}

/* Sets the command. A shell command line passed as one word is not a program. */
static int check_command(struct capture *c)
{
    char path[PATH_MAX];
    const char *program = c->args->operands[0];

    if (c->args->count == 1 && strpbrk(program, " |;&<>$") &&
        tch_find_program(program, path, sizeof path, NULL) < 0)
        return cli_wrong_usage(
            c->args,
            "there is no program '%s'; for a shell command use: tacho flame sh -c "
            "'%s'",
            program, program);
    c->request.argv = (const char *const *)c->args->operands;
    c->request.flags |= TACHO_FLAME_ORPHANS;
    return EXIT_OK;
}

static int check_options(struct capture *c)
{
    bool all = (c->request.flags & TACHO_FLAME_ALL) != 0;

    if (c->args->count > 0 && check_command(c) != EXIT_OK)
        return EXIT_USAGE;
    if (!c->request.argv && !c->request.pid && !all)
        return cli_wrong_usage(c->args, "nothing to profile; add COMMAND, --pid or --all");
    if (c->request.pid && (c->request.argv || all))
        return cli_wrong_usage(c->args, "--pid cannot be combined with a command or --all");
    if ((c->request.flags & TACHO_FLAME_KERNEL) && (c->request.flags & TACHO_FLAME_USER))
        return cli_wrong_usage(c->args, "--kernel and --user exclude each other");
    if (!c->request.argv &&
        (c->request.cwd || c->request.env || c->request.output || c->pass_status))
        return cli_wrong_usage(c->args, "%s needs a command to run",
                               c->request.cwd      ? "--cwd"
                               : c->request.env    ? "--env"
                               : c->request.output ? "--command-output"
                                                   : "--pass-status");
    if (c->args->json && c->request.argv && !c->request.output)
        c->request.output = "stderr"; /* only the document may be on standard output */
    if ((c->request.flags & TACHO_FLAME_OFF_CPU) && (c->request.event || c->request.rate))
        return cli_wrong_usage(c->args,
                               "--off-cpu records every wait and cannot be combined with %s",
                               c->request.event ? "--event" : "--rate");
    if (c->request.call_graph == TACHO_CALL_GRAPH_FP && c->request.stack_bytes)
        return cli_wrong_usage(
            c->args, "--call-graph fp copies no stack and cannot be combined with --stack-size");
    return EXIT_OK;
}

/* Captures until the command exits or a signal arrives. A signal stops the capture, not this
   process, and the samples taken so far are drawn. */
static int capture_until_signal(struct capture *c, tacho_flame **ret, tacho_error *err)
{
    struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART};
    struct sigaction before[3];
    int ends[2];
    int status;

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return tch_fail_errno(err, errno, "cannot create a pipe");
    stop_write = ends[1];
    c->request.stop_fd = ends[0];
    sigaction(SIGINT, &action, &before[0]);
    sigaction(SIGTERM, &action, &before[1]);
    sigaction(SIGHUP, NULL, &before[2]);
    if (before[2].sa_handler != SIG_IGN) /* ignored under nohup */
        sigaction(SIGHUP, &action, NULL);
    status = tacho_flame_capture(&c->request, ret, err);
    sigaction(SIGINT, &before[0], NULL);
    sigaction(SIGTERM, &before[1], NULL);
    sigaction(SIGHUP, &before[2], NULL);
    close(ends[0]);
    close(ends[1]);
    return status;
}

static void add_files(struct tch_buf *b, const tacho_flame *flame)
{
    const char *const paths[] = {tacho_flame_svg_path(flame), tacho_flame_folded_path(flame),
                                 tacho_flame_pprof_path(flame), tacho_flame_speedscope_path(flame)};

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (paths[i])
            tch_buf_addf(b, "%s\n", paths[i]);
    if (tacho_flame_previous_path(flame))
        tch_buf_addf(b, "previous: kept as %s\n", tacho_flame_previous_path(flame));
}

/* Lists the functions that took most of the time. */
static void add_hottest(struct tch_buf *b, const struct term *term, const tacho_flame *flame)
{
    static const struct column columns[] = {{.title = "self", .right = true},
                                            {.title = "total", .right = true},
                                            {.title = "function", .fit = FIT_CUT}};
    struct table t;

    if (tacho_flame_hottest_count(flame) == 0)
        return;
    tch_buf_addc(b, '\n');
    cli_table_init(&t, term, columns, 3);
    for (size_t i = 0; i < tacho_flame_hottest_count(flame); i++) {
        cli_table_addf(&t, PLAIN, "%.1f %%", 100 * tacho_flame_hottest_self(flame, i));
        cli_table_addf(&t, PLAIN, "%.1f %%", 100 * tacho_flame_hottest_total(flame, i));
        cli_table_addf(&t, PLAIN, "%s%s", tacho_flame_hottest_name(flame, i),
                       tacho_flame_hottest_is_kernel(flame, i) ? " [kernel]" : "");
    }
    cli_table_print(&t, b);
    cli_table_release(&t);
}

static void add_text(struct tch_buf *b, const struct term *term, const tacho_flame *flame)
{
    uint64_t samples = tacho_flame_samples(flame);

    add_files(b, flame);
    tch_buf_addf(b, "profiler: %s", tacho_flame_profiler_used(flame));
    if (tacho_flame_event(flame)[0])
        tch_buf_addf(b, ", %s%s", tacho_flame_event(flame),
                     tacho_flame_has_kernel(flame) ? "" : ", user code only");
    tch_buf_adds(b, "\nsamples:  ");
    tch_add_grouped(b, samples);
    tch_buf_adds(b, ", lost ");
    tch_add_grouped(b, tacho_flame_lost(flame));
    if (tacho_flame_truncated(flame)) {
        tch_buf_adds(b, ", truncated stacks ");
        tch_add_grouped(b, tacho_flame_truncated(flame));
        tch_buf_adds(b, " (");
        tch_add_percent(b, (double)tacho_flame_truncated(flame) / (double)(samples ? samples : 1));
        tch_buf_addc(b, ')');
    }
    tch_buf_adds(b, "\ntook:     ");
    tch_add_value(b, TCH_NS, (double)tacho_flame_duration_ns(flame));
    tch_buf_adds(b, ", of which after sampling ");
    tch_add_value(b, TCH_NS, (double)tacho_flame_after_ns(flame));
    tch_buf_addc(b, '\n');
    add_hottest(b, term, flame);
}

/* Prints how to get the missing permission, and what works without it. */
static void advise(const tacho_error *err)
{
    if (err->code != TACHO_EUNSUPPORTED ||
        (err->system_errno != EACCES && err->system_errno != EPERM && err->system_errno != ENOSYS))
        return;
    fputs("  for tacho alone: sudo setcap cap_perfmon=ep \"$(command -v tacho)\"\n"
          "  in a container:  docker run --cap-add PERFMON, or --security-opt seccomp=unconfined\n"
          "  without rights:  'tacho flame draw' draws profiles recorded elsewhere; 'tacho run' "
          "measures time and memory\n",
          stderr);
}

/* Reports how the command exited, and returns our own status. */
static int judge_command(const struct capture *c, int status)
{
    int code;

    if (status == -1 || status == 0 || !c->request.argv)
        return EXIT_OK;
    code = cli_complain_of_status(c->request.argv[0], status);
    return c->pass_status ? code : EXIT_WORK;
}

int cli_flame_run_capture(struct args *args)
{
    struct capture c = {.args = args, .request = TACHO_FLAME_REQUEST_INIT};
    tacho_flame *flame = NULL;
    tacho_error err;
    struct tch_buf b;
    int status = cli_set_opts(args, &c, NULL);
    int ended = -1; /* how the command exited; -1: unknown */
    int end;

    if (status == EXIT_OK)
        status = check_options(&c);
    if (status != EXIT_OK)
        return status;
    c.request.wait_status = &ended;
    if (capture_until_signal(&c, &flame, &err) < 0) {
        cli_complain(NULL, "%s", err.message);
        advise(&err);
        end = judge_command(&c, ended);
        return end == EXIT_OK ? EXIT_WORK : end;
    }
    if (tacho_flame_notice(flame))
        cli_complain(NULL, "%s", tacho_flame_notice(flame));
    for (size_t i = 0; tacho_flame_warning(flame, i); i++)
        cli_complain(NULL, "%s", tacho_flame_warning(flame, i));
    end = judge_command(&c, ended);
    tch_buf_init(&b, OUT_MAX);
    if (args->json)
        tch_flame_capture_json(&b, flame);
    else if (args->quiet)
        tch_buf_addf(&b, "%s\n", tacho_flame_svg_path(flame));
    else
        add_text(&b, &args->out, flame);
    status = cli_print(&b);
    tacho_flame_free(flame);
    return status == EXIT_OK ? end : status;
}

#define CAPTURE_FLAG(name) \
    .set = CLI_SET(struct capture, request.flags, .kind = TCH_SET_BITS, .most = TACHO_FLAME_##name)

const struct opt cli_flame_capture_opts[] = {
    {.name = "pid",
     .letter = 'p',
     .arg = "PID",
     .help = "profile a running process",
     .set =
         CLI_SET(struct capture, request.pid, .kind = TCH_SET_U32, .least = 1, .most = INT32_MAX),
     .not_a = "a process id"},
    {.name = "all", .letter = 'a', .help = "profile every process", CAPTURE_FLAG(ALL)},
    {.name = "out-dir",
     .arg = "DIR",
     .help = "write the SVG to DIR, created if missing (default: the current folder)",
     .complete = COMPLETE_DIR,
     CLI_TEXT(struct capture, request.output_dir)},
    {.name = "label",
     .arg = "LABEL",
     .help = "write flamegraph-LABEL.svg (default: the command's name); an earlier one is "
             "kept as flamegraph-LABEL.old.svg",
     CLI_TEXT(struct capture, request.label)},
    {.name = "force", .help = "replace the SVG of another label", CAPTURE_FLAG(FORCE)},
    {.name = "folded", .help = "also write flamegraph-LABEL.folded", CAPTURE_FLAG(FOLDED)},
    {.name = "pprof", .help = "also write flamegraph-LABEL.pb.gz, for pprof", CAPTURE_FLAG(PPROF)},
    {.name = "speedscope",
     .help = "also write flamegraph-LABEL.speedscope.json, for speedscope.app",
     CAPTURE_FLAG(SPEEDSCOPE)},
    {.name = "palette",
     .arg = "NAME",
     .help = "colour frames by function (hash), library or language",
     .choices = tch_palettes,
     CLI_TEXT(struct capture, request.palette)},
    {.name = "inverted", .help = "draw the root on top: an icicle graph", CAPTURE_FLAG(INVERTED)},
    {.name = "duration",
     .arg = "TIME",
     .help = "stop the capture after this time, such as 10s or 1.5m",
     .set = CLI_SET(struct capture, request.duration_ns, .kind = TCH_SET_DURATION, .least = 1),
     .not_a = "a duration such as 10s or 1.5m"},
    {.name = "rate",
     .letter = 'F',
     .arg = "N",
     .help = "take N samples per second on each CPU (1 to 100000, default 997; with ptrace 250)",
     .set = CLI_SET(struct capture, request.rate, .kind = TCH_SET_U32, .least = 1, .most = 100000),
     .not_a = "a rate of 1 to 100000 samples per second"},
    {.name = "call-graph",
     .arg = "HOW",
     .help = "unwind stacks by frame pointers (fp) or by unwind tables (dwarf, the same as auto)",
     CLI_CHOICE(struct capture, request.call_graph, call_graphs)},
    {.name = "stack-size",
     .arg = "BYTES",
     .help = "copy this much of each stack for unwinding (8 to 63k, default 16k)",
     .take = take_stack_size},
    {.name = "event",
     .letter = 'e',
     .arg = "EVENT",
     .help = "sample by this event (default: cycles, or cpu-clock if the CPU has no counters)",
     .choices = tch_flame_sampler_events,
     CLI_TEXT(struct capture, request.event)},
    {.name = "off-cpu",
     .help = "show where threads wait, in microseconds, instead of where they run",
     CAPTURE_FLAG(OFF_CPU)},
    {.name = "per-thread",
     .help = "show each thread separately; the first frame is comm-PID/TID",
     CAPTURE_FLAG(PER_THREAD)},
    {.name = "kernel", .help = "sample kernel code only", CAPTURE_FLAG(KERNEL)},
    {.name = "user", .help = "sample user code only", CAPTURE_FLAG(USER)},
    {.name = "no-inline", .help = "leave out inlined functions", CAPTURE_FLAG(NO_INLINE)},
    {.name = "source", .help = "add file and line to each name", CAPTURE_FLAG(SOURCE)},
    {.name = "debuginfod",
     .help = "fetch missing debug files from the servers of DEBUGINFOD_URLS",
     CAPTURE_FLAG(DEBUGINFOD)},
    {.name = "profiler",
     .arg = "NAME",
     .help = "use this profiler",
     .choices = profilers,
     CLI_TEXT(struct capture, request.profiler)},
    {.name = "cwd",
     .arg = "DIR",
     .help = "run the command in this folder",
     .complete = COMPLETE_DIR,
     CLI_TEXT(struct capture, request.cwd)},
    {.name = "env",
     .arg = "NAME=VALUE",
     .help = "set a variable for the command; may be repeated",
     .take = take_env},
    {.name = "command-output",
     .arg = "WHERE",
     .help = "send the command's standard output to null, inherit (default), stderr (default with "
             "--json), or a file",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct capture, request.output)},
    {.name = "pass-status",
     .help = "exit with the command's own status",
     CLI_FLAG(struct capture, pass_status)},
    {.name = NULL},
};

const struct arg cli_flame_capture_args[] = {
    {.name = "COMMAND",
     .help = "program to run, and its arguments",
     .optional = true,
     .many = true,
     .complete = COMPLETE_PROGRAM},
    {.name = NULL},
};
