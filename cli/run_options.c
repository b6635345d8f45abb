/* The options of `tacho run`. */
#include "run_options.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "base/error.h"
#include "base/number.h"
#include "run/folder.h"
#include "run/words.h"

enum {
    RUNS,
    PRECISION,
    MAX_TIME,
    MAX_RUNS,
    WARMUP,
    COMMAND,
    SHELL,
    SETUP,
    PREPARE,
    SERVER,
    READY,
    CONCLUDE,
    CLEANUP,
    TIMEOUT,
    CWD,
    ENV,
    INPUT,
    OUTPUT,
    ALLOW_NONZERO,
    CPU,
    NO_ASLR,
    FLAME,
    TRACE,
    WORK,
    NAME,
    LABEL,
    METRIC,
    CONFIG,
    INTERVAL,
    POWER,
    OUT,
    PASS_STATUS,
    FAIL_ON_WARN,
    SEAL,
};

enum { NAME_SIZE = 100 };

const struct opt run_opts[] = {
    {.id = COMMAND,
     .name = "command",
     .letter = 'c',
     .arg = "LINE",
     .help = "a command, split into words as a shell does; give several to compare them"},
    {.id = RUNS, .name = "runs", .letter = 'n', .arg = "N", .help = "run each command N times"},
    {.id = PRECISION,
     .name = "precision",
     .letter = 'p',
     .arg = "P",
     .help = "stop when the median is known to within P (default 1%)"},
    {.id = MAX_TIME,
     .name = "max-time",
     .arg = "TIME",
     .help = "measure for at most TIME (default 5s)"},
    {.id = MAX_RUNS,
     .name = "max-runs",
     .arg = "N",
     .help = "until precise, but at most N runs (default 1000)"},
    {.id = NAME,
     .name = "name",
     .arg = "NAME",
     .help = "the run's name; again for the second command, and so on"},
    {.id = OUT,
     .name = "out",
     .letter = 'o',
     .arg = "DIR",
     .help = "where run folders go (default tacho-out)",
     .complete = COMPLETE_DIR},
    {.id = PASS_STATUS, .name = "pass-status", .help = "end with the status of a run that failed"},
    {.name = NULL},
};

const struct opt plan_opts[] = {
    {.id = SHELL, .name = "shell", .letter = 'S', .help = "run each command by sh -c"},
    {.id = WARMUP,
     .name = "warmup",
     .letter = 'w',
     .arg = "N",
     .help = "N runs of each before, not counted"},
    {.id = SETUP, .name = "setup", .arg = "LINE", .help = "run LINE once before all, by sh -c"},
    {.id = PREPARE, .name = "prepare", .arg = "LINE", .help = "run LINE before each run"},
    {.id = CONCLUDE, .name = "conclude", .arg = "LINE", .help = "run LINE after each run"},
    {.id = CLEANUP, .name = "cleanup", .arg = "LINE", .help = "run LINE once after all"},
    {.id = SERVER,
     .name = "server",
     .arg = "LINE",
     .help = "a server to run against: started by sh -c, watched, ended afterwards"},
    {.id = READY,
     .name = "ready",
     .arg = "REGEX|PORT",
     .help = "when the server is ready: what it prints then, or the port it listens on"},
    {.id = TIMEOUT,
     .name = "timeout",
     .arg = "TIME",
     .help = "end a run after TIME: TERM to its process group, KILL a second later"},
    {.id = CWD, .name = "cwd", .arg = "DIR", .help = "run in DIR", .complete = COMPLETE_DIR},
    {.id = ENV, .name = "env", .arg = "K=V", .help = "set an environment variable"},
    {.id = INPUT,
     .name = "input",
     .arg = "FILE",
     .help = "standard input of each run (default: empty)",
     .complete = COMPLETE_FILE},
    {.id = OUTPUT,
     .name = "output",
     .arg = "WHERE",
     .help = "what it prints: null (default), inherit, or a file for all runs",
     .complete = COMPLETE_FILE},
    {.id = ALLOW_NONZERO,
     .name = "allow-nonzero",
     .letter = 'i',
     .help = "go on when a run fails; it is left out of the statistics"},
    {.id = CPU, .name = "cpu", .arg = "LIST", .help = "run on these CPUs only, such as 2 or 0-3,6"},
    {.id = NO_ASLR, .name = "no-aslr", .help = "the same addresses in every run"},
    {.id = FLAME,
     .name = "flame",
     .help = "one extra run under the profiler, not counted: a flamegraph in the report"},
    {.id = TRACE,
     .name = "trace",
     .help = "write trace.json: a span a run, memory and power, what the program recorded"},
    {.id = METRIC,
     .name = "metric",
     .letter = 'm',
     .arg = "NAME=REGEX",
     .help = "a number it prints, the last of each run; all:NAME=REGEX takes every one"},
    {.id = WORK,
     .name = "work",
     .arg = "N[UNIT]",
     .help = "what a run does, such as 200samples: gives the throughput"},
    {.id = LABEL, .name = "label", .arg = "K=V", .help = "a note in run.json"},
    {.id = CONFIG,
     .name = "config",
     .arg = "FILE",
     .help = "a JSON file that says what is run; its hash and content go into run.json",
     .complete = COMPLETE_FILE},
    {.id = INTERVAL,
     .name = "interval",
     .arg = "TIME",
     .help = "look at memory and power every TIME (default 10ms)"},
    {.id = POWER,
     .name = "power",
     .arg = "SOURCE",
     .help = "auto (default), none, rapl, perf, hwmon, battery, nvml, rocm, or fixed:WATTS"},
    {.id = SEAL,
     .name = "seal",
     .help = "write seal.jsonl, with which 'tacho witness verify' finds any file changed since"},
    {.id = FAIL_ON_WARN, .name = "fail-on-warn", .help = "end with 3 when there are warnings"},
    {.name = NULL},
};

int wrong_value(const struct args *args, const char *name, const char *wants)
{
    return wrong_usage(args, "option '--%s' needs %s, not '%s'", name, wants, args->value);
}

int take_count(const struct args *args, const char *name, uint64_t least, uint64_t *ret)
{
    uint64_t value;

    if (tch_parse_u64(args->value, TCH_RUNS_MAX, &value) < 0 || value < least)
        return wrong_value(args, name,
                           least > 0 ? "a number from 1 to 1000000" : "a number up to 1000000");
    *ret = value;
    return EXIT_OK;
}

static int take_time(const struct args *args, const char *name, uint64_t *ret)
{
    uint64_t value;

    if (tch_parse_duration(args->value, &value) < 0 || value == 0)
        return wrong_value(args, name, "a duration such as 250ms or 5s");
    *ret = value;
    return EXIT_OK;
}

static int take_interval(const struct args *args, uint64_t *ret)
{
    int status = take_time(args, "interval", ret);

    if (status == EXIT_OK && *ret < 1000000)
        status = wrong_value(args, "interval", "1ms or more");
    return status;
}

static int take_precision(const struct args *args, double *ret)
{
    size_t len = strlen(args->value);
    bool percent = len > 0 && args->value[len - 1] == '%';
    double value;

    if (tch_parse_f64_n(args->value, len - percent, &value) < 0 || value <= 0 ||
        value > (percent ? 100 : 1))
        return wrong_value(args, "precision", "a share such as 1% or 0.01");
    *ret = percent ? value / 100 : value;
    return EXIT_OK;
}

static int take_work(const struct args *args, struct tch_run_plan *plan)
{
    size_t len = strspn(args->value, "0123456789.");

    if (tch_parse_f64_n(args->value, len, &plan->work) < 0 || plan->work <= 0)
        return wrong_value(args, "work", "an amount such as 200 or 200samples");
    plan->work_unit = args->value[len] ? args->value + len : "units";
    return EXIT_OK;
}

static int take_pair(const struct args *args, const char *name, const char **list)
{
    if (args->value[0] == '=' || !strchr(args->value, '='))
        return wrong_value(args, name, "NAME=VALUE");
    while (*list)
        list++;
    *list = args->value;
    return EXIT_OK;
}

static int out_of_memory(void)
{
    complain(NULL, "out of memory");
    return EXIT_WORK;
}

/* Relative to where we are, and so that it stays, wherever the command runs. */
static int take_path(const struct args *args, char **slot, const char **ret)
{
    free(*slot);
    *slot = realpath(args->value, NULL);
    if (!*slot) {
        tacho_error err;

        tch_fail_errno(&err, errno, "cannot open '%s'", args->value);
        complain(NULL, "%s", err.message);
        return EXIT_WORK;
    }
    *ret = *slot;
    return EXIT_OK;
}

/* A file for each cell is looked for when that is run. */
static int take_input(struct run_options *o, const struct args *args)
{
    char here[PATH_MAX];

    if (!o->in_sweep || !strchr(args->value, '{'))
        return take_path(args, &o->paths[1], &o->plan.input);
    free(o->paths[1]);
    o->paths[1] = NULL;
    if (args->value[0] == '/')
        o->paths[1] = strdup(args->value);
    else if (getcwd(here, sizeof here) && asprintf(&o->paths[1], "%s/%s", here, args->value) < 0)
        o->paths[1] = NULL;
    o->plan.input = o->paths[1];
    return o->paths[1] ? EXIT_OK : out_of_memory();
}

static int take_metric(struct run_options *o, const struct args *args)
{
    struct tch_metric *metric = &o->metrics[o->plan.metric_count];
    tacho_error err;

    if (o->plan.metric_count == 64)
        return wrong_usage(args, "there can be 64 metrics");
    if (tch_metric_init(metric, args->value, &err) < 0)
        return wrong_usage(args, "%s", err.message);
    for (size_t i = 0; i < o->plan.metric_count; i++)
        if (strcmp(o->metrics[i].id.name, metric->id.name) == 0) {
            int status = wrong_usage(args, "metric '%s' is there twice", metric->id.name);

            tch_metric_release(metric);
            return status;
        }
    o->plan.metric_count++;
    return EXIT_OK;
}

static int take_command(struct run_options *o, const struct args *args)
{
    size_t i = o->plan.command_count;

    if (i == TCH_COMMANDS_MAX)
        return wrong_usage(args, "there can be %d commands", TCH_COMMANDS_MAX);
    o->commands[i].line = args->value;
    o->plan.command_count++;
    return EXIT_OK;
}

static void take_output(struct tch_run_plan *plan, const char *value)
{
    bool is_null = strcmp(value, "null") == 0;
    bool inherit = strcmp(value, "inherit") == 0;

    plan->output = is_null ? TCH_IO_NULL : inherit ? TCH_IO_INHERIT : TCH_IO_WRITE;
    plan->output_path = value;
}

static int take_name(struct run_options *o, const struct args *args)
{
    char name[NAME_SIZE];

    tch_folder_name(name, sizeof name, args->value);
    if (strcmp(name, args->value) != 0)
        return wrong_value(args, "name", "letters, digits, '.', '_' and '-'");
    if (o->name_count == TCH_COMMANDS_MAX)
        return wrong_usage(args, "there can be %d commands", TCH_COMMANDS_MAX);
    o->commands[o->name_count++].name = args->value;
    return EXIT_OK;
}

/* What is not a plain text. */
static int take_opt(struct run_options *o, const struct args *args, int id)
{
    struct tch_run_plan *plan = &o->plan;

    switch (id) {
    case RUNS:
        return take_count(args, "runs", 1, &plan->runs);
    case MAX_RUNS:
        return take_count(args, "max-runs", 1, &plan->max_runs);
    case MAX_TIME:
        return take_time(args, "max-time", &o->max_time_ns);
    case WARMUP:
        return take_count(args, "warmup", 0, &plan->warmup);
    case PRECISION:
        return take_precision(args, &plan->precision);
    case TIMEOUT:
        return take_time(args, "timeout", &plan->timeout_ns);
    case COMMAND:
        return take_command(o, args);
    case ENV:
        return take_pair(args, "env", o->env);
    case LABEL:
        return take_pair(args, "label", o->labels);
    case CWD:
        return take_path(args, &o->paths[0], &plan->cwd);
    case INPUT:
        return take_input(o, args);
    case CONFIG:
        return take_path(args, &o->paths[2], &plan->config);
    case INTERVAL:
        return take_interval(args, &plan->interval_ns);
    case WORK:
        return take_work(args, plan);
    case METRIC:
        return take_metric(o, args);
    case NAME:
        return take_name(o, args);
    case CPU:
        plan->cpus = args->value;
        if (tch_parse_cpus(args->value, &plan->cpu_set) < 0)
            return wrong_value(args, "cpu", "CPUs such as 2 or 0-3,6");
    }
    return EXIT_OK;
}

static void take_plain(struct run_options *o, const char *value, int id)
{
    struct tch_run_plan *plan = &o->plan;

    switch (id) {
    case SETUP:
        plan->setup = value;
        break;
    case PREPARE:
        plan->prepare = value;
        break;
    case SERVER:
        plan->server = value;
        break;
    case READY:
        plan->ready = value;
        break;
    case CONCLUDE:
        plan->conclude = value;
        break;
    case CLEANUP:
        plan->cleanup = value;
        break;
    case OUT:
        plan->out = value;
        break;
    case POWER:
        plan->power = value;
        break;
    case OUTPUT:
        take_output(plan, value);
        break;
    case SHELL:
        plan->shell = true;
        break;
    case ALLOW_NONZERO:
        plan->allow_nonzero = true;
        break;
    case NO_ASLR:
        plan->no_aslr = true;
        break;
    case FLAME:
        plan->flame = true;
        break;
    case TRACE:
        plan->trace = true;
        break;
    case SEAL:
        o->seal = true;
        break;
    case PASS_STATUS:
        o->pass_status = true;
        break;
    case FAIL_ON_WARN:
        o->fail_on_warn = true;
    }
}

/* The operands as a person would type them. */
char *join_words(char **operands)
{
    struct tch_buf b;

    tch_buf_init(&b, 16 << 20);
    for (char **word = operands; *word; word++) {
        bool plain = **word && !(*word)[strcspn(*word, " \t\n'\"\\|&;<>()$`*?[#~")];

        tch_buf_adds(&b, word > operands ? " " : "");
        tch_buf_adds(&b, plain ? "" : "'");
        for (const char *c = *word; *c; c++)
            if (*c == '\'')
                tch_buf_adds(&b, "'\\''");
            else
                tch_buf_addc(&b, *c);
        tch_buf_adds(&b, plain ? "" : "'");
    }
    return tch_buf_take(&b);
}

/* A line of -c into argv. */
static int split_line(struct run_options *o, const struct args *args, size_t i)
{
    struct tch_run_command *command = &o->commands[i];
    tacho_error err;

    if (o->plan.shell) {
        const char *const argv[] = {"sh", "-c", command->line, NULL};

        memcpy(o->shell_argv[i], argv, sizeof argv);
        command->argv = o->shell_argv[i];
        return EXIT_OK;
    }
    if (tch_words_split(command->line, &o->words[i], &err) == TACHO_ENOMEM)
        return out_of_memory();
    if (!o->words[i])
        return wrong_usage(args, "cannot split '%s': %s", command->line, err.message);
    command->argv = (const char *const *)o->words[i];
    return EXIT_OK;
}

static int take_operands(struct run_options *o, const struct args *args)
{
    o->line = join_words(args->operands);
    if (!o->line)
        return out_of_memory();
    o->plan.command_count = 1;
    o->commands[0].line = o->line;
    o->commands[0].argv = (const char *const *)args->operands;
    if (o->plan.shell)
        return wrong_usage(args, "--shell is for commands given by -c: -c '%s'", o->line);
    return EXIT_OK;
}

/* Each needs a name of its own: that of its program, with a number when that is taken. */
static int name_command(struct run_options *o, size_t i)
{
    struct tch_run_command *command = &o->commands[i];
    const char *word = o->plan.shell ? command->line : command->argv[0];
    const char *slash = o->plan.shell ? NULL : strrchr(word, '/');
    char base[NAME_SIZE - 8];
    char name[NAME_SIZE];

    if (command->name)
        return EXIT_OK;
    tch_folder_name(base, o->plan.shell ? 24 : sizeof base, slash ? slash + 1 : word);
    snprintf(name, sizeof name, "%s", base);
    for (size_t number = 2, j = 0; j < o->plan.command_count; j++)
        if (j != i && o->commands[j].name && strcmp(o->commands[j].name, name) == 0) {
            snprintf(name, sizeof name, "%s-%zu", base, number++);
            j = (size_t)-1; /* from the start again */
        }
    o->names[i] = strdup(name);
    if (!o->names[i])
        return out_of_memory();
    command->name = o->names[i];
    return EXIT_OK;
}

static int same_names(const struct run_options *o, const struct args *args)
{
    for (size_t i = 0; i < o->plan.command_count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(o->commands[i].name, o->commands[j].name) == 0)
                return wrong_usage(args, "two commands cannot both be called '%s'",
                                   o->commands[i].name);
    return EXIT_OK;
}

static int settle_commands(struct run_options *o, const struct args *args)
{
    int status = EXIT_OK;

    if (o->plan.command_count > 0 && args->count > 0)
        return wrong_usage(args, "give commands by -c or after the options, not both");
    if (o->plan.command_count == 0 && args->count == 0)
        return wrong_usage(args, "there is no command: tacho run -- COMMAND, or -c 'COMMAND'");
    if (args->count > 0)
        status = take_operands(o, args);
    else
        for (size_t i = 0; i < o->plan.command_count && status == EXIT_OK; i++)
            status = split_line(o, args, i);
    if (status == EXIT_OK && o->name_count > o->plan.command_count)
        return wrong_usage(args, "there are more names than commands");
    for (size_t i = 0; i < o->plan.command_count && status == EXIT_OK; i++)
        status = name_command(o, i);
    return status == EXIT_OK ? same_names(o, args) : status;
}

int run_options_check(const struct run_options *o, const struct args *args)
{
    if (!o->plan.server != !o->plan.ready)
        return wrong_usage(args, "--server and --ready need each other");
    if (o->plan.metric_count > 0 && o->plan.output == TCH_IO_INHERIT)
        return wrong_usage(args, "--metric reads what --output inherit would give away");
    return EXIT_OK;
}

/* With a fixed number of runs there is no time limit but the user's. */
static void settle_limits(struct run_options *o)
{
    struct tch_run_plan *plan = &o->plan;
    uint64_t max_time = o->max_time_ns;

    if (plan->runs > 0 || max_time > 0)
        plan->max_time_ns = max_time;
    if (max_time > 0)
        plan->least_runs = 1;
    if (plan->least_runs > plan->max_runs)
        plan->least_runs = plan->max_runs;
}

int run_options_init(struct run_options *o, const struct args *args)
{
    size_t words = 0;

    *o = (struct run_options){0};
    tch_run_plan_init(&o->plan);
    while (args->words[words])
        words++;
    o->env = calloc(words + RUN_OPTS_MORE + 1, sizeof *o->env);
    o->labels = calloc(words + RUN_OPTS_MORE + 1, sizeof *o->labels);
    o->metrics = calloc(65, sizeof *o->metrics);
    if (!o->env || !o->labels || !o->metrics)
        return out_of_memory();
    o->plan.commands = o->commands;
    o->plan.metrics = o->metrics;
    return EXIT_OK;
}

int run_options_take(struct run_options *o, const struct args *args, const struct opt *opt)
{
    int status = take_opt(o, args, opt->id);

    take_plain(o, args->value, opt->id);
    o->plan.env = o->env[0] ? o->env : NULL;
    o->plan.labels = o->labels[0] ? o->labels : NULL;
    return status;
}

int run_options_parse(struct run_options *o, struct args *args)
{
    const struct opt *opt;
    int status = run_options_init(o, args);

    while (status == EXIT_OK && (opt = next_opt(args)))
        status = run_options_take(o, args, opt);
    if (status == EXIT_OK)
        status = settle_commands(o, args);
    settle_limits(o);
    return status == EXIT_OK ? run_options_check(o, args) : status;
}

void run_options_release(struct run_options *o)
{
    for (size_t i = 0; i < TCH_COMMANDS_MAX; i++) {
        free(o->words[i]);
        free(o->names[i]);
    }
    for (size_t i = 0; i < o->plan.metric_count; i++)
        tch_metric_release(&o->metrics[i]);
    for (int i = 0; i < 3; i++)
        free(o->paths[i]);
    free(o->line);
    free(o->metrics);
    free(o->env);
    free(o->labels);
}
