/* tacho calibrate: measures which changes of a command or a bench this machine can see. */
#include <math.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "calibrate_parts.h"
#include "cli/cmds.h"
#include "kit/judge/findings.h"
#include "kit/report/calibration_page.h"

enum {
    ANYWAY,
    OF_COMMAND
}; /* ids of options: OF_COMMAND marks those that apply to a command to run */

/* --- From two runs to a calibration --- */

/* Computes the calibration. Leaves out, with a warning, a metric that a budget names but that
   cannot be calibrated. */
static int compute(struct calibrate *c, const struct tch_result *a, const struct tch_result *b,
                   double *false_fails)
{
    tacho_error err;

    if (c->of_count == 0)
        c->of[c->of_count++] = (struct calibrate_metric){"wall", 0.5, NULL};
    for (size_t i = 0; i < c->of_count; i++) {
        const struct tch_calibrating_how how = {.quantile = c->of[i].quantile,
                                                .alpha = c->alpha,
                                                .budget = c->of[i].budget,
                                                .metrics = c->of_count};
        int status = tch_calibrating_init(&c->metrics[c->count], a, b, c->of[i].name, &how, &err);

        if (status == 0) {
            c->count++;
            continue;
        }
        tch_calibrating_release(&c->metrics[c->count]);
        if (status == TACHO_ENOMEM || !c->bench) {
            cli_complain(&err, "cannot calibrate");
            return EXIT_WORK;
        }
        cli_warn("%s is not calibrated: %s", c->of[i].name, err.message);
    }
    if (c->count == 0) {
        cli_complain(NULL, "no metric of '%s' can be calibrated", c->name);
        return EXIT_WORK;
    }
    if (tch_calibrating_false_fails(c->metrics, c->count, c->alpha, false_fails, &err) == 0)
        return EXIT_OK;
    cli_complain(&err, "cannot calibrate");
    return EXIT_WORK;
}

/* Saves the calibration. With --no-save it is the only one known. */
static int keep(struct calibrate *c, struct tch_calibration_occasion *o, tacho_error *err)
{
    char dir[PATH_MAX];
    int n = snprintf(dir, sizeof dir, "%s%s" TCH_CALIBRATIONS, c->root, c->root[0] ? "/" : "");
    int status = n < PATH_MAX ? 0 : tch_fail(err, TACHO_ELIMIT, 0, "'%.80s' is too long", c->root);

    if (c->no_save) {
        c->kept = (struct tch_calibration){.bench = strdup(c->name),
                                           .machine_class = strdup(c->machine_class),
                                           .occasions = malloc(sizeof *o)};
        if (!c->kept.bench || !c->kept.machine_class || !c->kept.occasions)
            return tch_fail_memory(err);
        c->kept.occasions[c->kept.count++] = *o;
        *o = (struct tch_calibration_occasion){0};
        return 0;
    }
    if (status == 0)
        status = tch_baseline_path(c->path, dir, c->name, c->machine_class, err);
    if (status == 0)
        status = tch_calibration_save(&c->kept, c->path, c->name, c->machine_class, o,
                                      c->baseline.count > 0 ? &c->baseline : NULL, err);
    return status;
}

static int write_page(struct calibrate *c)
{
    struct tch_buf b;
    tacho_error err;
    int status = EXIT_WORK;

    snprintf(c->page, sizeof c->page, "%s", c->html ? c->html : "");
    if (!c->html)
        snprintf(c->page, sizeof c->page, "%.3800s/calibrate-%.200s.html", c->run.plan.out,
                 c->name);
    tch_buf_init(&b, TCH_REPORT_MAX);
    tch_calibration_page(&b, &c->kept, c->metrics, c->count);
    if (b.failed)
        cli_complain(NULL, "cannot draw the page: out of memory");
    else if (tch_mkdirs_above(c->page, &err) < 0 ||
             tch_file_replace(c->page, b.data, b.len, false, &err) < 0)
        cli_complain(NULL, "%s", err.message);
    else
        status = EXIT_OK;
    tch_buf_release(&b);
    return status;
}

static int print(const struct calibrate *c, const struct args *args)
{
    struct tch_buf b;

    tch_buf_init(&b, TCH_REPORT_MAX);
    if (args->json)
        tch_calibration_format(&b, &c->kept, c->kept.count - 1);
    else
        cli_add_calibration(&b, &args->out, c, args->quiet);
    return cli_print(&b);
}

int cli_calibrate_from(struct calibrate *c, const struct tch_result *a, const struct tch_result *b,
                       const struct args *args)
{
    struct tch_calibration_occasion o = {0};
    double false_fails = 0;
    tacho_error err;
    int status = compute(c, a, b, &false_fails);

    if (status != EXIT_OK)
        return status;
    snprintf(c->machine_class, sizeof c->machine_class, "%s", a->machine_class);
    if (tch_calibration_occasion_init(&o, a, c->metrics, c->count, &err) == 0) {
        o.alpha = c->alpha;
        o.false_fails = false_fails;
        if (keep(c, &o, &err) == 0)
            status = write_page(c);
        else
            status = EXIT_WORK, cli_complain(&err, "cannot save the calibration");
    } else {
        status = EXIT_WORK, cli_complain(NULL, "%s", err.message);
    }
    tch_calibration_occasion_release(&o);
    return status == EXIT_OK ? print(c, args) : status;
}

/* --- Options --- */

static int take_of(void *into, const struct args *args, const struct opt *opt)
{
    struct calibrate *c = into;

    (void)opt;
    if (c->of_count == TCH_CALIBRATION_METRICS)
        return cli_wrong_usage(args, "there can be at most %d metrics", TCH_CALIBRATION_METRICS);
    c->of[c->of_count++] = (struct calibrate_metric){args->value, 0.5, NULL};
    return EXIT_OK;
}

static const struct opt opts[] = {
    {.name = "bench",
     .letter = 'b',
     .arg = "NAME",
     .help = "calibrate this bench of tacho.yaml, for the metrics that have a tolerance",
     .complete = COMPLETE_BENCH,
     CLI_TEXT(struct calibrate, bench)},
    {.name = "config",
     .letter = 'c',
     .arg = "FILE",
     .help = "read the bench from this file (default tacho.yaml)",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct calibrate, config)},
    {.name = "time",
     .letter = 't',
     .arg = "TIME",
     .help = "run pairs for TIME, but at least 10 of them (default 60s)",
     .set = CLI_SET(struct calibrate, time_ns, .kind = TCH_SET_DURATION, .least = 1,
                    .wants = "a duration such as 90s or 5m")},
    {.name = "pairs",
     .letter = 'n',
     .arg = "N",
     .help = "run N pairs, however long they take (at least 10)",
     .set = CLI_SET(struct calibrate, pairs, .kind = TCH_SET_U64, .least = TCH_CALIBRATION_LEAST,
                    .most = TCH_RUNS_MAX, .wants = "a number from 10 to 1000000")},
    {.name = "for-metric",
     .arg = "METRIC",
     .help = "calibrate this metric, by a name of tacho compare; may be given several times "
             "(default wall)",
     .take = take_of},
    {.name = "alpha",
     .arg = "P",
     .help =
         "probability of a wrong FAIL of the simulated gates (at most 50%; default 5%, or that of "
         "tacho.yaml)",
     .set = CLI_SET(struct calibrate, alpha, .kind = TCH_SET_SHARE,
                    .wants = "a share such as 5% or 0.05")},
    {.id = OF_COMMAND,
     .name = "name",
     .arg = "NAME",
     .help = "name of the command (default: that of its program)",
     .take = cli_run_commands_name},
    {.name = "out-dir",
     .letter = 'o',
     .arg = "DIR",
     .help = "folder for run folders and the page (default tacho-out)",
     .complete = COMPLETE_DIR,
     CLI_TEXT(struct calibrate, run.plan.out)},
    {.name = "html",
     .arg = "FILE",
     .help = "write the page to FILE (default OUT/calibrate-NAME.html)",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct calibrate, html)},
    {.name = "no-save", .help = "do not save the calibration", CLI_FLAG(struct calibrate, no_save)},
    {.name = NULL},
};

/* Parses all options. *of_command: one that applies to a command to run, or NULL. */
static int take_options(struct calibrate *c, struct args *args, const struct opt **of_command)
{
    const struct opt *opt;
    int status = EXIT_OK;

    *of_command = NULL;
    while (status == EXIT_OK && (opt = cli_next_opt(args)) != NULL) {
        if (!cli_owns_opt(args->cmd, opt) || opt->id == OF_COMMAND)
            *of_command = opt;
        status = cli_set_opt(args, opt, c, &c->run);
    }
    if (status == EXIT_OK && (c->run.plan.flame || c->run.plan.seal))
        return cli_wrong_usage(args, "--flame and --seal are for 'tacho run'");
    if (status == EXIT_OK && c->alpha > 0.5)
        return cli_wrong_usage(args, "--alpha must be at most 50%%");
    return status;
}

static int calibrate(struct calibrate *c, struct args *args)
{
    const struct opt *of_command;
    int status = take_options(c, args, &of_command);
    bool command = args->count > 0 && cli_operands_are_command(args);

    if (status != EXIT_OK)
        return status;
    if (c->bench && args->count > 0)
        return cli_wrong_usage(args, "cannot combine --bench with a command; remove one of them");
    if (of_command && !command)
        return cli_wrong_usage(args,
                               "--%s is for a command: put it after '--'; a bench is set up "
                               "in tacho.yaml",
                               of_command->name);
    if (c->config && !c->bench)
        return cli_wrong_usage(args, "--config needs --bench");
    if (args->count == 0 && !c->bench)
        return cli_wrong_usage(args, "give --bench NAME, or -- COMMAND");
    return c->bench  ? cli_calibrate_bench(c, args)
           : command ? cli_calibrate_command(c, args)
                     : cli_calibrate_runs(c, args);
}

static int run_calibrate(struct args *args)
{
    struct calibrate *c = calloc(1, sizeof *c);
    int status;

    if (!c)
        return cli_no_memory();
    status = cli_run_options_init(&c->run, args);
    c->time_ns = UINT64_C(60000000000);
    c->alpha = TCH_ALPHA;
    if (status == EXIT_OK)
        status = calibrate(c, args);
    cli_run_options_release(&c->run);
    for (size_t i = 0; i < c->count; i++)
        tch_calibrating_release(&c->metrics[i]);
    tch_baseline_release(&c->baseline);
    tch_calibration_release(&c->kept);
    free(c);
    return status;
}

static const struct arg operands[] = {
    {.name = "RUN",
     .help = "two interleaved runs of one command; a command to run follows '--'",
     .optional = true,
     .many = true,
     .complete = COMPLETE_RUN_OR_PROGRAM},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho calibrate -- ./prog --size 1000",
     "Run it against itself for a minute: which changes can be seen, and with how many runs?"},
    {"tacho calibrate --bench sort --time 5m",
     "Calibrate a bench of tacho.yaml. 'tacho gate' then warns of tolerances that are too small."},
    {NULL, NULL},
};

static const struct exit_note exits[] = {
    EXIT_NOTE_STOPPED,
    {0, NULL},
};

static const struct man_item files[] = {
    {".tacho/calibration/BENCH/CLASS.json",
     "The calibrations of a bench on machines of one class (schema tacho.calibration.v1), meant to "
     "be committed."},
    {"tacho-out/calibrate-BENCH.html", "The page of the last calibration."},
    {"tacho-out/BENCH-a/, tacho-out/BENCH-b/", "Run folders of both sides."},
    {NULL, NULL},
};

const struct cmd cmd_calibrate = {
    .name = "calibrate",
    .summary = "measure which changes this machine can see, and with how many runs",
    .usage = "tacho calibrate [OPTIONS] --bench NAME\n"
             "tacho calibrate [OPTIONS] -- COMMAND [ARGUMENT...]\n"
             "tacho calibrate [OPTIONS] RUN RUN",
    .about =
        "Runs a command against itself in interleaved pairs and reports how much they differ with "
        "nothing changed: noise within pairs, correlation of neighbouring runs, drift, and the "
        "session spread from all calibrations and baselines of this machine class.\n"
        "\n"
        "From these pairs it computes which changes 'tacho gate' finds. The table shows the "
        "smallest change that it detects in 9 of 10 gates, the page shows the whole curve.\n"
        "\n"
        "The calibration is saved per bench and machine class, sealed with the environment. 'tacho "
        "gate' and 'tacho compare' use it: see docs/calibrate.md.",
    .opts = opts,
    .more_opts = cli_plan_opts,
    .args = operands,
    .examples = examples,
    .exits = exits,
    .json = true,
    .run = run_calibrate,
    .variables = cli_run_variables,
    .files = files,
};
