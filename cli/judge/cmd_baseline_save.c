/* tacho baseline save: measures, or reads an existing run, and saves it as an occasion. */
#include <errno.h>

#include "base/fail.h"
#include "cli/cmds.h"
#include "cli/run/run_view.h"
#include "cmd_baseline_parts.h"
#include "kit/report/report.h"
#include "kit/text/human_number.h"

static void print_saved(const struct tch_baseline *b, const char *path)
{
    const struct tch_occasion *saved = tch_baseline_find(b, "latest");
    char commit[32];

    printf("%s: %zu occasion%s\n", path, b->count, tch_plural(b->count));
    tch_occasion_commit(saved, commit, sizeof commit);
    if (saved->dirty)
        cli_warn("files differ from the commit, so '%s' is saved as %s; commit first for a "
                 "baseline that can be repeated",
                 b->bench, commit);
}

/* Saves an existing run. */
static int save_run(const struct gate_options *o, const char *dir, size_t keep)
{
    const char *bench = o->only[0];
    struct tch_report_run run = {.folder = NULL};
    struct tch_baseline baseline = {0};
    char folder[PATH_MAX];
    char path[PATH_MAX];
    char machine_class[256];
    tacho_error err;
    int status = tch_report_open(&run, cli_run_folder(o->from, folder), &err);

    if (status == 0 && run.life == TCH_RUN_GOING)
        status = tch_fail(&err, TACHO_EINVAL, 0, "it is still running; wait until it is complete");
    if (status == 0) {
        snprintf(machine_class, sizeof machine_class, "%s", run.result.machine_class);
        if (!bench)
            bench = run.result.name;
        status = tch_baseline_path(path, dir, bench, machine_class, &err);
    }
    if (status == 0) {
        const struct tch_baseline_save how = {.bench = bench,
                                              .machine_class = machine_class,
                                              .keep = keep,
                                              .promote = o->promote,
                                              .replace = o->replace};

        status = tch_baseline_save(&baseline, path, &run.result, &how, &err);
    }
    if (status < 0)
        cli_complain(&err, "cannot save '%s' as a baseline", o->from);
    else
        print_saved(&baseline, path);
    tch_baseline_release(&baseline);
    tch_report_close(&run);
    return status < 0 ? EXIT_WORK : EXIT_OK;
}

/* Runs the benches of tacho.yaml. A baseline should be more precise than a first analysis, so it
   has as many runs as the last analysis. */
static int save_now(struct gate_options *o, const struct args *args)
{
    struct tch_gate g = {0};
    const struct tch_gate_how how = {.root = o->root,
                                     .out = o->out,
                                     .only = o->only,
                                     .runs = o->runs,
                                     .max_runs = o->max_runs,
                                     .measure_only = true,
                                     .replace = o->replace};
    struct tch_gate_sides sides;
    struct gate_watcher w;
    struct tch_gate_watch watch;
    tacho_error err;
    int status = cli_gate_read_settings(o);

    if (status != EXIT_OK)
        return status;
    for (size_t i = 0; i < o->settings.count && o->runs == 0; i++)
        if (o->settings.benches[i].plan.runs > 0)
            o->settings.benches[i].plan.runs = o->settings.benches[i].plan.max_runs;
    watch = cli_gate_watch(&w, args);
    if (tch_gate_prepare(&sides, &o->ask, &watch) < 0)
        status = EXIT_WORK;
    if (status == EXIT_OK && tch_gate_open(&g, &o->settings, &how, &err) < 0) {
        cli_complain(NULL, "%s", err.message);
        status = EXIT_WORK;
    }
    if (status == EXIT_OK && (tch_gate_run_all(&g, &watch) < 0 || g.findings.problem_count > 0))
        status = EXIT_WORK;
    if (status == EXIT_OK && tch_gate_save(&g, o->promote, &err) < 0) {
        cli_complain(&err, "cannot save the baseline");
        status = EXIT_WORK;
    }
    for (size_t i = 0; i < g.count && status == EXIT_OK; i++) {
        char path[PATH_MAX];

        if (tch_gate_baseline_path(&g, &g.benches[i], path, &err) == 0)
            print_saved(&g.benches[i].baseline, path);
    }
    tch_gate_close(&g);
    tch_gate_sides_remove(&sides, o->root, &watch);
    return status;
}

static int save_from(struct gate_options *o)
{
    char dir[PATH_MAX];
    int status = cli_baseline_find_folder(o, dir);
    uint64_t keep = o->settings.keep > 0 ? o->settings.keep : TCH_GATE_KEEP;

    return status == EXIT_OK ? save_run(o, dir, (size_t)keep) : status;
}

static int run_save(struct args *args)
{
    struct gate_options *o;
    int status = cli_gate_options_parse(&o, args);

    if (status == EXIT_OK && o->from && o->only_count > 1)
        status = cli_wrong_usage(args, "--from takes one run; give at most one --bench");
    if (status == EXIT_OK && o->from && (o->runs > 0 || o->max_runs > 0 || o->build))
        status = cli_wrong_usage(args, "--from saves a run that was measured before; leave out "
                                       "--runs, --max-runs and --build");
    if (status == EXIT_OK)
        status = o->from ? save_from(o) : save_now(o, args);
    cli_gate_options_free(o);
    return status;
}

static const struct opt save_opts[] = {
    {.name = "from",
     .arg = "RUN",
     .help =
         "save this run folder instead of measuring; --bench names its bench (default: its name)",
     .complete = COMPLETE_RUN,
     CLI_TEXT(struct gate_options, from)},
    {.name = "promote",
     .help = "make the new occasion the reference",
     CLI_FLAG(struct gate_options, promote)},
    {.name = "replace",
     .help = "drop all earlier occasions, such as those of another command, or an unreadable file",
     CLI_FLAG(struct gate_options, replace)},
    GATE_COMMON_OPTS,
    {.name = NULL},
};

static const struct exit_note save_exits[] = {
    EXIT_NOTE_STOPPED,
    {0, NULL},
};

const struct cmd cmd_baseline_save = {
    .name = "save",
    .summary = "measure the benches of tacho.yaml and add the values as an occasion",
    .usage = "tacho baseline save [OPTIONS]\ntacho baseline save --from RUN [--bench NAME]",
    .about =
        "Runs each bench max_runs times and adds the values to its baseline, one file per bench "
        "and machine class, meant to be committed. The first occasion is the reference that "
        "the gate compares with. Later ones show how much occasions differ with nothing "
        "changed. 'tacho baseline promote' makes one of them the reference.",
    .opts = save_opts,
    .exits = save_exits,
    .run = run_save,
};
