/* The options of `tacho run`, taken one by one. The tables are .c, commands and their names
   run_commands.c. */
#include "run_options.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/number.h"
#include "run_option_parts.h"

int cli_no_memory(void)
{
    cli_complain(NULL, "out of memory");
    return EXIT_WORK;
}

int cli_wrong_value(const struct args *args, const char *name, const char *wants)
{
    return cli_wrong_usage(args, "option '--%s' needs %s, not '%s'", name, wants, args->value);
}

int cli_take_count(const struct args *args, const char *name, uint64_t least, uint64_t *ret)
{
    uint64_t value;

    if (tch_parse_u64(args->value, TCH_RUNS_MAX, &value) < 0 || value < least)
        return cli_wrong_value(args, name,
                               least > 0 ? "a number from 1 to 1000000" : "a number up to 1000000");
    *ret = value;
    return EXIT_OK;
}

static int take_time(const struct args *args, const char *name, uint64_t *ret)
{
    uint64_t value;

    if (tch_parse_duration(args->value, &value) < 0 || value == 0)
        return cli_wrong_value(args, name, "a duration such as 250ms or 5s");
    *ret = value;
    return EXIT_OK;
}

static int take_interval(const struct args *args, uint64_t *ret)
{
    int status = take_time(args, "interval", ret);

    if (status == EXIT_OK && *ret < 1000000)
        status = cli_wrong_value(args, "interval", "1ms or more");
    return status;
}

static int take_precision(const struct args *args, double *ret)
{
    size_t len = strlen(args->value);
    bool percent = len > 0 && args->value[len - 1] == '%';
    double value;

    if (tch_parse_f64_n(args->value, len - percent, &value) < 0 || value <= 0 ||
        value > (percent ? 100 : 1))
        return cli_wrong_value(args, "precision", "a share such as 1% or 0.01");
    *ret = percent ? value / 100 : value;
    return EXIT_OK;
}

static int take_work(const struct args *args, struct tch_run_plan *plan)
{
    size_t len = strspn(args->value, "0123456789.");

    if (tch_parse_f64_n(args->value, len, &plan->work) < 0 || plan->work <= 0)
        return cli_wrong_value(args, "work", "an amount such as 200 or 200samples");
    plan->work_unit = args->value[len] ? args->value + len : "units";
    return EXIT_OK;
}

static int take_pair(const struct args *args, const char *name, const char **list)
{
    if (args->value[0] == '=' || !strchr(args->value, '='))
        return cli_wrong_value(args, name, "NAME=VALUE");
    while (*list)
        list++;
    *list = args->value;
    return EXIT_OK;
}

/* Relative to where we are, and so that it stays, wherever the command runs. */
static int take_path(const struct args *args, char **slot, const char **ret)
{
    free(*slot);
    *slot = realpath(args->value, NULL);
    if (!*slot) {
        tacho_error err;

        tch_fail_errno(&err, errno, "cannot open '%s'", args->value);
        cli_complain(NULL, "%s", err.message);
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
    return o->paths[1] ? EXIT_OK : cli_no_memory();
}

static int take_metric(struct run_options *o, const struct args *args)
{
    struct tch_metric *metric = &o->metrics[o->plan.metric_count];
    tacho_error err;

    if (o->plan.metric_count == 64)
        return cli_wrong_usage(args, "there can be 64 metrics");
    if (tch_metric_init(metric, args->value, &err) < 0)
        return cli_wrong_usage(args, "%s", err.message);
    for (size_t i = 0; i < o->plan.metric_count; i++)
        if (strcmp(o->metrics[i].id.name, metric->id.name) == 0) {
            int status = cli_wrong_usage(args, "metric '%s' is there twice", metric->id.name);

            tch_metric_release(metric);
            return status;
        }
    o->plan.metric_count++;
    return EXIT_OK;
}

static void take_output(struct tch_run_plan *plan, const char *value)
{
    bool is_null = strcmp(value, "null") == 0;
    bool inherit = strcmp(value, "inherit") == 0;

    plan->output = is_null ? TCH_IO_NULL : inherit ? TCH_IO_INHERIT : TCH_IO_WRITE;
    plan->output_path = value;
}

/* What is not a plain text. */
static int take_opt(struct run_options *o, const struct args *args, int id)
{
    struct tch_run_plan *plan = &o->plan;

    switch (id) {
    case RUNS:
        return cli_take_count(args, "runs", 1, &plan->runs);
    case MAX_RUNS:
        o->until_precise = true;
        return cli_take_count(args, "max-runs", 1, &plan->max_runs);
    case MAX_TIME:
        return take_time(args, "max-time", &o->max_time_ns);
    case WARMUP:
        return cli_take_count(args, "warmup", 0, &plan->warmup);
    case PRECISION:
        o->until_precise = true;
        return take_precision(args, &plan->precision);
    case TIMEOUT:
        return take_time(args, "timeout", &plan->timeout_ns);
    case COMMAND:
        return cli_run_commands_add(o, args);
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
        return cli_run_commands_name(o, args);
    case CPU:
        plan->cpus = args->value;
        if (tch_parse_cpus(args->value, &plan->cpu_set) < 0)
            return cli_wrong_value(args, "cpu", "CPUs such as 2 or 0-3,6");
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

int cli_run_options_check(const struct run_options *o, const struct args *args)
{
    if (!o->plan.server != !o->plan.ready)
        return cli_wrong_usage(args, "--server and --ready need each other");
    if (o->plan.runs > 0 && o->until_precise)
        return cli_wrong_usage(args,
                               "--runs says how often; --precision and --max-runs find it out");
    if (o->plan.metric_count > 0 && o->plan.output == TCH_IO_INHERIT)
        return cli_wrong_usage(args, "--metric reads what --output inherit would give away");
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

int cli_run_options_init(struct run_options *o, const struct args *args)
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
        return cli_no_memory();
    o->plan.commands = o->commands;
    o->plan.metrics = o->metrics;
    return EXIT_OK;
}

int cli_run_options_take(struct run_options *o, const struct args *args, const struct opt *opt)
{
    int status = take_opt(o, args, opt->id);

    take_plain(o, args->value, opt->id);
    o->plan.env = o->env[0] ? o->env : NULL;
    o->plan.labels = o->labels[0] ? o->labels : NULL;
    return status;
}

int cli_run_options_parse(struct run_options *o, struct args *args)
{
    const struct opt *opt;
    int status = cli_run_options_init(o, args);

    while (status == EXIT_OK && (opt = cli_next_opt(args)))
        status = cli_run_options_take(o, args, opt);
    if (status == EXIT_OK)
        status = cli_run_commands_finish(o, args);
    settle_limits(o);
    return status == EXIT_OK ? cli_run_options_check(o, args) : status;
}

void cli_run_options_release(struct run_options *o)
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
