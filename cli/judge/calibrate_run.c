/* Runs a command or a bench against itself for a calibration, or reads two existing runs. */
#include <math.h>

#include "base/secret.h"
#include "calibrate_parts.h"
#include "cli/core/progress.h"
#include "cli/core/stop.h"
#include "cli/run/run_view.h"
#include "cmd_gate_parts.h"
#include "kit/result/run_folder.h"
#include "verdict_view.h"

enum { SIDES = 2 };

/* --- Progress: seconds, or pairs --- */

struct watcher {
    struct progress progress;
    uint64_t total;
};

static void on_step(void *ctx, const struct tch_run *run, double share)
{
    struct watcher *w = ctx;

    (void)run;
    if (w->progress.on)
        cli_progress_step(&w->progress, (uint64_t)(fmin(share, 1) * (double)w->total));
}

static struct tch_run_watch begin_watch(struct watcher *w, const struct calibrate *c,
                                        const struct args *args)
{
    w->total = c->pairs > 0 ? c->pairs : c->time_ns / 1000000000 + 1;
    cli_progress_begin(&w->progress, args, c->pairs > 0 ? "calibrating, pairs" : "calibrating, s",
                       w->total);
    return (struct tch_run_watch){
        .stop = cli_catch_stop(), .step = on_step, .hook = cli_progress_hook, .ctx = w};
}

/* Sets the number of pairs, or the time. The plan has the time of one command, and both share
   it. */
static void plan_pairs(const struct calibrate *c, struct tch_run_plan *plan)
{
    plan->runs = c->pairs > 0 ? c->pairs : TCH_RUNS_MAX;
    plan->max_time_ns = c->pairs > 0 ? 0 : c->time_ns / SIDES;
    plan->least_runs = TCH_CALIBRATION_LEAST;
    plan->max_runs = plan->runs;
    plan->precision = 0;
}

/* Checks what can be checked before the first run: the names of the metrics, and the page. */
static int check_early(const struct calibrate *c, const struct tch_run_plan *plan)
{
    tacho_error err;

    for (size_t i = 0; i < c->of_count; i++)
        if (tch_run_plan_check_metric(plan, c->of[i].name, &err) < 0) {
            cli_complain(&err, "cannot calibrate");
            return EXIT_WORK;
        }
    return cli_check_output(c->html);
}

/* --- A command --- */

static int measure(struct calibrate *c, struct tch_run *run, const struct args *args)
{
    struct watcher w = {0};
    struct tch_run_watch watch = begin_watch(&w, c, args);
    tacho_error err;
    int measured = tch_run_measure(run, &watch, &err);

    cli_progress_end(&w.progress);
    return cli_finish_runs(run, measured, &err,
                           "interrupted before the calibration was complete; nothing was saved",
                           "cannot write the results of the runs");
}

/* Gives the command a second side of its own. The caller owns names. */
static int double_command(struct calibrate *c, char *names[SIDES], const struct args *args)
{
    struct run_options *o = &c->run;
    int status = cli_run_commands_finish(o, args);

    if (status != EXIT_OK)
        return status;
    snprintf(c->name, sizeof c->name, "%s", o->commands[0].name);
    o->commands[1] = o->commands[0];
    for (int i = 0; i < SIDES; i++) {
        if (asprintf(&names[i], "%s-%c", c->name, 'a' + i) < 0) {
            names[i] = NULL;
            return cli_no_memory();
        }
        o->commands[i].name = names[i];
    }
    o->plan.command_count = SIDES;
    return cli_run_options_check(o, args);
}

int cli_calibrate_command(struct calibrate *c, const struct args *args)
{
    struct tch_run run = {.plan = &c->run.plan};
    char *names[SIDES] = {NULL, NULL};
    tacho_error err;
    int status = double_command(c, names, args);

    plan_pairs(c, &c->run.plan);
    if (status == EXIT_OK)
        status = check_early(c, &c->run.plan);
    if (status == EXIT_OK && tch_run_open(&run, &c->run.plan, &err) < 0) {
        cli_complain(NULL, "%s", err.message);
        status = EXIT_WORK;
    }
    if (status == EXIT_OK)
        status = measure(c, &run, args);
    c->made = &run;
    if (status == EXIT_OK)
        status = cli_calibrate_from(c, &run.items[0].result, &run.items[1].result, args);
    tch_run_release(&run);
    for (int i = 0; i < SIDES; i++)
        free(names[i]);
    return status;
}

/* --- A bench of tacho.yaml --- */

/* Lists the metrics to calibrate: those with a tolerance, unless --for-metric names others. */
static void list_metrics(struct calibrate *c, const struct tch_bench *bench)
{
    for (size_t i = 0; i < bench->budget_count && c->of_count < TCH_CALIBRATION_METRICS; i++)
        if (!isnan(bench->budgets[i].budget.tolerance))
            c->of[c->of_count++] =
                (struct calibrate_metric){bench->budgets[i].name, bench->budgets[i].budget.quantile,
                                          &bench->budgets[i].budget};
}

static int measure_bench(struct calibrate *c, struct tch_gate *g, const struct args *args)
{
    struct watcher w = {0};
    struct tch_gate_watch watch = {.run = begin_watch(&w, c, args)};
    tacho_error err;
    tacho_error end_err;
    int measured = tch_gate_run(g, &watch, &err);
    int finished;

    cli_progress_end(&w.progress);
    finished = tch_gate_finish(g, &end_err);
    if (measured < 0)
        cli_complain(NULL, "%s", err.message);
    for (size_t i = 0; i < g->findings.problem_count; i++)
        cli_complain(NULL, "%s", g->findings.problems[i].text);
    if (finished < 0)
        cli_complain(&end_err, "cannot write the results of the runs");
    return measured < 0 || finished < 0 || g->findings.problem_count > 0 ? EXIT_WORK : EXIT_OK;
}

/* Reads the baseline, whose occasions count for the session spread. An unreadable baseline is
   ignored. */
static void read_baseline(struct calibrate *c, const struct tch_gate *g)
{
    char path[PATH_MAX];

    if (tch_gate_baseline_path(g, &g->benches[0], path, NULL) < 0 ||
        tch_baseline_read(&c->baseline, path, NULL) < 0 ||
        tch_baseline_check(&c->baseline, c->name, g->machine_class, NULL) < 0)
        tch_baseline_release(&c->baseline);
}

static int run_bench(struct calibrate *c, struct gate_options *o, struct tch_bench *bench,
                     const struct args *args)
{
    const char *const only[] = {bench->name, NULL};
    const struct tch_gate_how how = {.root = o->root,
                                     .against = o->root,
                                     .against_name = "itself",
                                     .itself = true,
                                     .out = c->run.plan.out,
                                     .only = only,
                                     .session_spread = NAN,
                                     .measure_only = true,
                                     .any_command = true};
    struct tch_gate g = {0};
    tacho_error err;
    int status = EXIT_WORK;

    plan_pairs(c, &bench->plan);
    bench->plan.pilot = true; /* its folders have the bench's name */
    if (tch_gate_open(&g, &o->settings, &how, &err) < 0)
        cli_complain(NULL, "%s", err.message);
    else
        status = measure_bench(c, &g, args);
    if (status == EXIT_OK) {
        read_baseline(c, &g);
        c->made = &g.benches[0].run;
        status = cli_calibrate_from(c, &g.benches[0].run.items[0].result,
                                    &g.benches[0].run.items[1].result, args);
    }
    tch_gate_close(&g);
    return status;
}

int cli_calibrate_bench(struct calibrate *c, const struct args *args)
{
    struct gate_options *o = cli_gate_options_new();
    struct gate_watcher w;
    struct tch_gate_watch watch;
    struct tch_gate_sides sides;
    struct tch_bench *bench;
    int status;

    if (!o)
        return EXIT_WORK;
    o->config = c->config;
    o->out = c->run.plan.out;
    status = cli_gate_read_settings(o);
    if (status == EXIT_OK && !(bench = tch_settings_bench(&o->settings, c->bench))) {
        cli_complain(NULL, "there is no bench '%s'; 'tacho gate --list' lists them", c->bench);
        status = EXIT_WORK;
    }
    if (status == EXIT_OK) {
        snprintf(c->name, sizeof c->name, "%s", bench->name);
        memcpy(c->root, o->root, sizeof c->root);
        c->alpha = o->settings.alpha;
        if (c->of_count == 0)
            list_metrics(c, bench);
        status = check_early(c, &bench->plan);
    }
    if (status == EXIT_OK) {
        watch = cli_gate_watch(&w, args);
        if (tch_gate_prepare(&sides, &o->ask, &watch) < 0)
            status = EXIT_WORK;
        tch_gate_sides_remove(&sides, o->root, &watch);
    }
    if (status == EXIT_OK)
        status = run_bench(c, o, bench, args);
    cli_gate_options_free(o);
    return status;
}

/* --- Existing runs --- */

int cli_calibrate_runs(struct calibrate *c, const struct args *args)
{
    struct tch_report_run runs[SIDES] = {0};
    char folders[SIDES][PATH_MAX];
    int status = EXIT_OK;

    if (args->count != SIDES)
        return cli_wrong_usage(args, "give two interleaved runs of one command; a "
                                     "command to run follows '--'");
    for (size_t i = 0; i < SIDES && status == EXIT_OK; i++)
        status = cli_open_run(&runs[i], args->operands[i], folders[i]);
    if (status == EXIT_OK && !tch_results_paired(&runs[0].result, &runs[1].result)) {
        cli_complain(NULL,
                     "'%s' and '%s' were not interleaved; run the command by 'tacho "
                     "calibrate -- COMMAND'",
                     args->operands[0], args->operands[1]);
        status = EXIT_WORK;
    } else if (status == EXIT_OK &&
               strcmp(runs[0].result.command.line, runs[1].result.command.line) != 0) {
        cli_complain(NULL,
                     "'%s' and '%s' are runs of two commands; a calibration compares one "
                     "with itself",
                     args->operands[0], args->operands[1]);
        status = EXIT_WORK;
    }
    if (status == EXIT_OK) {
        tch_folder_name(c->name, sizeof c->name, runs[0].result.name);
        status = cli_calibrate_from(c, &runs[0].result, &runs[1].result, args);
    }
    for (size_t i = 0; i < SIDES; i++)
        tch_report_close(&runs[i]);
    return status;
}
