/* tacho plan: computes how many runs a comparison needs, from a pilot. */
#include "cli/cmds.h"
#include "cli/core/progress.h"
#include "cli/core/stop.h"
#include "cli/run/run_view.h"
#include "kit/judge/findings.h"
#include "kit/report/report.h"
#include "plan_parts.h"

enum { OWN, OF_PILOT }; /* ids of options */

enum { PILOT_USUAL = 10, PILOT_MOST = 10000, METRICS_MOST = 100000, OUT_MAX = 1 << 20 };

static int print_plan(const struct planning *p, const struct args *args)
{
    struct tch_buf b;
    int status;

    tch_buf_init(&b, OUT_MAX);
    cli_add_plan(&b, p, args);
    status = cli_print(&b);
    return status == EXIT_OK && p->run.fail_on_warn && p->pilot.noise.outliers > 0 ? EXIT_WARN
                                                                                   : status;
}

static int plan_from(struct planning *p, const struct tch_result *a, const struct tch_result *b,
                     const struct args *args)
{
    tacho_error err;

    if (tch_run_pilot_measure(a, b, p->of, &p->pilot, &err) < 0) {
        cli_complain(&err, "cannot plan");
        return EXIT_WORK;
    }
    return print_plan(p, args);
}

/* --- Pilots --- */

static void on_step(void *ctx, const struct tch_run *run, double share)
{
    struct progress *progress = ctx;

    (void)share;
    if (progress->on)
        cli_progress_step(progress, run->items[0].result.run_count);
}

static int measure(struct tch_run *run, const struct args *args)
{
    struct progress progress = {0};
    const struct tch_run_watch watch = {
        .stop = cli_catch_stop(), .step = on_step, .hook = cli_progress_hook, .ctx = &progress};
    tacho_error err;
    int measured;

    if (run->plan->output != TCH_IO_INHERIT)
        cli_progress_begin(&progress, args, "pilot", run->plan->runs);
    measured = tch_run_measure(run, &watch, &err);
    cli_progress_end(&progress);
    return cli_finish_runs(run, measured, &err, "interrupted before the pilot was complete",
                           "cannot write the result of the pilot");
}

/* Completes the plan of the pilot and checks it. */
static int check_pilot(struct planning *p, const struct args *args)
{
    struct tch_run_plan *plan = &p->run.plan;
    tacho_error err;
    int status = cli_run_commands_finish(&p->run, args);

    if (status != EXIT_OK)
        return status;
    plan->runs = plan->command_count == 1 ? 2 * p->pairs : p->pairs;
    plan->max_time_ns = 0;
    plan->pilot = true;
    if (plan->command_count > SIDES)
        return cli_wrong_usage(
            args, "a pilot compares one command with itself, or two commands; remove some");
    status = cli_run_options_check(&p->run, args);
    if (status != EXIT_OK)
        return status;
    if (tch_run_plan_check_metric(plan, p->of, &err) < 0) {
        cli_complain(&err, "cannot plan");
        return EXIT_WORK;
    }
    return EXIT_OK;
}

/* Runs one command against itself, or two commands interleaved. */
static int make_pilot(struct planning *p, const struct args *args)
{
    struct tch_run_plan *plan = &p->run.plan;
    struct tch_run run = {.plan = plan};
    tacho_error err;
    int status = check_pilot(p, args);

    if (status != EXIT_OK)
        return status;
    if (tch_run_open(&run, plan, &err) < 0) {
        cli_complain(NULL, "%s", err.message);
        status = EXIT_WORK;
        goto out;
    }
    status = measure(&run, args);
    if (status != EXIT_OK)
        goto out;
    for (size_t i = 0; i < plan->command_count; i++) {
        p->folders[i] = run.items[i].folder.shown;
        if (tch_report_save(&run.items[i].result, run.items[i].folder.path, &err) < 0) {
            cli_complain(&err, "cannot write the report of '%s'", p->folders[i]);
            status = EXIT_WORK;
            goto out;
        }
    }
    status = plan_from(p, &run.items[0].result,
                       plan->command_count > 1 ? &run.items[1].result : NULL, args);
out:
    tch_run_release(&run);
    return status;
}

static int read_pilot(struct planning *p, const struct args *args)
{
    struct tch_report_run runs[SIDES] = {0};
    char folders[SIDES][PATH_MAX];
    int status = EXIT_OK;

    if (args->count > SIDES)
        return cli_wrong_usage(args, "give one run, or two interleaved runs; a command to "
                                     "run follows '--'");
    for (size_t i = 0; i < args->count && status == EXIT_OK; i++) {
        p->folders[i] = args->operands[i];
        status = cli_open_run(&runs[i], args->operands[i], folders[i]);
        if (status != EXIT_OK)
            cli_complain(NULL, "to run a pilot, put the command after '--': tacho plan -- COMMAND");
    }
    if (status == EXIT_OK)
        status = plan_from(p, &runs[0].result, args->count > 1 ? &runs[1].result : NULL, args);
    for (size_t i = 0; i < SIDES; i++)
        tch_report_close(&runs[i]);
    return status;
}

/* --- Options --- */

static const char share_wanted[] = "a share such as 3% or 0.03";

static const struct opt opts[] = {
    {.name = "effect",
     .letter = 'e',
     .arg = "P",
     .help = "change to find, beyond the tolerance (default 3%)",
     .set = CLI_SET(struct planning, effect, .kind = TCH_SET_SHARE, .wants = share_wanted)},
    {.name = "probability",
     .arg = "P",
     .help = "probability that such a change is found (at least 50%, below 100%; default 90%)",
     .set = CLI_SET(struct planning, power, .kind = TCH_SET_SHARE, .wants = share_wanted)},
    {.name = "metrics",
     .arg = "N",
     .help = "number of metrics that the report judges (default 1)",
     .set = CLI_SET(struct planning, metrics, .kind = TCH_SET_U64, .least = 1, .most = METRICS_MOST,
                    .wants = "a number from 1 to 100000")},
    {.name = "alpha",
     .arg = "P",
     .help = "probability of a wrong FAIL in the whole report (at most 50%; default 5%)",
     .set = CLI_SET(struct planning, alpha, .kind = TCH_SET_SHARE, .wants = share_wanted)},
    {.name = "for-metric",
     .arg = "METRIC",
     .help = "plan for this metric, by a name of tacho compare (default wall)",
     CLI_TEXT(struct planning, of)},
    {.id = OF_PILOT,
     .name = "pilot",
     .arg = "N",
     .help = "run a pilot of N pairs (at least 5; default 10)",
     .set = CLI_SET(struct planning, pairs, .kind = TCH_SET_U64, .least = TCH_PILOT_LEAST,
                    .most = PILOT_MOST, .wants = "a number from 5 to 10000")},
    {.id = OF_PILOT,
     .name = "command",
     .letter = 'c',
     .arg = "LINE",
     .help = "run this command in the pilot, split into words as a shell does; give two to compare "
             "them",
     .take = cli_run_commands_add},
    {.id = OF_PILOT,
     .name = "out-dir",
     .letter = 'o',
     .arg = "DIR",
     .help = "folder for the run folders of the pilot (default tacho-out)",
     .complete = COMPLETE_DIR,
     CLI_TEXT(struct planning, run.plan.out)},
    {.name = NULL},
};

/* Parses all options. *of_pilot: one that applies to a pilot to run, or NULL. */
static int take_options(struct planning *p, struct args *args, const struct opt **of_pilot)
{
    const struct opt *opt;
    int status = EXIT_OK;

    *of_pilot = NULL;
    while (status == EXIT_OK && (opt = cli_next_opt(args)) != NULL) {
        if (cli_owns_opt(args->cmd, opt) ? opt->id == OF_PILOT
                                         : strcmp(opt->name, "fail-on-warn") != 0)
            *of_pilot = opt;
        status = cli_set_opt(args, opt, p, &p->run);
    }
    if (status != EXIT_OK)
        return status;
    if (p->run.plan.flame || p->run.plan.seal)
        return cli_wrong_usage(args, "--flame and --seal are for 'tacho run', whose folder can be "
                                     "the pilot: tacho plan RUN");
    if (p->power < 0.5 || p->power >= 1)
        return cli_wrong_usage(args, "--probability must be at least 50%% and below 100%%");
    if (p->alpha > 0.5)
        return cli_wrong_usage(args, "--alpha must be at most 50%%");
    return EXIT_OK;
}

static int run_plan(struct args *args)
{
    struct planning p = {0};
    const struct opt *of_pilot;
    int status = cli_run_options_init(&p.run, args);

    p.effect = 0.03;
    p.power = 0.9;
    p.alpha = TCH_ALPHA;
    p.metrics = 1;
    p.pairs = PILOT_USUAL;
    p.of = "wall";
    if (status == EXIT_OK)
        status = take_options(&p, args, &of_pilot);
    if (status != EXIT_OK)
        ;
    else if (p.run.plan.command_count > 0 || (args->count > 0 && cli_operands_are_command(args)))
        status = make_pilot(&p, args);
    else if (args->count == 0)
        status = cli_wrong_usage(args, "give one run, two interleaved runs, or -- COMMAND");
    else if (of_pilot)
        status = cli_wrong_usage(args,
                                 "--%s applies to a pilot that is run: put the command after "
                                 "'--'",
                                 of_pilot->name);
    else
        status = read_pilot(&p, args);
    cli_run_options_release(&p.run);
    return status;
}

static const struct arg operands[] = {
    {.name = "RUN",
     .help = "run folder of the pilot, or two of interleaved runs; the command of a new pilot "
             "follows '--'",
     .optional = true,
     .many = true,
     .complete = COMPLETE_RUN_OR_PROGRAM},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho plan -- ./prog --size 1000",
     "Run it 20 times and print how many pairs find a change of 3 %."},
    {"tacho plan --effect 1% --metrics 20 tacho-out/prog/latest",
     "Plan from existing runs, for a change of 1 % among 20 metrics."},
    {NULL, NULL},
};

static const struct exit_note exits[] = {
    {EXIT_WARN, "with --fail-on-warn: the pilot has outliers"},
    EXIT_NOTE_STOPPED,
    {0, NULL},
};

const struct cmd cmd_plan = {
    .name = "plan",
    .summary = "compute how many runs a comparison needs, and how long they take",
    .usage = "tacho plan [OPTIONS] RUN [RUN]\n"
             "tacho plan [OPTIONS] -- COMMAND [ARGUMENT...]\n"
             "tacho plan [OPTIONS] -c LINE [-c LINE]",
    .about =
        "Measures the noise of a pilot and says how many pairs of interleaved runs find a change "
        "of --effect as often as --probability says. The pilot is a run folder, whose neighbouring "
        "runs "
        "are compared with each other, or two folders of interleaved runs, or --pilot pairs of "
        "runs "
        "of a command against itself, or of two commands.\n"
        "\n"
        "A pilot estimates the noise poorly, and the plan allows for that: over many pilots it "
        "finds the change as often as --probability says. If a pair of the pilot is further than "
        "5 median distances from the median, a warning says not to trust the plan.\n"
        "\n"
        "The last column is the option of tacho compare that the plan assumes: a FAIL needs an "
        "estimate of at least --min-effect, whose default of 2 % is too much for small effects.",
    .opts = opts,
    .more_opts = cli_plan_opts,
    .args = operands,
    .examples = examples,
    .exits = exits,
    .json = true,
    .run = run_plan,
    .variables = cli_run_variables,
};
