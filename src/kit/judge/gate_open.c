/* Before and after the gate's loop: plans, baselines, folders, receipts. */
#include <errno.h>
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

static int name_commands(struct tch_gate_bench *b, const struct tch_gate_how *how, tacho_error *err)
{
    size_t own = how->against ? 1 : 0;

    if (how->against && (asprintf(&b->names[0], "%s-before", b->bench->name) < 0 ||
                         !(b->cwd[0] = join(how->against, b->bench->plan.cwd))))
        return tch_fail_memory(err);
    b->names[own] = strdup(b->bench->name);
    b->cwd[own] = join(how->root, b->bench->plan.cwd);
    if (!b->names[own] || !b->cwd[own])
        return tch_fail_memory(err);
    for (size_t i = 0; i <= own; i++)
        b->commands[i] = (struct tch_run_command){.name = b->names[i],
                                                  .argv = b->bench->argv,
                                                  .line = b->bench->line,
                                                  .cwd = b->cwd[i],
                                                  .source = i < own ? how->against : how->root};
    b->plan.commands = b->commands;
    b->plan.command_count = own + 1;
    return 0;
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
    if (asked->max_runs < asked->runs)
        asked->max_runs = asked->runs;
    tch_run_plan_init(&usual);
    b->plan = *asked;
    b->plan.precision = asked->precision > 0 ? asked->precision : usual.precision;
    b->plan.output = usual.output;
    b->plan.interval_ns = usual.interval_ns;
    b->plan.power = usual.power;
    b->plan.out = how->out;
    b->looks = asked->runs > 0 ? tch_gate_looks(asked->runs, asked->max_runs)
                               : tch_run_checks(asked->max_runs);
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

/* None is fine; one that cannot be read is not. */
static int read_baseline(struct tch_gate *g, struct tch_gate_bench *b, tacho_error *err)
{
    char path[PATH_MAX];
    tacho_error why;
    int status = tch_gate_baseline_path(g, b, path, err);

    if (status < 0)
        return status;
    status = tch_baseline_read(&b->baseline, path, &why);
    if (status == TACHO_EIO && why.system_errno == ENOENT) {
        g->no_baseline = true;
        return 0;
    }
    if (status < 0)
        return tch_fail(err, status, 0,
                        "the baseline '%.120s' cannot be used, and is left as it is: %.80s", path,
                        why.message);
    b->has_baseline = b->baseline.count > 0;
    g->no_baseline |= !b->has_baseline;
    return 0;
}

static int open_bench(struct tch_gate *g, struct tch_bench *bench, tacho_error *err)
{
    struct tch_gate_bench *b = &g->benches[g->count++];
    int status;

    b->bench = bench;
    status = make_plan(b, &g->how, err);
    if (status == 0 && !g->how.against)
        status = read_baseline(g, b, err);
    if (status < 0)
        return status;
    if (b->looks > g->findings.looks)
        g->findings.looks = b->looks;
    if (g->how.plan_only)
        return 0;
    b->opened = true;
    return tch_run_open(&b->run, &b->plan, err);
}

int tch_gate_open(struct tch_gate *g, const struct tch_settings *s, const struct tch_gate_how *how,
                  tacho_error *err)
{
    char *environment = NULL;
    size_t len;
    int status;

    *g = (struct tch_gate){.settings = s, .how = *how};
    tch_findings_init(&g->findings, how->against ? "against" : "baseline");
    for (const char *const *p = how->only; p && *p; p++)
        if (!tch_settings_bench(s, *p))
            return tch_fail(err, TACHO_EINVAL, 0, "there is no bench '%.60s'; the first is '%.60s'",
                            *p, s->benches[0].name);
    status = tacho_environment("", NULL, &environment, &len, err);
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
        for (int k = 0; k < 2; k++) {
            free(b->names[k]);
            free(b->cwd[k]);
        }
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
        struct tch_baseline *baseline = &b->baseline;
        char path[PATH_MAX];

        if (!baseline->bench)
            status = tch_baseline_init(baseline, b->bench->name, g->machine_class, err);
        if (status == 0)
            status =
                tch_baseline_add(baseline, tch_gate_receipt(b), (size_t)g->settings->keep, err);
        if (status == 0 && promote)
            status = tch_baseline_promote(baseline, tch_baseline_find(baseline, "latest"), err);
        if (status == 0)
            status = tch_gate_baseline_path(g, b, path, err);
        if (status == 0)
            status = tch_baseline_write(baseline, path, err);
    }
    return status;
}
