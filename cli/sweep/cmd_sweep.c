/* tacho sweep: runs a command over a grid of parameters, with one run folder per cell, and prints a
   table. */
#include <unistd.h>

#include "cli/cmds.h"
#include "cli/core/progress.h"
#include "cli/core/stop.h"
#include "kit/report/report.h"
#include "kit/report/sweep_page.h"
#include "kit/result/run_folder.h"
#include "kit/sweep/sweep_results.h"
#include "kit/witness/folder_seal.h"
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

/* Updates the progress: "6 cells, block 2/10" and, if there is room, the current cell. */
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
        cli_complain(NULL,
                     "interrupted after %llu of %llu runs; run the same command line to continue",
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

/* Writes report.html of each completed cell. In a large grid the pages would need more space than
   the measurements, so it writes none. */
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
                status = tch_report_save(&run.result, unit->folder, err);
            tch_report_close(&run);
        }
    }
    return status;
}

/* Seals each run folder, as tacho run does, and then the sweep's folder. Everything else is written
   by then, and the lock is removed. */
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

/* Returns whether any growth was fitted that --expect can be compared with. */
static bool is_fitted(const struct tch_results *r)
{
    for (size_t i = 0; i < r->series_count; i++)
        if (r->series[i].fit.best >= 0)
            return true;
    return false;
}

/* Returns the exit status after everything was written. */
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
        cli_complain(&sweep->flame_error, "%zu of %zu cells have no flamegraph",
                     sweep->flames_missing, units);
        return EXIT_WORK;
    }
    if (r->unexpected > 0) {
        cli_complain(NULL, "the cost does not grow as expected: O(%s)", o->asked.expect);
        return EXIT_CHECK;
    }
    if (o->asked.expect && !is_fitted(r)) {
        cli_complain(NULL,
                     "NOT JUDGED: a fit needs %d or more values of the parameter, so --expect '%s' "
                     "was not checked",
                     TCH_FIT_LEAST, o->asked.expect);
        return EXIT_UNJUDGED;
    }
    if (r->warned > 0 && o->run.fail_on_warn) {
        cli_complain(NULL, "%zu of %zu cells have warnings; see their reports", r->warned, units);
        return EXIT_WARN;
    }
    return EXIT_OK;
}

/* Writes and prints the results, even of an incomplete sweep. */
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
     .help = "a program and its arguments, with {NAME} in place of a parameter",
     .optional = true,
     .many = true,
     .complete = COMPLETE_PROGRAM},
    {.name = NULL},
};

#define AS_OFTEN "all cells have the same number of runs; use --repeat N"

static const struct refusal refused[] = {
    {"runs", 0, AS_OFTEN},
    {"precision", 'p', AS_OFTEN},
    {"min-runs", 0, AS_OFTEN},
    {"max-runs", 0, AS_OFTEN},
    {"max-time", 0, AS_OFTEN ", or interrupt it and continue later"},
    {"pass-status", 0,
     "the sweep continues when a cell fails; each status is in that cell's run.json"},
    {NULL, 0, NULL},
};

static const struct example examples[] = {
    {"tacho sweep --grid lambda=0.3,0.5,0.7 --grid tau=0,2 -b './attn --softmax' -- ./attn "
     "--lambda {lambda} --tau {tau}",
     "Compare each of six cells with the baseline."},
    {"tacho sweep --range n=1000:1000000:log10 --expect 'n log n' -- ./sort {n}",
     "Check how the time grows with n."},
    {"tacho sweep -g threads=1,2,4 -g lib=old,new -b './prog --lib old -j {threads}' -- ./prog "
     "--lib {lib} -j {threads}",
     "Use one baseline for each number of threads."},
    {NULL, NULL},
};

static const struct exit_note exits[] = {
    {EXIT_CHECK, "the cost does not grow as --expect says"},
    {EXIT_WARN, "cells have warnings, with --fail-on-warn"},
    {EXIT_UNJUDGED, "NOT JUDGED: there are too few values to check --expect"},
    EXIT_NOTE_STOPPED,
    {0, NULL},
};

static const struct man_item files[] = {
    {"tacho-out/NAME/ID/", "A sweep's folder: sweep.json (schema tacho.sweep.v1), report.html, "
                           "results.csv, and in cells/ one run folder per cell."},
    {NULL, NULL},
};

const struct cmd cmd_sweep = {
    .name = "sweep",
    .summary = "run a command over a grid of parameters",
    .usage = "tacho sweep --grid NAME=VALUE,... [OPTIONS] [--] COMMAND [ARGUMENT...]\n"
             "tacho sweep --grid NAME=VALUE,... [OPTIONS] -c LINE\n"
             "tacho sweep [--file FILE] [OPTIONS]",
    .about =
        "Runs the command for every combination of the parameters' values, called a cell. {NAME} "
        "in its words, in --env, --prepare, --conclude, --server, --ready, --input and "
        "--command-output is "
        "replaced by the value. A block runs every cell once, in an order shuffled by --seed, so "
        "that a drift of the machine affects all cells alike. With --baseline a block consists of "
        "rounds of up to 8 cells; each round runs the baseline once, and cells are compared with "
        "the baseline of the same round.\n"
        "\n"
        "The folder OUT/NAME contains results.csv and sweep.json with one row per cell, "
        "report.html, figs/*.svg and, in cells/, the run folder of each cell as tacho run writes "
        "it. If a sweep was killed or interrupted, run the same command line again to continue; "
        "completed cells are not run again. A larger --repeat, more values of a parameter or a "
        "longer --timeout extend the sweep; only what is missing runs. A cell that fails is "
        "recorded as failed, and the sweep continues.\n"
        "\n"
        "The cell with the lowest cost is marked as best; with --pareto, each cell that no other "
        "cell beats. Cells that cannot be distinguished from the best are marked as maybe best. "
        "The cost is fitted along one numeric parameter to a + b f(n), with f one of 1, log n, n, "
        "n log n, n^2, n^3.\n"
        "\n"
        "Without a command, or with --file, options are read from the section 'sweep' of a YAML "
        "file: every option by its name, and the command as 'command'. The command line overrides "
        "the file.",
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
