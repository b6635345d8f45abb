/* The options of `tacho run`: their tables, and the functions for options that set more than one
   field. run_commands.c handles commands and their names, run_options_check.c checks which options
   can be combined. */
#include "run_options.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "base/fail.h"
#include "kit/power/power_origin.h"
#include "kit/result/series.h"
#include "kit/run/count/count.h"
#include "kit/run/plan/run_settings.h"

/* Indexes into run_options.paths, which are also the ids of their options. */
enum { PATH_CWD, PATH_INPUT, PATH_CONFIG };

static int take_until_precise(void *into, const struct args *args, const struct opt *opt)
{
    ((struct run_options *)into)->until_precise = true;
    return cli_set_field(args, opt, into);
}

/* Remembers an option that is given twice and is not a list. With several commands the user may
   have meant it for the second one. */
static void note_given(struct run_options *o, const struct opt *opt)
{
    for (size_t i = 0; i < o->given_count; i++)
        if (o->given[i] == opt)
            o->once = opt;
    if (o->given_count < sizeof o->given / sizeof o->given[0])
        o->given[o->given_count++] = opt;
}

static int take_once(void *into, const struct args *args, const struct opt *opt)
{
    note_given(into, opt);
    return cli_set_field(args, opt, into);
}

/* Stores the server, of which there is one for all commands: two would disturb each other. */
static int take_server(void *into, const struct args *args, const struct opt *opt)
{
    const struct run_options *o = into;

    if (o->plan.server)
        return cli_wrong_usage(args, "--server was given twice; one server serves all commands");
    return cli_set_field(args, opt, into);
}

/* Stores a line of a hook. cli_run_options_check() decides whether it is for all commands or for
 * one. */
static int take_hook(void *into, const struct args *args, const struct opt *opt)
{
    struct run_options *o = into;
    size_t n = o->hook_count[opt->id]++;

    if (n >= TCH_COMMANDS_MAX)
        return cli_wrong_usage(args, "there are more than %d commands; remove some",
                               TCH_COMMANDS_MAX);
    o->hooks[opt->id][n] = args->value;
    return cli_set_field(args, opt, into);
}

static int take_interval(void *into, const struct args *args, const struct opt *opt)
{
    const struct run_options *o = into;
    int status = cli_set_field(args, opt, into);

    if (status == EXIT_OK && o->plan.interval_ns < 1000000)
        return cli_wrong_value(args, opt->name, "1ms or more");
    return status;
}

static int take_work(void *into, const struct args *args, const struct opt *opt)
{
    struct run_options *o = into;

    note_given(o, opt);
    if (tch_run_work_parse(args->value, &o->plan) < 0)
        return cli_wrong_value(args, opt->name, "an amount such as 200 or 200samples");
    return EXIT_OK;
}

static int add_pair(const char **list, const struct args *args, const struct opt *opt)
{
    if (args->value[0] == '=' || !strchr(args->value, '='))
        return cli_wrong_value(args, opt->name, "NAME=VALUE");
    while (*list)
        list++;
    *list = args->value;
    return EXIT_OK;
}

static int take_env(void *into, const struct args *args, const struct opt *opt)
{
    struct run_options *o = into;

    o->plan.env = o->env;
    return add_pair(o->env, args, opt);
}

static int take_keep_env(void *into, const struct args *args, const struct opt *opt)
{
    struct run_options *o = into;
    const char **list = o->keep_env;

    if (!args->value[0] || strchr(args->value, '='))
        return cli_wrong_value(args, opt->name, "the name of a variable");
    while (*list)
        list++;
    *list = args->value;
    o->plan.keep_env = o->keep_env;
    return EXIT_OK;
}

static int take_label(void *into, const struct args *args, const struct opt *opt)
{
    struct run_options *o = into;

    o->plan.labels = o->labels;
    return add_pair(o->labels, args, opt);
}

/* Stores an absolute path, because the command may run in another folder. */
static int take_path(void *into, const struct args *args, const struct opt *opt)
{
    struct run_options *o = into;
    char **slot = &o->paths[opt->id];
    tacho_error err;

    note_given(o, opt);
    free(*slot);
    *slot = realpath(args->value, NULL);
    if (!*slot) {
        tch_fail_errno(&err, errno, "cannot open '%s'", args->value);
        cli_complain(NULL, "%s", err.message);
        return EXIT_WORK;
    }
    tch_setting_parse(opt->set, *slot, into);
    return EXIT_OK;
}

/* Stores the path of the input. In a sweep the file of a cell, such as "data-{n}.txt", need not
   exist yet. */
static int take_input(void *into, const struct args *args, const struct opt *opt)
{
    struct run_options *o = into;
    char **slot = &o->paths[PATH_INPUT];
    char here[PATH_MAX];

    if (!o->in_sweep || !strchr(args->value, '{'))
        return take_path(into, args, opt);
    free(*slot);
    *slot = NULL;
    if (args->value[0] == '/')
        *slot = strdup(args->value);
    else if (getcwd(here, sizeof here) && asprintf(slot, "%s/%s", here, args->value) < 0)
        *slot = NULL;
    o->plan.input = *slot;
    return *slot ? EXIT_OK : cli_no_memory();
}

static int take_metric(void *into, const struct args *args, const struct opt *opt)
{
    struct run_options *o = into;
    struct tch_metric_rule *metric = &o->metrics[o->plan.metric_count];
    tacho_error err;

    (void)opt;
    if (o->plan.metric_count == TCH_METRICS_MOST)
        return cli_wrong_usage(args, "there are more than %d metrics; remove some",
                               TCH_METRICS_MOST);
    if (tch_metric_rule_init(metric, args->value, &err) < 0)
        return cli_wrong_usage(args, "%s", err.message);
    if (tch_metric_is_reserved(metric->name)) {
        int status = cli_wrong_usage(args,
                                     "metric '%s' has the name of a quantity that tacho measures "
                                     "itself; choose another name",
                                     metric->name);

        tch_metric_rule_release(metric);
        return status;
    }
    for (size_t i = 0; i < o->plan.metric_count; i++)
        if (strcmp(o->metrics[i].name, metric->name) == 0) {
            int status = cli_wrong_usage(args, "metric '%s' is given twice; remove one of them",
                                         metric->name);

            tch_metric_rule_release(metric);
            return status;
        }
    o->plan.metric_count++;
    return EXIT_OK;
}

static int take_count(void *into, const struct args *args, const struct opt *opt)
{
    struct run_options *o = into;
    const char *bad;
    unsigned counts;

    (void)opt;
    /* `go test -count 10` repeats; here that is --runs. */
    if (strspn(args->value, "0123456789") == strlen(args->value))
        return cli_wrong_usage(args,
                               "--count names what is counted, such as instructions; use --runs %s "
                               "for the number of runs",
                               args->value);
    if (tch_counts_parse_list(args->value, &counts, &bad) < 0)
        return cli_wrong_usage(args,
                               "--count does not support '%.*s'; it counts instructions, syscalls, "
                               "allocations, allocated-bytes and faults",
                               (int)strcspn(bad, ","), bad);
    o->plan.counts |= counts;
    return EXIT_OK;
}

static int take_count_runs(void *into, const struct args *args, const struct opt *opt)
{
    ((struct run_options *)into)->count_runs_given = true;
    return cli_set_field(args, opt, into);
}

static int take_power(void *into, const struct args *args, const struct opt *opt)
{
    tacho_error err;

    if (strcmp(args->value, "auto") != 0 && strcmp(args->value, "none") != 0 &&
        tch_power_check(args->value, "auto, none, ", &err) < 0)
        return cli_wrong_usage(args, "%s", err.message);
    return cli_set_field(args, opt, into);
}

static int take_output(void *into, const struct args *args, const struct opt *opt)
{
    struct run_options *o = into;
    bool is_null = strcmp(args->value, "null") == 0;
    bool inherit = strcmp(args->value, "inherit") == 0;

    note_given(o, opt);
    o->plan.output = is_null ? TCH_IO_NULL : inherit ? TCH_IO_INHERIT : TCH_IO_WRITE;
    o->plan.output_path = args->value;
    return EXIT_OK;
}

static int take_cpus(void *into, const struct args *args, const struct opt *opt)
{
    struct run_options *o = into;

    note_given(o, opt);
    o->plan.cpus = args->value;
    if (tch_parse_cpus(args->value, &o->plan.cpu_set) < 0)
        return cli_wrong_value(args, opt->name, "CPUs such as 2 or 0-3,6");
    return EXIT_OK;
}

/* tch_run_settings[] has offsets into struct tch_run_plan. They are also valid for struct
   run_options, because the plan is its first member. */
_Static_assert(offsetof(struct run_options, plan) == 0, "the plan is not first");

#define RUN_SETTING(name) &tch_run_settings[TCH_RUN_SET_##name]
#define DURATION          .kind = TCH_SET_DURATION, .least = 1, .wants = "a duration such as 250ms or 5s"

const struct opt cli_run_opts[] = {
    {.name = "command",
     .letter = 'c',
     .arg = "LINE",
     .help = "run LINE, split into words as by a shell; repeat to compare several commands",
     .take = cli_run_commands_add},
    {.name = "runs",
     .letter = 'n',
     .arg = "N",
     .help = "run each command N times",
     .set = RUN_SETTING(RUNS)},
    {.name = "precision",
     .letter = 'p',
     .arg = "P",
     .help = "stop when the half-width of the median's interval is at most P of the median "
             "(default 1%)",
     .set = RUN_SETTING(PRECISION),
     .take = take_until_precise},
    {.name = "max-time",
     .arg = "TIME",
     .help = "stop after TIME per command; several commands share the sum (default 5s)",
     .set = CLI_SET(struct run_options, max_time_ns, DURATION)},
    {.name = "min-runs",
     .arg = "N",
     .help =
         "make at least N runs, even if they take longer than --max-time (default 10 if these take "
         "less than a minute, else 6; 1 with --max-time)",
     .set = CLI_SET(struct run_options, plan.least_runs, .kind = TCH_SET_U64, .least = 1,
                    .most = TCH_RUNS_MAX, .wants = "a number from 1 to 1000000"),
     .take = take_until_precise},
    {.name = "max-runs",
     .arg = "N",
     .help = "stop after N runs (default 1000)",
     .set = RUN_SETTING(MAX_RUNS),
     .take = take_until_precise},
    {.name = "seed",
     .arg = "N",
     .help =
         "draw the random order of several commands from seed N, 1 or more (default: a new seed, "
         "recorded in run.json)",
     .set = CLI_SET(struct run_options, plan.order_seed, .kind = TCH_SET_U64, .least = 1,
                    .most = UINT32_MAX, .wants = "a number from 1 to 4294967295")},
    {.name = "layouts",
     .arg = "N",
     .help =
         "make the runs in N blocks and link the program with another layout before each; judge "
         "one value per layout (block size: 3 runs, or --runs divided by N)",
     .set = CLI_SET(struct run_options, plan.layouts, .kind = TCH_SET_U64, .least = 2,
                    .most = TCH_LAYOUTS_MAX, .wants = "a number from 2 to 10000")},
    {.name = "relink",
     .arg = "LINE",
     .help =
         "with --layouts: link the program by sh -c, with the layout number in $TACHO_LAYOUT_SEED "
         "and {seed}; give it once for all commands or once per command",
     .id = TCH_HOOK_RELINK,
     .set = RUN_SETTING(RELINK),
     .take = take_hook},
    {.name = "name",
     .arg = "NAME",
     .help = "name the run; repeat for the second command, and so on (default: the program's name)",
     .take = cli_run_commands_name},
    {.name = "out-dir",
     .letter = 'o',
     .arg = "DIR",
     .help = "write run folders to DIR (default tacho-out)",
     .complete = COMPLETE_DIR,
     CLI_TEXT(struct run_options, plan.out)},
    {.name = "pass-status",
     .help = "exit with the status of a run that failed",
     CLI_FLAG(struct run_options, pass_status)},
    {.name = NULL},
};

static const char *const power_sources[] = {"auto", "none", "rapl",   "perf",    "hwmon", "battery",
                                            "nvml", "rocm", "fixed:", "replay:", NULL};

static const char *const count_names[] = {"instructions",    "syscalls", "allocations",
                                          "allocated-bytes", "faults",   NULL};

const struct opt cli_plan_opts[] = {
    {.name = "shell",
     .letter = 'S',
     .help = "run each command line by sh -c",
     .set = RUN_SETTING(SHELL)},
    {.name = "warmup",
     .letter = 'w',
     .arg = "N",
     .help = "run each command N times before measuring (default 0)",
     .set = RUN_SETTING(WARMUP)},
    {.name = "setup",
     .arg = "LINE",
     .help = "run LINE once before all runs, by sh -c",
     .id = TCH_HOOK_SETUP,
     .set = RUN_SETTING(SETUP),
     .take = take_hook},
    {.name = "prepare",
     .arg = "LINE",
     .help = "run LINE before each run, by sh -c",
     .id = TCH_HOOK_PREPARE,
     .set = RUN_SETTING(PREPARE),
     .take = take_hook},
    {.name = "conclude",
     .arg = "LINE",
     .help = "run LINE after each run, by sh -c",
     .id = TCH_HOOK_CONCLUDE,
     .set = RUN_SETTING(CONCLUDE),
     .take = take_hook},
    {.name = "cleanup",
     .arg = "LINE",
     .help = "run LINE once after all runs, by sh -c",
     .id = TCH_HOOK_CLEANUP,
     .set = RUN_SETTING(CLEANUP),
     .take = take_hook},
    {.name = "server",
     .arg = "LINE",
     .help =
         "start a server by sh -c, measure it during the runs, stop it afterwards; needs --ready",
     CLI_TEXT(struct run_options, plan.server),
     .take = take_server},
    {.name = "ready",
     .arg = "REGEX|PORT",
     .help = "wait until the server prints a line that matches REGEX, or listens on PORT",
     CLI_TEXT(struct run_options, plan.ready)},
    {.name = "ready-timeout",
     .arg = "TIME",
     .help = "give up when the server is not ready after TIME (default 60s)",
     .set = CLI_SET(struct run_options, plan.ready_timeout_ns, DURATION)},
    {.name = "timeout",
     .arg = "TIME",
     .help = "kill a run that takes longer: SIGTERM to its process group, SIGKILL one second later",
     .set = RUN_SETTING(TIMEOUT),
     .take = take_once},
    {.name = "cwd",
     .arg = "DIR",
     .help = "run the commands in DIR",
     .complete = COMPLETE_DIR,
     .id = PATH_CWD,
     .set = RUN_SETTING(CWD),
     .take = take_path},
    {.name = "env",
     .arg = "K=V",
     .help = "set an environment variable for the commands",
     .take = take_env},
    {.name = "keep-env",
     .arg = "NAME",
     .help = "record the value of NAME unmasked, even if its name looks like a secret",
     .take = take_keep_env},
    {.name = "input",
     .arg = "FILE",
     .help = "use FILE as standard input of each run (default: empty)",
     .complete = COMPLETE_FILE,
     .id = PATH_INPUT,
     CLI_TEXT(struct run_options, plan.input),
     .take = take_input},
    {.name = "command-output",
     .arg = "WHERE",
     .help = "send output to null (default), inherit, or a file that all runs share",
     .complete = COMPLETE_FILE,
     .take = take_output},
    {.name = "allow-nonzero",
     .letter = 'i',
     .help = "continue when a run fails; leave it out of the statistics",
     CLI_FLAG(struct run_options, plan.allow_nonzero)},
    {.name = "cpu",
     .arg = "LIST",
     .help = "run the commands only on these CPUs, such as 2 or 0-3,6",
     .take = take_cpus},
    {.name = "no-aslr",
     .help = "switch off address space randomisation",
     CLI_FLAG(struct run_options, plan.no_aslr)},
    {.name = "no-record",
     .help =
         "do not set TACHO_RUN_DIR and the like, so that a program linked with libtacho records "
         "nothing and pays nothing for it",
     CLI_FLAG(struct run_options, plan.no_record)},
    {.name = "flame",
     .help =
         "add a flamegraph to the report, from one extra run of each command; with --count, also "
         "record the stacks of counted calls",
     CLI_FLAG(struct run_options, plan.flame)},
    {.name = "count",
     .arg = "LIST",
     .help =
         "count exactly, in extra runs that are not timed: instructions, syscalls, allocations, "
         "allocated-bytes, faults",
     .offers = count_names,
     .take = take_count},
    {.name = "count-runs",
     .arg = "N",
     .help = "make N counted runs for each count; a count is exact if all are equal (default 2)",
     .set = RUN_SETTING(COUNT_RUNS),
     .take = take_count_runs},
    {.name = "trace",
     .help = "write trace.json: one span per run, memory, power, and what the program recorded",
     CLI_FLAG(struct run_options, plan.trace)},
    {.name = "metric",
     .letter = 'm',
     .arg = "NAME=REGEX",
     .help = "measure a number that the command prints: the last match of each run, or every match "
             "with all:NAME=REGEX; or one that it records: span:NAME, stage:EVENT.STAGE or "
             "latency:NAME, with :total, :count, :mean, :p50, :p99 or :max",
     .take = take_metric},
    {.name = "work-per-run",
     .arg = "N[UNIT]",
     .help = "show the throughput; each run does N units of work, such as 200samples",
     .take = take_work},
    {.name = "label", .arg = "K=V", .help = "store a note in run.json", .take = take_label},
    {.name = "config",
     .arg = "FILE",
     .help = "store a JSON document and its hash in run.json, such as the program's configuration",
     .complete = COMPLETE_FILE,
     .id = PATH_CONFIG,
     CLI_TEXT(struct run_options, plan.config),
     .take = take_path},
    {.name = "interval",
     .arg = "TIME",
     .help = "poll memory and power every TIME (default 10ms)",
     .set = CLI_SET(struct run_options, plan.interval_ns, DURATION),
     .take = take_interval},
    {.name = "columns",
     .arg = "WHICH",
     .help = "write memory.csv with the two columns that are measured (short), or with all of "
             "ruvector-profiler, the others 0 (reference) (default short)",
     CLI_CHOICE(struct run_options, plan.columns, tch_csv_columns_names)},
    {.name = "power-source",
     .arg = "SOURCE",
     .help = "read power from auto (default), none, rapl, perf, hwmon, battery, nvml, rocm, "
             "fixed:WATTS or replay:FILE",
     .offers = power_sources,
     CLI_TEXT(struct run_options, plan.power),
     .take = take_power},
    {.name = "measure-idle",
     .arg = "TIME",
     .help = "measure the idle power of the machine for TIME before the runs (at least 100ms)",
     .set = RUN_SETTING(IDLE)},
    {.name = "seal",
     .help =
         "write seal.jsonl, by which 'tacho witness verify' finds files that were changed later",
     CLI_FLAG(struct run_options, plan.seal)},
    {.name = "fail-on-warn",
     .help = "exit with 3 when there are warnings",
     CLI_FLAG(struct run_options, fail_on_warn)},
    {.name = NULL},
};

const struct man_item cli_run_variables[] = {
    {"TACHO_RUN_DIR",
     "Set for the command: a folder for this run, in which the program can record."},
    {"TACHO_PROFILE_JSONL, TACHO_TRACE_OUT",
     "Set for the command: the files for its profile events and spans."},
    {"TACHO_PROFILE_ENV_HASH, TACHO_PROFILE_COMMIT_SHA, TACHO_PROFILE_MODEL",
     "Set for the command, for its profile events, unless you set them yourself."},
    {"FERRUM_PROFILE_..., FERRUM_TRACE_OUT",
     "Set for the command to the values of their TACHO_ counterparts."},
    {NULL, NULL},
};
