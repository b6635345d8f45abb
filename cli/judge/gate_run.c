/* Reads the options of `tacho gate` and `tacho baseline save`, and shows the progress of both. */
#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <unistd.h>

#include "base/secret.h"
#include "cli/core/stop.h"
#include "cmd_gate_parts.h"

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

int cli_gate_options_parse(struct gate_options **ret, struct args *args)
{
    struct gate_options *o = *ret = cli_gate_options_new();
    int status = o ? cli_set_opts(args, o, NULL) : EXIT_WORK;

    if (status == EXIT_OK && o->max_runs > 0 && o->runs > o->max_runs)
        return cli_wrong_usage(args, "--runs %llu is above --max-runs %llu; change one of them",
                               (unsigned long long)o->runs, (unsigned long long)o->max_runs);
    return status;
}

int cli_gate_read_settings(struct gate_options *o)
{
    const char *path = o->config ? o->config : TCH_SETTINGS_FILE;
    const char *build;
    char folder[PATH_MAX];
    tacho_error err;

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
    o->ask = (struct tch_gate_ask){.root = o->root,
                                   .config = path,
                                   .out = o->out,
                                   .against = o->against,
                                   .exact = o->exact,
                                   .build = build,
                                   .build_shown = o->build_shown,
                                   .plan_only = o->dry_run};
    return EXIT_OK;
}

/* --- The gate on the terminal --- */

static void on_begin(void *ctx, const struct tch_gate_bench *bench, uint64_t runs,
                     unsigned analysis)
{
    struct gate_watcher *w = ctx;

    if (w->progress.on)
        cli_progress_end(&w->progress);
    w->before = bench->run.items[0].result.run_count;
    snprintf(w->what, sizeof w->what, "%.80s%s", bench->bench->name,
             analysis > 0 ? ", once more" : "");
    cli_progress_begin(&w->progress, w->args, w->what, runs);
}

static void on_step(void *ctx, const struct tch_run *run, double share)
{
    struct gate_watcher *w = ctx;

    (void)share;
    if (w->progress.on)
        cli_progress_step(&w->progress, run->items[0].result.run_count - w->before);
}

static void on_end(void *ctx)
{
    struct gate_watcher *w = ctx;

    if (w->progress.on)
        cli_progress_end(&w->progress);
}

static void on_build(void *ctx, const char *which, const char *line)
{
    const struct gate_watcher *w = ctx;

    if (!w->args->quiet)
        fprintf(stderr, "building %s: %s\n", which, line);
}

static void on_complain(void *ctx, const tacho_error *why, const char *what)
{
    (void)ctx;
    cli_complain(why, "%s", what);
}

static void on_warn(void *ctx, const char *text)
{
    (void)ctx;
    cli_warn("%s", text);
}

static void on_quote(void *ctx, const char *text)
{
    (void)ctx;
    fprintf(stderr, "%s\n", text);
}

struct tch_gate_watch cli_gate_watch(struct gate_watcher *w, const struct args *args)
{
    *w = (struct gate_watcher){.args = args};
    return (struct tch_gate_watch){
        .run = {.stop = cli_catch_stop(), .step = on_step, .hook = cli_progress_hook, .ctx = w},
        .begin = on_begin,
        .end = on_end,
        .build = on_build,
        .complain = on_complain,
        .warn = on_warn,
        .quote = on_quote,
        .ctx = w};
}
