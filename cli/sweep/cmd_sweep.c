/* tacho sweep: a grid of parameters, a run folder a cell, a table. */
#include <unistd.h>

#include "cli/cmds.h"
#include "cli/core/progress.h"
#include "cli/core/stop.h"
#include "kit/report/report.h"
#include "kit/report/sweep_page.h"
#include "kit/run/folder_seal.h"
#include "kit/sweep/sweep_results.h"
#include "sweep_options.h"

enum { OUT_MAX = 1 << 30, NOTE_MAX = 192 };

struct watcher {
    struct progress progress;
    const struct args *args;
    char what[NOTE_MAX];
    char note[NOTE_MAX];
};

static void name_block(struct watcher *w, const struct tch_sweep *sweep, uint64_t block)
{
    snprintf(w->what, sizeof w->what, "%zu cells, block %llu/%llu", sweep->cells,
             (unsigned long long)block, (unsigned long long)sweep->plan->repeat);
}

/* "6 cells, block 2/10" and, where there is room, which cell. */
static void on_step(void *ctx, const struct tch_sweep *sweep, size_t unit, const char *failure)
{
    struct watcher *w = ctx;
    char name[TCH_CELL_NAME];

    tch_sweep_name(sweep, unit, name);
    if (failure)
        cli_warn("%s: %.*s", name, (int)strcspn(failure, "\n"), failure);
    if (!w->progress.on)
        return;
    snprintf(w->note, sizeof w->note, "%s", name);
    if (unit < sweep->cells && !failure)
        name_block(w, sweep, sweep->units[unit].done);
    w->progress.left_s = tch_sweep_left_ns(sweep) / 1e9;
    cli_progress_step(&w->progress, sweep->runs_done);
}

static int measure(struct tch_sweep *sweep, const struct args *args)
{
    struct watcher w = {.args = args};
    struct tch_sweep_watch watch = {.stop = cli_catch_stop(), .step = on_step, .ctx = &w};
    tacho_error err;
    int measured;

    name_block(&w, sweep, 1);
    cli_progress_begin(&w.progress, args, w.what, sweep->runs_total);
    w.progress.note = w.note;
    measured = tch_sweep_measure(sweep, &watch, &err);
    cli_progress_end(&w.progress);
    if (measured < 0)
        cli_complain(NULL, "%s", err.message);
    else if (sweep->interrupted)
        cli_complain(NULL, "interrupted after %llu of %llu runs; the same command line goes on",
                     (unsigned long long)sweep->runs_done, (unsigned long long)sweep->runs_total);
    if (tch_sweep_finish(sweep, &err) < 0) {
        cli_complain(&err, "cannot complete the run of a cell");
        measured = -1;
    }
    return measured < 0 ? EXIT_WORK : EXIT_OK;
}

static int print_results(const struct tch_results *r, const struct args *args)
{
    const char *shown = r->sweep->shown;
    struct tch_buf b;

    tch_buf_init(&b, OUT_MAX);
    if (args->json) {
        tch_results_json(r, &b);
        return cli_print(&b);
    }
    cli_sweep_add_cells(&b, &args->out, r);
    cli_sweep_add_effects(&b, &args->out, r);
    cli_sweep_add_growth(&b, &args->out, r);
    if (!args->quiet)
        tch_buf_addf(&b, "\nresults: %s/results.csv\nreport: %s/report.html\n", shown, shown);
    return cli_print(&b);
}

/* Each cell's own report.html, once its run is complete; of a large grid they would take more room
   than the measurements. */
static int report_cells(const struct tch_sweep *sweep, tacho_error *err)
{
    int status = 0;

    for (size_t i = 0; i < sweep->cells + sweep->baselines && sweep->cells <= TCH_SWEEP_PAGES;
         i++) {
        const struct tch_sweep_unit *unit = &sweep->units[i];
        char path[PATH_MAX];

        if (!unit->closed || status < 0)
            continue;
        status = tch_folder_at(path, unit->folder, "report.html", err);
        if (status == 0 && access(path, F_OK) < 0) {
            struct tch_report_run run;

            status = tch_report_open(&run, unit->folder, err);
            if (status == 0)
                status = tch_report_save(&run.receipt, unit->folder, err);
            tch_report_close(&run);
        }
    }
    return status;
}

/* When all is written: each run as tacho run does it, then the whole, without the lock. */
static int seal_folders(struct tch_sweep *sweep, const struct args *args, tacho_error *err)
{
    struct tch_seal_info info;
    int status = 0;

    tch_sweep_unlock(sweep);
    for (size_t i = 0; i < sweep->cells + sweep->baselines && status == 0; i++)
        if (sweep->units[i].closed)
            status = tch_seal_write(sweep->units[i].folder, &info, err);
    if (status == 0)
        status = tch_seal_write(sweep->folder, &info, err);
    if (status == 0 && !args->quiet)
        fprintf(args->json ? stderr : stdout, "sealed: %s\n", info.hash);
    return status;
}

/* Says whether there is a growth of anything to compare with what is expected. */
static bool is_fitted(const struct tch_results *r)
{
    for (size_t i = 0; i < r->series_count; i++)
        if (r->series[i].fit.best >= 0)
            return true;
    return false;
}

/* The status to end with, when all could be done. */
static int exit_status(const struct tch_results *r, const struct sweep_options *o)
{
    const struct tch_sweep *sweep = r->sweep;
    size_t units = sweep->cells + sweep->baselines;
    size_t failed = 0;

    for (size_t i = 0; i < units; i++)
        failed += sweep->units[i].state == TCH_UNIT_FAILED;
    if (failed > 0) {
        cli_complain(NULL, "%zu of %zu cells failed; --retry-failed runs them again", failed,
                     units);
        return EXIT_WORK;
    }
    if (sweep->flames_missing > 0) {
        cli_complain(&sweep->flame_error, "no flamegraph of %zu of %zu cells",
                     sweep->flames_missing, units);
        return EXIT_WORK;
    }
    if (r->unexpected > 0) {
        cli_complain(NULL, "the cost does not grow as expected: O(%s)", o->asked.expect);
        return EXIT_CHECK;
    }
    if (o->asked.expect && !is_fitted(r)) {
        cli_complain(NULL,
                     "NOT JUDGED: how the cost grows needs %d or more values of the parameter, so "
                     "--expect '%s' was not checked",
                     TCH_FIT_LEAST, o->asked.expect);
        return EXIT_UNJUDGED;
    }
    if (r->warned > 0 && o->run.fail_on_warn) {
        cli_complain(NULL, "%zu of %zu cells have warnings; see their reports", r->warned, units);
        return EXIT_WARN;
    }
    return EXIT_OK;
}

/* What is known of it, written and printed, however far the sweep went. */
static int report_sweep(struct tch_sweep *sweep, const struct sweep_options *o,
                        const struct args *args)
{
    struct tch_results r;
    tacho_error err;
    int status = EXIT_WORK;

    if (tch_results_load(&r, sweep, &err) < 0 || tch_results_best(&r, &o->asked, &err) < 0 ||
        tch_results_growth(&r, &o->asked, &err) < 0 || tch_results_effects(&r, &err) < 0 ||
        tch_results_write(&r, o->asked.raw, &err) < 0 || report_cells(sweep, &err) < 0 ||
        tch_sweep_report(&r, &err) < 0)
        cli_complain(NULL, "%s", err.message);
    else
        status = print_results(&r, args);
    if (status == EXIT_OK && o->run.plan.seal && seal_folders(sweep, args, &err) < 0) {
        cli_complain(&err, "cannot seal '%s'", sweep->shown);
        status = EXIT_WORK;
    }
    if (status == EXIT_OK)
        status = exit_status(&r, o);
    tch_results_release(&r);
    return status;
}

static int run_sweep(struct args *args)
{
    struct sweep_options o;
    struct tch_sweep sweep = {.lock_fd = -1};
    tacho_error err;
    int status = cli_sweep_options_parse(&o, args);

    if (status == EXIT_OK) {
        int opened = tch_sweep_open(&sweep, &o.plan, &err);

        if (opened < 0) {
            cli_complain(NULL, "%s", err.message);
            status = EXIT_WORK;
        } else {
            int ended = measure(&sweep, args);

            status = report_sweep(&sweep, &o, args);
            if (ended != EXIT_OK || sweep.interrupted)
                status = EXIT_WORK;
        }
        tch_sweep_release(&sweep);
    }
    cli_sweep_options_release(&o);
    return status;
}

static const struct arg operands[] = {
    {.name = "COMMAND",
     .help = "what to run, with {NAME} where a parameter goes",
     .optional = true,
     .many = true,
     .complete = COMPLETE_PROGRAM},
    {.name = NULL},
};

#define AS_OFTEN "every cell is run as often, once in each block: --repeat N"

static const struct refusal refused[] = {
    {"runs", 0, AS_OFTEN},
    {"precision", 'p', AS_OFTEN},
    {"min-runs", 0, AS_OFTEN},
    {"max-runs", 0, AS_OFTEN},
    {"max-time", 0, AS_OFTEN "; Ctrl-C ends it, and the same line goes on later"},
    {"pass-status", 0, "it goes on when a cell fails; each status is in that cell's run.json"},
    {NULL, 0, NULL},
};

static const struct example examples[] = {
    {"tacho sweep --grid lambda=0.3,0.5,0.7 --grid tau=0,2 -b './attn --softmax' -- ./attn "
     "--lambda {lambda} --tau {tau}",
     "Six cells, each compared with the baseline."},
    {"tacho sweep --range n=1000:1000000:log10 --expect 'n log n' -- ./sort {n}",
     "How the time grows, and whether it does as it should."},
    {"tacho sweep -g threads=1,2,4 -g lib=old,new -b './prog --lib old -j {threads}' -- ./prog "
     "--lib {lib} -j {threads}",
     "Each number of threads has a baseline of its own."},
    {NULL, NULL},
};

static const struct exit_note exits[] = {
    {EXIT_CHECK, "the cost does not grow as --expect says"},
    {EXIT_WARN, "cells have warnings, with --fail-on-warn"},
    {EXIT_UNJUDGED, "NOT JUDGED: --expect was given, and there are too few values to check it"},
    EXIT_NOTE_STOPPED,
    {0, NULL},
};

static const struct man_item files[] = {
    {"tacho-out/NAME/ID/", "A sweep's folder: sweep.json (schema tacho.sweep.v1), report.html, "
                           "results.csv, and in cells/ a run folder per cell."},
    {NULL, NULL},
};

const struct cmd cmd_sweep = {
    .name = "sweep",
    .summary = "run a command over a grid of parameters, a run folder a cell",
    .usage = "tacho sweep --grid NAME=VALUE,... [OPTIONS] [--] COMMAND [ARGUMENT...]\n"
             "tacho sweep --grid NAME=VALUE,... [OPTIONS] -c LINE\n"
             "tacho sweep [--file FILE] [OPTIONS]",
    .about =
        "Runs the command for every combination of the parameters. {NAME} in its words, in --env, "
        "--prepare, --conclude, --server, --ready, --input and --output becomes the value. Runs "
        "are made in blocks: each is every cell "
        "once, in an order shuffled by --seed, so that what drifts falls on all cells alike. With "
        "--baseline a block is made of rounds of up to 8 cells, in each of which the baseline is "
        "run once, and ratios are of runs of the same round.\n"
        "\n"
        "Everything is in OUT/NAME: results.csv and sweep.json with a row a cell, report.html, "
        "figs/*.svg, and in cells/ the run folder of each cell, as tacho run makes it. The same "
        "command line again goes on where it was killed or interrupted; cells that are done are "
        "not run again. A cell that fails is recorded as failed, and the sweep goes on.\n"
        "\n"
        "The cell of the least cost, or that no other beats in all that --pareto names, is marked "
        "as "
        "best; while several are not told apart, each is maybe best. Along one numeric parameter "
        "the cost "
        "is fitted to a + b f(n) with f of 1, log n, n, n log n, n^2, n^3.\n"
        "\n"
        "Without a command, or with --file, the section 'sweep' of a YAML file says what is to be "
        "done: every option by its name, and the command as 'command'. What is on the command line "
        "counts more.",
    .opts = cli_sweep_opts,
    .more_opts = cli_plan_opts,
    .refused = refused,
    .args = operands,
    .examples = examples,
    .exits = exits,
    .json = true,
    .runs_program = true,
    .run = run_sweep,
    .variables = cli_run_variables,
    .files = files,
};
