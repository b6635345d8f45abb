/* Prepares and finishes the gate's loop: plans, baselines, folders, results. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tacho/fingerprint.h>

#include "base/fail.h"
#include "base/file.h"
#include "gate_loop.h"

static bool is_chosen(const struct tch_gate_how *how, const char *name)
{
    if (!how->only || !how->only[0])
        return true;
    for (const char *const *p = how->only; *p; p++)
        if (strcmp(*p, name) == 0)
            return true;
    return false;
}

/* --- Plans --- */

static char *join(const char *folder, const char *name)
{
    char *path;

    if (name && name[0] == '/')
        return strdup(name);
    return asprintf(&path, "%s%s%s", folder, name ? "/" : "", name ? name : "") < 0 ? NULL : path;
}

/* Returns the name of a side, "BENCH" with a suffix, or NULL if memory runs out. The caller frees
 * it. */
static char *name_side(const char *bench, const char *side)
{
    char *name;

    return asprintf(&name, "%s%s", bench, side) < 0 ? NULL : name;
}

static int name_commands(struct tch_gate_bench *b, const struct tch_gate_how *how, tacho_error *err)
{
    size_t own = how->against && !b->alone ? 1 : 0;

    if (own > 0 && (!(b->names[0] = name_side(b->bench->name, how->itself ? "-a" : "-before")) ||
                    !(b->cwd[0] = join(how->against, b->bench->plan.cwd))))
        return tch_fail_memory(err);
    b->names[own] = name_side(b->bench->name, how->itself ? "-b" : "");
    b->cwd[own] = join(how->root, b->bench->plan.cwd);
    if (!b->names[own] || !b->cwd[own])
        return tch_fail_memory(err);
    for (size_t i = 0; i <= own; i++)
        b->commands[i] = (struct tch_run_command){.name = b->names[i],
                                                  .argv = b->bench->argv,
                                                  .line = b->bench->line,
                                                  .cwd = b->cwd[i],
                                                  .source = i < own ? how->against : how->root,
                                                  .earlier = i < own};
    b->plan.commands = b->commands;
    b->plan.command_count = own + 1;
    return 0;
}

static void release_names(struct tch_gate_bench *b)
{
    for (int i = 0; i < 2; i++) {
        free(b->names[i]);
        free(b->cwd[i]);
        b->names[i] = b->cwd[i] = NULL;
    }
}

static int make_plan(struct tch_gate_bench *b, const struct tch_gate_how *how, tacho_error *err)
{
    struct tch_run_plan *asked = &b->bench->plan;
    struct tch_run_plan usual;

    if (how->runs > 0) {
        asked->runs = how->runs;
        asked->precision = 0;
    }
    if (how->max_runs > 0)
        asked->max_runs = how->max_runs;
    if (how->max_runs > 0 && how->runs == 0 && asked->runs > how->max_runs)
        asked->runs = how->max_runs;
    if (asked->max_runs < asked->runs)
        asked->max_runs = asked->runs;
    tch_run_plan_init(&usual);
    b->plan = *asked;
    b->plan.precision = asked->precision > 0 ? asked->precision : usual.precision;
    b->plan.output = usual.output;
    b->plan.interval_ns = usual.interval_ns;
    b->plan.power = usual.power;
    b->plan.out = how->out;
    b->planned = asked->runs > 0 ? tch_gate_analyses(asked->runs, asked->max_runs)
                                 : tch_precision_checks(asked->max_runs);
    if (name_commands(b, how, err) < 0)
        return TACHO_ENOMEM;
    b->plan.cwd = b->cwd[b->plan.command_count - 1];
    return 0;
}

/* --- Baselines --- */

int tch_gate_baselines(const struct tch_settings *s, const char *root, char dir[PATH_MAX],
                       tacho_error *err)
{
    bool absolute = s->baselines[0] == '/';
    int n =
        snprintf(dir, PATH_MAX, "%s%s%s", absolute ? "" : root, absolute ? "" : "/", s->baselines);

    if (n < 0 || n >= PATH_MAX)
        return tch_fail(err, TACHO_ELIMIT, 0, "the path of the baselines is too long");
    return 0;
}

int tch_gate_baseline_path(const struct tch_gate *g, const struct tch_gate_bench *b,
                           char path[PATH_MAX], tacho_error *err)
{
    char dir[PATH_MAX];
    int status = tch_gate_baselines(g->settings, g->how.root, dir, err);

    return status < 0 ? status
                      : tch_baseline_path(path, dir, b->bench->name, g->machine_class, err);
}

/* Checks that the file is the baseline of the bench, and of its command. */
static int check_baseline(const struct tch_gate *g, const struct tch_gate_bench *b,
                          tacho_error *err)
{
    int status = tch_baseline_check(&b->baseline, b->bench->name, g->machine_class, err);

    return status < 0 || g->how.any_command
               ? status
               : tch_baseline_check_command(&b->baseline, b->bench->line, b->plan.keep_env, err);
}

static void note_unusable(struct tch_gate *g, struct tch_gate_bench *b, const char *path,
                          const char *why)
{
    tch_findings_problem(&g->findings,
                         "the baseline '%.150s' cannot be used and was not changed: %.200s; to "
                         "start over: tacho baseline save --replace --bench %s",
                         path, why, b->bench->name);
    b->alone = "not judged";
    b->has_baseline = false;
}

/* The first difference between two settings. */
struct change {
    char path[40];
    char a[32];
    char b[32];
};

static const char *shown(const char *json)
{
    return !json || strcmp(json, "null") == 0 || strcmp(json, "{}") == 0 ? "none" : json;
}

static int take_change(const char *path, const char *a, const char *b, void *ctx)
{
    struct change *c = ctx;

    snprintf(c->path, sizeof c->path, "%s", path);
    snprintf(c->a, sizeof c->a, "%s", shown(a));
    snprintf(c->b, sizeof c->b, "%s", shown(b));
    return strcmp(c->a, c->b) != 0; /* otherwise the members of the one that is not null follow */
}

/* Checks that the reference was measured with the same variables, parameters and configuration.
   They are known once the run is open. */
static int check_settings(struct tch_gate *g, struct tch_gate_bench *b, tacho_error *err)
{
    const struct tch_occasion *reference = tch_baseline_find(&b->baseline, "reference");
    struct change change = {.path = ""};
    struct tch_buf now;
    char path[PATH_MAX];
    char why[200];
    int status;

    if (!b->has_baseline || b->failed || g->how.plan_only || g->how.measure_only ||
        !reference->settings)
        return 0;
    tch_buf_init(&now, TCH_BASELINE_MAX);
    status = tch_result_settings(tch_gate_result(b), &now, err);
    if (status == 0)
        status = tacho_json_diff(reference->settings, strlen(reference->settings), now.data,
                                 now.len, take_change, &change, err);
    tch_buf_release(&now);
    if (status <= 0)
        return status;
    snprintf(why, sizeof why, "it was measured with %s %s, the bench has %s", change.path, change.a,
             change.b);
    status = tch_gate_baseline_path(g, b, path, err);
    if (status == 0) {
        note_unusable(g, b, path, why);
        g->unjudged++;
    }
    return status;
}

bool tch_gate_needs_baseline(const struct tch_gate_bench *b)
{
    for (size_t i = 0; i < b->bench->budget_count; i++)
        if (!isnan(b->bench->budgets[i].budget.tolerance))
            return true;
    return false;
}

/* Reads the baseline of a bench, which may be missing. An unreadable baseline, or that of another
   bench, is a problem. */
static int read_baseline(struct tch_gate *g, struct tch_gate_bench *b, tacho_error *err)
{
    char path[PATH_MAX];
    tacho_error why;
    int status = tch_gate_baseline_path(g, b, path, err);

    if (b->bench->plan.import && !g->how.measure_only) {
        tch_findings_problem(&g->findings,
                             "'%s' imports what its command prints, which is judged against "
                             "another commit only; add --against REF",
                             b->bench->name);
        b->alone = "not judged";
        return 0;
    }
    if (status < 0 && strcmp(g->machine_class, "unknown") == 0 && !g->how.measure_only) {
        tch_findings_problem(&g->findings, "no baseline can be used: %s", err->message);
        b->alone = "not judged";
        return 0;
    }
    if (status < 0 || g->how.replace)
        return status;
    status = tch_baseline_read(&b->baseline, path, &why);
    if (status == TACHO_EIO && why.system_errno == ENOENT) {
        g->no_baseline |= tch_gate_needs_baseline(b);
        return 0;
    }
    if (status == 0)
        status = check_baseline(g, b, &why);
    if (status == TACHO_ENOMEM)
        return tch_fail_memory(err);
    if (status < 0) {
        note_unusable(g, b, path, why.message);
        return 0;
    }
    b->has_baseline = b->baseline.count > 0;
    g->no_baseline |= !b->has_baseline && tch_gate_needs_baseline(b);
    return 0;
}

/* Returns whether the other commit has the program of a bench. A program on PATH is the same for
   both. A shell line can only be checked by running it. */
static bool is_there(const struct tch_bench *bench, const struct tch_gate_how *how)
{
    const char *program = bench->argv[0];
    char *folder = join(how->against, bench->plan.cwd);
    char *path = folder && program[0] != '/' && strchr(program, '/') ? join(folder, program) : NULL;
    bool found = !path || access(path, X_OK) == 0;

    free(folder);
    free(path);
    return found;
}

/* Notes that the other commit does not have the program of a bench. If that commit has the bench,
   its build should have made the program. */
static void note_absent(struct tch_gate *g, struct tch_gate_bench *b)
{
    const char *name = b->bench->name;
    const char *program = b->bench->argv[0];

    g->no_baseline = true;
    if (g->how.before && tch_settings_bench(g->how.before, name)) {
        b->alone = "not compared";
        tch_findings_unjudged(&g->findings, name, "",
                              "%s is not compared: %s has this bench, but its build did not make "
                              "'%s'; give the command that makes it by --build, or 'build' in "
                              "tacho.yaml",
                              name, g->how.against_name, program);
        return;
    }
    b->alone = "new";
    tch_findings_note(&g->findings,
                      "%s is new: %s has no '%s', so there is nothing to compare with", name,
                      g->how.against_name, program);
}

/* Opens a run. A failure is a problem of this bench alone. */
static int open_run(struct tch_gate *g, struct tch_gate_bench *b, tacho_error *err)
{
    tacho_error why;
    int status;

    if (g->how.plan_only)
        return 0;
    b->opened = true;
    status = tch_run_open(&b->run, &b->plan, &why);
    if (status == TACHO_ENOMEM)
        return tch_fail_memory(err);
    if (status < 0) {
        tch_findings_problem(&g->findings, "%s: %s", b->bench->name, why.message);
        b->failed = b->settled = true;
    }
    return 0;
}

static int open_bench(struct tch_gate *g, struct tch_bench *bench, tacho_error *err)
{
    struct tch_gate_bench *b = &g->benches[g->count++];
    size_t problems = g->findings.problem_count;
    int status;

    b->bench = bench;
    if (g->how.alone) {
        b->alone = "not compared";
    } else if (g->how.against && !g->how.plan_only && !is_there(bench, &g->how)) {
        note_absent(g, b);
    }
    status = make_plan(b, &g->how, err);
    if (status == 0 && !g->how.against)
        status = read_baseline(g, b, err);
    if (status == 0 && !g->how.measure_only)
        status = tch_gate_read_calibration(g, b, err);
    if (status < 0)
        return status;
    g->unjudged += g->findings.problem_count - problems;
    if (b->planned > g->findings.analyses)
        g->findings.analyses = b->planned;
    status = open_run(g, b, err);
    return status < 0 ? status : check_settings(g, b, err);
}

int tch_gate_reopen_alone(struct tch_gate *g, struct tch_gate_bench *b, const char *why,
                          tacho_error *err)
{
    int status = tch_run_finish(&b->run, err);

    if (status < 0)
        return status;
    tch_run_release(&b->run);
    release_names(b);
    b->alone = why;
    g->no_baseline = true;
    status = make_plan(b, &g->how, err);
    return status < 0 ? status : open_run(g, b, err);
}

int tch_gate_open(struct tch_gate *g, const struct tch_settings *s, const struct tch_gate_how *how,
                  tacho_error *err)
{
    char *environment = NULL;
    size_t len;
    int status;

    *g = (struct tch_gate){.settings = s, .how = *how};
    tch_findings_init(&g->findings, how->against ? "against" : "baseline");
    g->findings.session_spread = how->session_spread;
    g->findings.suspicious = s->suspicious;
    for (const char *const *p = how->only; p && *p; p++)
        if (!tch_settings_bench(s, *p))
            return tch_fail(err, TACHO_EINVAL, 0, "there is no bench '%.60s'; the first is '%.60s'",
                            *p, s->benches[0].name);
    status = tacho_environment(NULL, &environment, &len, err);
    if (status == 0)
        status = tacho_machine_class(environment, len, &g->machine_class, err);
    free(environment);
    if (status < 0)
        return status;
    g->benches = calloc(s->count, sizeof *g->benches);
    if (!g->benches)
        return tch_fail_memory(err);
    for (size_t i = 0; i < s->count && status == 0; i++)
        if (is_chosen(how, s->benches[i].name))
            status = open_bench(g, &s->benches[i], err);
    return status;
}

int tch_gate_finish(struct tch_gate *g, tacho_error *err)
{
    int result = 0;

    for (size_t i = 0; i < g->count; i++)
        if (g->benches[i].opened && g->benches[i].run.spawner) {
            int status = tch_run_finish(&g->benches[i].run, err);

            result = status < 0 ? status : result;
        }
    return result;
}

void tch_gate_close(struct tch_gate *g)
{
    for (size_t i = 0; i < g->count; i++) {
        struct tch_gate_bench *b = &g->benches[i];

        if (b->opened)
            tch_run_release(&b->run);
        tch_baseline_release(&b->baseline);
        tch_calibration_release(&b->calibration);
        release_names(b);
    }
    free(g->benches);
    free(g->machine_class);
    tch_findings_release(&g->findings);
    *g = (struct tch_gate){0};
}

int tch_gate_save(struct tch_gate *g, bool promote, tacho_error *err)
{
    int status = 0;

    for (size_t i = 0; i < g->count && status == 0; i++) {
        struct tch_gate_bench *b = &g->benches[i];
        const struct tch_baseline_save how = {.bench = b->bench->name,
                                              .machine_class = g->machine_class,
                                              .keep = (size_t)g->settings->keep,
                                              .promote = promote,
                                              .replace = g->how.replace};
        char path[PATH_MAX];

        if (b->failed)
            continue;
        status = tch_gate_baseline_path(g, b, path, err);
        if (status == 0)
            status = tch_baseline_save(&b->baseline, path, tch_gate_result(b), &how, err);
    }
    return status;
}
