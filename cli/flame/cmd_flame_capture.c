/* tacho flame -- COMMAND: profiles a command, a process or the machine and draws what it saw. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tacho/flame.h>

#include "base/fail.h"
#include "base/human_number.h"
#include "base/json_write.h"
#include "base/number.h"
#include "cmd_flame_parts.h"
#include "kit/flame/draw/frame_text.h"
#include "kit/flame/sample/perf_rings.h"

enum {
    CALL_GRAPH,
    CWD,
    DEBUGINFOD,
    DURATION,
    ENV,
    EVENT,
    EVERYTHING,
    FOLDED,
    FORCE,
    KERNEL,
    LABEL,
    NO_INLINE,
    OFF_CPU,
    OUT,
    PASS_STATUS,
    PER_THREAD,
    PID,
    PROFILER,
    RATE,
    SOURCE,
    STACK_SIZE,
    USER,
};

enum { ENV_MAX = 256, OUT_MAX = 1 << 20 };

static const char *const call_graphs[] = {"auto", "fp", "dwarf", NULL};
static const char *const profilers[] = {"native",           "perf", "perf-inferno", "dtrace",
                                        "cargo-flamegraph", NULL};

/* What was asked for. */
struct capture {
    struct args *args;
    tacho_flame_request request;
    const char *env[ENV_MAX + 1];
    size_t env_count;
    bool pass_status;
};

/* The end of a pipe that a signal makes readable. */
static int stop_write = -1;

static void stop(int number)
{
    int saved = errno;
    ssize_t ignored = write(stop_write, "", 1);

    (void)ignored;
    (void)number;
    errno = saved;
}

static uint32_t flag_of(int id)
{
    switch (id) {
    case EVERYTHING:
        return TACHO_FLAME_ALL;
    case OFF_CPU:
        return TACHO_FLAME_OFF_CPU;
    case PER_THREAD:
        return TACHO_FLAME_PER_THREAD;
    case KERNEL:
        return TACHO_FLAME_KERNEL;
    case USER:
        return TACHO_FLAME_USER;
    case NO_INLINE:
        return TACHO_FLAME_NO_INLINE;
    case SOURCE:
        return TACHO_FLAME_SOURCE;
    case DEBUGINFOD:
        return TACHO_FLAME_DEBUGINFOD;
    case FORCE:
        return TACHO_FLAME_FORCE;
    case FOLDED:
        return TACHO_FLAME_FOLDED;
    default:
        return 0;
    }
}

static int take_number(struct capture *c, int id, const char *value)
{
    uint64_t number = 0;

    switch (id) {
    case DURATION:
        if (tch_parse_duration(value, &c->request.duration_ns) < 0 || c->request.duration_ns == 0)
            return cli_wrong_usage(c->args, "'%s' is not a duration such as 10s or 1.5m", value);
        break;
    case PID:
        if (tch_parse_u64(value, INT32_MAX, &number) < 0 || number == 0)
            return cli_wrong_usage(c->args, "'%s' is not a process id", value);
        c->request.pid = (int32_t)number;
        break;
    case RATE:
        if (tch_parse_u64(value, 100000, &number) < 0 || number == 0)
            return cli_wrong_usage(c->args, "'%s' is not a rate of 1 to 100000 samples a second",
                                   value);
        c->request.rate = (uint32_t)number;
        break;
    default: /* STACK_SIZE */
        if (tch_parse_size(value, &number) < 0 || number == 0 || number > TCH_STACK_COPY_MAX ||
            number % 8 != 0)
            return cli_wrong_usage(c->args, "'%s' is not a size of 8 bytes to 63k, a multiple of 8",
                                   value);
        c->request.stack_bytes = (uint32_t)number;
        break;
    }
    return EXIT_OK;
}

static int take_env(struct capture *c, const char *value)
{
    if (!strchr(value, '=') || value[0] == '=')
        return cli_wrong_usage(c->args, "'%s' is not NAME=VALUE", value);
    if (c->env_count == ENV_MAX)
        return cli_wrong_usage(c->args, "more than %d --env", ENV_MAX);
    c->env[c->env_count++] = value;
    c->request.env = c->env;
    return EXIT_OK;
}

static int take_option(struct capture *c, const struct opt *opt)
{
    const char *value = c->args->value;

    switch (opt->id) {
    case CALL_GRAPH:
        c->request.call_graph = (uint32_t)cli_choice_index(call_graphs, value);
        break;
    case CWD:
        c->request.cwd = value;
        break;
    case ENV:
        return take_env(c, value);
    case EVENT:
        c->request.event = value;
        break;
    case LABEL:
        c->request.label = value;
        break;
    case OUT:
        c->request.output_dir = value;
        break;
    case PASS_STATUS:
        c->pass_status = true;
        break;
    case PROFILER:
        c->request.profiler = value;
        break;
    case DURATION:
    case PID:
    case RATE:
    case STACK_SIZE:
        return take_number(c, opt->id, value);
    default:
        c->request.flags |= flag_of(opt->id);
        break;
    }
    return EXIT_OK;
}

static int check(struct capture *c)
{
    bool all = (c->request.flags & TACHO_FLAME_ALL) != 0;

    if (c->args->count > 0) {
        c->request.argv = (const char *const *)c->args->operands;
        c->request.flags |= TACHO_FLAME_ORPHANS; /* we start nothing else */
    }
    if (!c->request.argv && !c->request.pid && !all)
        return cli_wrong_usage(c->args, "what to profile is missing: -- COMMAND, --pid or --all");
    if (c->request.pid && (c->request.argv || all))
        return cli_wrong_usage(c->args, "--pid goes with neither a command nor --all");
    if ((c->request.flags & TACHO_FLAME_KERNEL) && (c->request.flags & TACHO_FLAME_USER))
        return cli_wrong_usage(c->args, "--kernel and --user together leave nothing");
    if (!c->request.argv && (c->request.cwd || c->request.env || c->pass_status))
        return cli_wrong_usage(c->args, "%s is for a command, and there is none to run",
                               c->request.cwd   ? "--cwd"
                               : c->request.env ? "--env"
                                                : "--pass-status");
    if ((c->request.flags & TACHO_FLAME_OFF_CPU) && (c->request.event || c->request.rate))
        return cli_wrong_usage(c->args, "--off-cpu sees every wait: it takes no %s",
                               c->request.event ? "--event" : "--rate");
    if (c->request.call_graph == TACHO_CALL_GRAPH_FP && c->request.stack_bytes)
        return cli_wrong_usage(c->args,
                               "--call-graph fp copies no stack: it takes no --stack-size");
    return EXIT_OK;
}

/* Interrupts end the capture, not us: what was seen so far is drawn. */
static int capture_until_signal(struct capture *c, tacho_flame **ret, tacho_error *err)
{
    struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART};
    struct sigaction before[3];
    int ends[2];
    int status;

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return tch_fail_errno(err, errno, "cannot make a pipe");
    stop_write = ends[1];
    c->request.stop_fd = ends[0];
    sigaction(SIGINT, &action, &before[0]);
    sigaction(SIGTERM, &action, &before[1]);
    sigaction(SIGHUP, NULL, &before[2]);
    if (before[2].sa_handler != SIG_IGN) /* nohup */
        sigaction(SIGHUP, &action, NULL);
    status = tacho_flame_capture(&c->request, ret, err);
    sigaction(SIGINT, &before[0], NULL);
    sigaction(SIGTERM, &before[1], NULL);
    sigaction(SIGHUP, &before[2], NULL);
    close(ends[0]);
    close(ends[1]);
    return status;
}

static void add_json_end(struct tch_buf *b, int status)
{
    tch_json_key(b, "exit_status");
    if (status != -1 && WIFEXITED(status))
        tch_json_u64(b, (uint64_t)WEXITSTATUS(status));
    else
        tch_json_null(b);
    tch_json_key(b, "signal");
    if (status != -1 && WIFSIGNALED(status))
        tch_json_u64(b, (uint64_t)WTERMSIG(status));
    else
        tch_json_null(b);
}

static void add_json(struct tch_buf *b, const tacho_flame *flame)
{
    tch_json_begin_object(b);
    tch_json_key(b, "schema");
    tch_json_text(b, "tacho.flame.capture.v1");
    tch_json_key(b, "svg_path");
    tch_json_text(b, tacho_flame_svg_path(flame));
    tch_json_key(b, "folded_path");
    if (tacho_flame_folded_path(flame))
        tch_json_text(b, tacho_flame_folded_path(flame));
    else
        tch_json_null(b);
    tch_json_key(b, "profiler_used");
    tch_json_text(b, tacho_flame_profiler_used(flame));
    tch_json_key(b, "notice");
    if (tacho_flame_notice(flame))
        tch_json_text(b, tacho_flame_notice(flame));
    else
        tch_json_null(b);
    tch_json_key(b, "event");
    tch_json_text(b, tacho_flame_event(flame));
    tch_json_key(b, "kernel_frames");
    tch_json_bool(b, tacho_flame_has_kernel(flame));
    tch_json_key(b, "duration_ms");
    tch_json_u64(b, tacho_flame_duration_ns(flame) / 1000000);
    tch_json_key(b, "after_command_ms");
    tch_json_u64(b, tacho_flame_after_ns(flame) / 1000000);
    tch_json_key(b, "samples");
    tch_json_u64(b, tacho_flame_samples(flame));
    tch_json_key(b, "lost");
    tch_json_u64(b, tacho_flame_lost(flame));
    tch_json_key(b, "truncated");
    tch_json_u64(b, tacho_flame_truncated(flame));
    add_json_end(b, tacho_flame_wait_status(flame));
    tch_json_end_object(b);
    tch_buf_addc(b, '\n');
}

static void add_text(struct tch_buf *b, const tacho_flame *flame)
{
    uint64_t samples = tacho_flame_samples(flame);

    tch_buf_addf(b, "%s\n", tacho_flame_svg_path(flame));
    if (tacho_flame_folded_path(flame))
        tch_buf_addf(b, "%s\n", tacho_flame_folded_path(flame));
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
    tch_buf_adds(b, ", of which after the end ");
    tch_add_value(b, TCH_NS, (double)tacho_flame_after_ns(flame));
    tch_buf_addc(b, '\n');
}

/* What to do about missing rights, and without them. */
static void advise(const tacho_error *err)
{
    if (err->code != TACHO_EUNSUPPORTED ||
        (err->system_errno != EACCES && err->system_errno != EPERM && err->system_errno != ENOSYS))
        return;
    fputs("  for good:        sudo setcap cap_perfmon=ep \"$(command -v tacho)\"\n"
          "  in a container:  docker run --cap-add PERFMON, or --security-opt seccomp=unconfined\n"
          "  without rights:  'tacho flame draw' draws profiles taken elsewhere; 'tacho run' "
          "measures time and memory\n",
          stderr);
}

/* The command's own end: a word about it, and our status. */
static int judge_command(const struct capture *c, int status)
{
    int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);

    if (status == -1 || status == 0 || !c->request.argv)
        return EXIT_OK;
    if (WIFSIGNALED(status))
        cli_complain(NULL, "'%s' was ended by signal %d", c->request.argv[0], WTERMSIG(status));
    else
        cli_complain(NULL, "'%s' ended with status %d", c->request.argv[0], code);
    return c->pass_status ? code : EXIT_WORK;
}

static int show(const struct capture *c, const tacho_flame *flame)
{
    struct tch_buf b;

    tch_buf_init(&b, OUT_MAX);
    if (c->args->json)
        add_json(&b, flame);
    else if (c->args->quiet)
        tch_buf_addf(&b, "%s\n", tacho_flame_svg_path(flame));
    else
        add_text(&b, flame);
    return cli_print(&b);
}

int cli_flame_run_capture(struct args *args)
{
    struct capture c = {.args = args, .request = TACHO_FLAME_REQUEST_INIT};
    tacho_flame *flame = NULL;
    const struct opt *opt;
    tacho_error err;
    int status = EXIT_OK;
    int end;

    while (status == EXIT_OK && (opt = cli_next_opt(args)))
        status = take_option(&c, opt);
    if (status == EXIT_OK)
        status = check(&c);
    if (status != EXIT_OK)
        return status;
    if (capture_until_signal(&c, &flame, &err) < 0) {
        cli_complain(NULL, "%s", err.message);
        advise(&err);
        return EXIT_WORK;
    }
    if (tacho_flame_notice(flame))
        cli_complain(NULL, "%s", tacho_flame_notice(flame));
    end = judge_command(&c, tacho_flame_wait_status(flame));
    status = show(&c, flame);
    tacho_flame_free(flame);
    return status == EXIT_OK ? end : status;
}

const struct opt cli_flame_capture_opts[] = {
    {.id = PID, .name = "pid", .letter = 'p', .arg = "PID", .help = "profile a running process"},
    {.id = EVERYTHING, .name = "all", .letter = 'a', .help = "profile every process"},
    {.id = OUT,
     .name = "out",
     .arg = "DIR",
     .help = "where the SVG goes, made if missing",
     .complete = COMPLETE_DIR},
    {.id = LABEL,
     .name = "label",
     .arg = "LABEL",
     .help = "write flamegraph-LABEL.svg; by default the command's name"},
    {.id = FORCE, .name = "force", .help = "overwrite the SVG of another label"},
    {.id = FOLDED, .name = "folded", .help = "write the folded stacks, too, beside the SVG"},
    {.id = DURATION, .name = "duration", .arg = "TIME", .help = "end the capture after 10s, 1.5m"},
    {.id = RATE,
     .name = "rate",
     .letter = 'F',
     .arg = "N",
     .help = "samples a second and CPU, by default 997"},
    {.id = CALL_GRAPH,
     .name = "call-graph",
     .arg = "HOW",
     .help = "follow stacks by frame pointers (fp) or unwind tables (dwarf, which auto is)",
     .choices = call_graphs},
    {.id = STACK_SIZE,
     .name = "stack-size",
     .arg = "BYTES",
     .help = "how much of a stack to copy for unwinding, by default 16k"},
    {.id = EVENT,
     .name = "event",
     .letter = 'e',
     .arg = "EVENT",
     .help = "what to count; cycles, or cpu-clock where the CPU has no counters, unless given",
     .choices = tch_flame_sampler_events},
    {.id = OFF_CPU, .name = "off-cpu", .help = "where threads wait, in microseconds"},
    {.id = PER_THREAD, .name = "per-thread", .help = "threads apart: comm-PID/TID"},
    {.id = KERNEL, .name = "kernel", .help = "the kernel's code only"},
    {.id = USER, .name = "user", .help = "programs' code only"},
    {.id = NO_INLINE, .name = "no-inline", .help = "no frames for inlined functions"},
    {.id = SOURCE, .name = "source", .help = "file and line behind each name"},
    {.id = DEBUGINFOD,
     .name = "debuginfod",
     .help = "fetch missing debug files from the servers of DEBUGINFOD_URLS"},
    {.id = PROFILER,
     .name = "profiler",
     .arg = "NAME",
     .help = "who samples",
     .choices = profilers},
    {.id = CWD,
     .name = "cwd",
     .arg = "DIR",
     .help = "run the command there",
     .complete = COMPLETE_DIR},
    {.id = ENV, .name = "env", .arg = "NAME=VALUE", .help = "set for the command; may be repeated"},
    {.id = PASS_STATUS, .name = "pass-status", .help = "end with the command's own status"},
    {.name = NULL},
};

const struct arg cli_flame_capture_args[] = {
    {.name = "COMMAND",
     .help = "what to run, and its arguments, after --",
     .optional = true,
     .many = true,
     .complete = COMPLETE_PROGRAM},
    {.name = NULL},
};
