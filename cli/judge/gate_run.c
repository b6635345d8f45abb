/* Reads settings and measures, for `tacho gate` and `tacho baseline`. */
#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/secret.h"
#include "cli/core/progress.h"
#include "cli/core/stop.h"
#include "cmd_gate_parts.h"
#include "kit/report/report.h"
#include "kit/vcs/git.h"

struct gate_options *cli_gate_options_new(void)
{
    struct gate_options *o = calloc(1, sizeof *o);

    if (!o) {
        cli_no_memory();
        return NULL;
    }
    o->out = "tacho-out";
    o->session_spread = NAN;
    return o;
}

void cli_gate_options_free(struct gate_options *o)
{
    if (!o)
        return;
    tch_settings_release(&o->settings);
    free(o->build_shown);
    free(o);
}

int cli_gate_take_bench(void *into, const struct args *args, const struct opt *opt)
{
    struct gate_options *o = into;

    (void)opt;
    if (o->only_count == TCH_BENCHES_MOST)
        return cli_wrong_usage(args, "there can be at most %d benches", TCH_BENCHES_MOST);
    o->only[o->only_count++] = args->value;
    return EXIT_OK;
}

int cli_gate_check_runs(const struct gate_options *o, const struct args *args)
{
    if (o->max_runs > 0 && o->runs > o->max_runs)
        return cli_wrong_usage(args, "--runs %llu is above --max-runs %llu; change one of them",
                               (unsigned long long)o->runs, (unsigned long long)o->max_runs);
    return EXIT_OK;
}

int cli_gate_read_settings(struct gate_options *o)
{
    const char *path = o->config ? o->config : TCH_SETTINGS_FILE;
    const char *build;
    char folder[PATH_MAX];
    tacho_error err;

    tch_git_clear_environment(); /* a build or bench in a git hook must not use the hook's index */
    if (access(path, F_OK) < 0 && errno == ENOENT) {
        cli_complain(
            NULL,
            "there is no '%s', the file that lists the programs to measure and their budgets; "
            "'tacho gate init' writes one to start from",
            path);
        return EXIT_WORK;
    }
    if (tch_settings_read(&o->settings, path, !o->config, &err) < 0) {
        size_t len = strlen(path);

        if (len > 5 && strcmp(path + len - 5, ".toml") == 0)
            cli_complain(NULL,
                         "cannot read '%s': it is TOML; a gate is set up in YAML, and 'tacho "
                         "gate init' writes a tacho.yaml to start from",
                         path);
        else
            cli_complain(&err, "cannot read '%s'", path);
        return EXIT_WORK;
    }
    if (o->suspicious > 0)
        o->settings.suspicious = o->suspicious;
    build = o->build ? o->build : o->settings.build;
    if (build && !(o->build_shown = tch_secret_masked_line(build, NULL)))
        return cli_no_memory();
    snprintf(folder, sizeof folder, "%s", path);
    if (!realpath(dirname(folder), o->root)) {
        cli_complain(NULL, "cannot find the folder of '%s'", path);
        return EXIT_WORK;
    }
    return EXIT_OK;
}

/* --- Measuring --- */

enum { LAST_LINES = 12 };

struct watcher {
    struct progress progress;
    const struct args *args;
    char what[128];
    uint64_t before; /* runs made before this analysis */
};

static void on_begin(void *ctx, const struct tch_gate_bench *bench, uint64_t runs,
                     unsigned analysis)
{
    struct watcher *w = ctx;

    if (w->progress.on)
        cli_progress_end(&w->progress);
    w->before = bench->run.items[0].result.run_count;
    snprintf(w->what, sizeof w->what, "%.80s%s", bench->bench->name,
             analysis > 0 ? ", once more" : "");
    cli_progress_begin(&w->progress, w->args, w->what, runs);
}

static void on_step(void *ctx, const struct tch_run *run, double share)
{
    struct watcher *w = ctx;

    (void)share;
    if (w->progress.on)
        cli_progress_step(&w->progress, run->items[0].result.run_count - w->before);
}

static int write_reports(const struct tch_gate *g)
{
    for (size_t i = 0; i < g->count; i++)
        for (size_t k = 0; k < g->benches[i].plan.command_count && g->benches[i].run.items; k++) {
            const struct tch_run_item *item = &g->benches[i].run.items[k];
            tacho_error err;

            if (item->result.run_count > 0 &&
                tch_report_save(&item->result, item->folder.path, &err) < 0) {
                cli_complain(&err, "cannot write the report of '%s'", g->benches[i].bench->name);
                return EXIT_WORK;
            }
        }
    return EXIT_OK;
}

/* Shows the last lines that a failed command printed. */
static void show_last_words(const struct tch_gate_bench *bench)
{
    struct tch_buf b;

    if (!bench->failed || !bench->run.items || bench->run.state != TCH_RUN_FAILED)
        return;
    tch_buf_init(&b, 1 << 16);
    tch_run_last_words(&bench->run, LAST_LINES, &b);
    if (b.len > 0)
        fprintf(stderr, "last lines of '%s' on standard %s:\n%s\n", bench->bench->name,
                bench->run.bad_check[0] ? "output" : "error", b.data);
    tch_buf_release(&b);
}

int cli_gate_measure(struct tch_gate *g, const struct args *args)
{
    struct watcher w = {.args = args};
    const struct tch_gate_watch watch = {
        .run = {.stop = cli_catch_stop(), .step = on_step, .hook = cli_progress_hook, .ctx = &w},
        .begin = on_begin,
        .ctx = &w};
    tacho_error err;
    tacho_error end_err;
    int measured = tch_gate_run(g, &watch, &err);
    int finished;

    if (w.progress.on)
        cli_progress_end(&w.progress);
    finished = tch_gate_finish(g, &end_err);
    if (measured < 0)
        cli_complain(NULL, "%s", err.message);
    for (size_t i = 0; i < g->findings.problem_count; i++)
        cli_complain(NULL, "%s", g->findings.problems[i].text);
    for (size_t i = 0; i < g->count; i++)
        show_last_words(&g->benches[i]);
    if (finished < 0)
        cli_complain(&end_err, "cannot write the result of a run");
    if (measured < 0 || finished < 0)
        return EXIT_WORK;
    return write_reports(g);
}
