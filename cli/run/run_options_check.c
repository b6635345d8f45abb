/* Initialises the options of `tacho run`, and completes and checks them after the last one. */
#include "kit/text/human_number.h"
#include "run_options.h"

/* Gives each command its own hooks if there is one per command. */
static int finish_hooks(struct run_options *o, const struct args *args)
{
    size_t commands =
        o->plan.command_count > 0 ? o->plan.command_count : 1; /* command_count is 0 in a sweep */

    for (int hook = 0; hook < TCH_HOOKS; hook++) {
        size_t count = o->hook_count[hook];

        if (count > 1 && count != commands)
            return cli_wrong_usage(args,
                                   "--%s is given %zu times for %zu command%s; give it once for "
                                   "all commands, or once for each",
                                   tch_hook_names[hook], count, commands, tch_plural(commands));
        for (size_t i = 0; i < count && count > 1; i++)
            o->commands[i].hook[hook] = o->hooks[hook][i];
    }
    return EXIT_OK;
}

/* Computes the number of runs of each command per block. All blocks have the same number. */
static int finish_layouts(struct run_options *o, const struct args *args)
{
    struct tch_run_plan *plan = &o->plan;

    if ((plan->layouts > 0) != (plan->relink != NULL))
        return cli_wrong_usage(args, "--layouts and --relink need each other; give both");
    if (plan->layouts == 0)
        return EXIT_OK;
    if (o->until_precise)
        return cli_wrong_usage(args, "--layouts cannot be combined with --precision, --min-runs or "
                                     "--max-runs; use --runs");
    if (plan->runs % plan->layouts != 0)
        return cli_wrong_usage(args, "--runs %llu is not a multiple of --layouts %llu",
                               (unsigned long long)plan->runs, (unsigned long long)plan->layouts);
    plan->layout_runs = plan->runs > 0 ? plan->runs / plan->layouts : TCH_LAYOUT_RUNS;
    plan->runs = plan->layouts * plan->layout_runs;
    return EXIT_OK;
}

int cli_run_options_check(struct run_options *o, const struct args *args)
{
    if (o->count_runs_given && o->plan.counts == 0)
        return cli_wrong_usage(args, "--count-runs needs --count, which says what to count");
    if (o->plan.idle_ns > 0 &&
        (strcmp(o->plan.power, "none") == 0 || strncmp(o->plan.power, "fixed:", 6) == 0))
        return cli_wrong_usage(
            args,
            "--measure-idle needs a power source that is read; --power-source %s is not, so "
            "remove one of them",
            o->plan.power);
    if (!o->plan.server != !o->plan.ready)
        return cli_wrong_usage(args, "--server and --ready need each other; give both");
    if (o->plan.runs > 0 && o->until_precise)
        return cli_wrong_usage(
            args, "--runs cannot be combined with --precision, --min-runs or --max-runs");
    if (o->plan.least_runs > o->plan.max_runs)
        return cli_wrong_usage(args, "--min-runs %llu is above --max-runs %llu; change one of them",
                               (unsigned long long)o->plan.least_runs,
                               (unsigned long long)o->plan.max_runs);
    if (tch_run_reads_output(&o->plan) && o->plan.output == TCH_IO_INHERIT)
        return cli_wrong_usage(
            args, "--metric cannot be combined with --command-output inherit; write to "
                  "a file, or remove one of them");
    for (size_t i = 0; i < o->plan.metric_count && o->plan.no_record; i++)
        if (o->plan.metrics[i].source != TCH_FROM_OUTPUT)
            return cli_wrong_usage(
                args,
                "--metric %s is recorded by the program, and --no-record lets it "
                "record nothing; remove one of them",
                o->plan.metrics[i].name);
    if (o->once && o->plan.command_count > 1)
        return cli_wrong_usage(
            args, "--%s applies to all commands and is given more than once; remove one of them",
            o->once->name);
    return finish_hooks(o, args);
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
    o->keep_env = calloc(words + RUN_OPTS_MORE + 1, sizeof *o->keep_env);
    o->metrics = calloc(65, sizeof *o->metrics);
    if (!o->env || !o->labels || !o->keep_env || !o->metrics)
        return cli_no_memory();
    o->plan.commands = o->commands;
    o->plan.metrics = o->metrics;
    return EXIT_OK;
}

int cli_run_options_parse(struct run_options *o, struct args *args)
{
    struct tch_run_plan *plan = &o->plan;
    int status = cli_run_options_init(o, args);

    if (status == EXIT_OK)
        status = cli_set_opts(args, o, o);
    if (status == EXIT_OK)
        status = cli_run_commands_finish(o, args);
    if (status == EXIT_OK)
        status = finish_layouts(o, args);
    /* With a fixed number of runs there is no default time limit. */
    if (plan->runs > 0 || o->max_time_ns > 0)
        plan->max_time_ns = o->max_time_ns;
    if (o->max_time_ns > 0 && plan->least_runs == 0)
        plan->least_runs = 1;
    return status == EXIT_OK ? cli_run_options_check(o, args) : status;
}

void cli_run_options_release(struct run_options *o)
{
    for (size_t i = 0; i < TCH_COMMANDS_MAX; i++) {
        free(o->words[i]);
        free(o->names[i]);
        free(o->lines[i]);
    }
    for (size_t i = 0; i < o->plan.metric_count; i++)
        tch_metric_rule_release(&o->metrics[i]);
    for (int i = 0; i < 3; i++)
        free(o->paths[i]);
    free(o->metrics);
    free(o->env);
    free(o->labels);
    free(o->keep_env);
}
