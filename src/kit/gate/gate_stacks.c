/* Profiles benches that FAILed: flamegraphs, and the stacks of calls whose exact count FAILed. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "gate_loop.h"
#include "kit/judge/run_compare.h"
#include "kit/report/run_flame_diff.h"

static bool has_failed(const struct tch_gate *g, size_t row)
{
    return g->findings.about[row].metric.source == TCH_FROM_COUNTS && g->findings.rows[row].exact &&
           g->findings.rows[row].verdict == TCH_FAIL;
}

/* Compares the stacks of a row with those of the other commit or of the baseline. */
static void compare_row(struct tch_gate *g, const struct tch_gate_bench *b, size_t row)
{
    const struct tch_about *about = &g->findings.about[row];
    size_t kind = about->metric.number;
    bool against = b->plan.command_count > 1;
    const struct tch_result *now = &b->run.items[against ? 1 : 0].result;
    const struct tch_occasion *reference =
        b->has_baseline ? tch_baseline_find(&b->baseline, "reference") : NULL;
    const char *json = reference ? reference->counts : NULL;
    struct tch_counts kept = {0};
    const struct tch_count *before = NULL;

    if (against)
        before = &b->run.items[0].result.counts.of[kind];
    else if (json && tch_counts_parse(json, &kept, NULL) == 0)
        before = &kept.of[kind];
    tch_compare_stacks(&g->findings, about, about->ask == TCH_ASK_MAX ? NULL : before,
                       &now->counts.of[kind]);
    tch_counts_release(&kept);
}

static int take_stacks(struct tch_gate *g, struct tch_gate_bench *b,
                       const volatile sig_atomic_t *stop, tacho_error *err)
{
    bool taken = false;
    int status = 0;

    for (size_t row = b->first_row; row < b->first_row + b->row_count && status == 0; row++) {
        if (!has_failed(g, row))
            continue;
        for (size_t i = 0; i < b->plan.command_count && !taken && status == 0; i++)
            status = tch_run_take_stacks(&b->run, i, stop, err);
        taken = true;
        if (status == 0)
            compare_row(g, b, row);
    }
    return status;
}

/* Complains that there is no such thing of a bench. */
static void lack(const struct tch_gate_watch *watch, const tacho_error *why, const char *thing,
                 const struct tch_gate_bench *b, const char *because)
{
    char what[300];

    snprintf(what, sizeof what, "no %s of '%.100s'%s", thing, b->bench->name, because);
    watch->complain(watch->ctx, why, what);
}

static bool write_diff(struct tch_gate *g, const struct tch_gate_bench *b,
                       const struct tch_gate_watch *watch)
{
    char before[PATH_MAX];
    char now[PATH_MAX];
    char path[PATH_MAX];
    char title[256];
    struct tch_buf svg;
    tacho_error err;
    bool written = false;

    snprintf(title, sizeof title, "%.100s: red costs more than before, blue costs less",
             b->bench->name);
    snprintf(path, sizeof path, "%.3900s/flamegraph-diff-%.100s.svg", g->how.out, b->bench->name);
    tch_buf_init(&svg, 64 << 20);
    if (!tch_folded_find(b->run.items[0].folder.path, before) ||
        !tch_folded_find(b->run.items[1].folder.path, now))
        lack(watch, NULL, "differential flamegraph", b, ": a profile is missing");
    else if (tch_flame_diff(&svg, NULL, before, now, title, &err) < 0)
        lack(watch, &err, "differential flamegraph", b, "");
    else if (tch_file_replace(path, svg.data, svg.len, false, &err) < 0)
        watch->complain(watch->ctx, NULL, err.message);
    else
        written = true;
    tch_buf_release(&svg);
    if (written)
        tch_findings_note(&g->findings, "%s: functions that cost more than before are red in %s",
                          b->bench->name, path);
    return written;
}

bool tch_gate_profile(struct tch_gate *g, struct tch_gate_bench *b,
                      const struct tch_gate_watch *watch)
{
    struct tch_warnings warnings = {.count = 0};
    bool drawn = true;
    tacho_error err;

    if (take_stacks(g, b, watch->run.stop, &err) < 0)
        lack(watch, &err, "stacks of the counted calls", b, "");
    for (size_t i = 0; i < b->plan.command_count; i++)
        if (tch_run_flame(&b->run, i, &warnings, &err) < 0) {
            drawn = false;
            if (tch_run_flame_excuse(&err, &warnings))
                continue; /* too short to sample, which is worth a note only */
            lack(watch, &err, "flamegraph", b, "");
            break;
        }
    for (size_t i = 0; i < warnings.count; i++)
        tch_findings_note(&g->findings, "%s: %s; %s", b->bench->name, warnings.item[i].text,
                          warnings.item[i].advice);
    if (!drawn)
        return false;
    if (b->plan.command_count > 1)
        return write_diff(g, b, watch);
    tch_findings_note(&g->findings,
                      "%s: its flamegraph is in %s; a differential one needs --against",
                      b->bench->name, b->run.items[0].folder.shown);
    return false;
}
