/* Runs a whole gate: the checks before the first run, the benches, the notes after the last. */
#include <stdio.h>

#include "base/fail.h"
#include "gate_sides.h"
#include "kit/report/report.h"

enum { LAST_LINES = 12 };

/* Names both sides in the findings, for the report. */
static int name_sides(struct tch_gate *g, const char *reproduce, tacho_error *err)
{
    struct tch_findings *f = &g->findings;
    bool against = g->how.against;
    char before[256];
    char now[96];
    char commit[32] = "";
    int status;

    for (size_t i = 0; i < g->count && !commit[0]; i++)
        if (g->benches[i].run.items)
            tch_result_commit(tch_gate_result(&g->benches[i]), commit, sizeof commit);
    snprintf(now, sizeof now, "%s%s%s%s", against ? "the working tree" : "now",
             commit[0] ? " (" : "", commit, commit[0] ? ")" : "");
    snprintf(before, sizeof before, "%s%.200s", against ? "" : "the baselines of ",
             against ? g->how.against_name : g->machine_class);
    status = reproduce ? tch_findings_set(&f->reproduce, reproduce, err) : tch_fail_memory(err);
    if (status == 0)
        status = tch_findings_set(&f->a_name, before, err);
    return status == 0 ? tch_findings_set(&f->b_name, now, err) : status;
}

static void complain_of_problems(const struct tch_gate *g, const struct tch_gate_watch *watch)
{
    for (size_t i = 0; i < g->findings.problem_count; i++)
        watch->complain(watch->ctx, NULL, g->findings.problems[i].text);
}

/* Reports each missing baseline as a problem, if baselines are required. */
static void check_baselines(struct tch_gate *g, const struct tch_gate_watch *watch)
{
    if (!g->how.require_baseline || g->how.against)
        return;
    for (size_t i = 0; i < g->count; i++)
        if (!g->benches[i].has_baseline) {
            tch_findings_problem(
                &g->findings,
                "'%s' has no baseline for %s; run 'tacho baseline save' on such a machine and "
                "commit the file",
                g->benches[i].bench->name, g->machine_class);
            g->lacks_baseline = true;
        }
    if (g->lacks_baseline)
        complain_of_problems(g, watch);
}

/* Quotes the last lines that a failed command printed. */
static void quote_last_words(const struct tch_gate_bench *bench, const struct tch_gate_watch *watch)
{
    struct tch_buf words;
    struct tch_buf b;

    if (!bench->failed || !bench->run.items || bench->run.state != TCH_RUN_FAILED)
        return;
    tch_buf_init(&words, 1 << 16);
    tch_buf_init(&b, 1 << 17);
    tch_run_last_words(&bench->run, LAST_LINES, &words);
    tch_buf_addf(&b, "last lines of '%s' on standard %s:\n%s", bench->bench->name,
                 bench->run.bad_check[0] ? "output" : "error", words.data);
    if (words.len > 0)
        watch->quote(watch->ctx, b.data);
    tch_buf_release(&words);
    tch_buf_release(&b);
}

static int write_reports(const struct tch_gate *g, const struct tch_gate_watch *watch)
{
    for (size_t i = 0; i < g->count; i++)
        for (size_t k = 0; k < g->benches[i].plan.command_count && g->benches[i].run.items; k++) {
            const struct tch_run_item *item = &g->benches[i].run.items[k];
            char what[200];
            tacho_error err;

            if (item->result.run_count == 0 ||
                tch_report_save(&item->result, item->folder.path, &err) == 0)
                continue;
            snprintf(what, sizeof what, "cannot write the report of '%.150s'",
                     g->benches[i].bench->name);
            watch->complain(watch->ctx, &err, what);
            return err.code;
        }
    return 0;
}

int tch_gate_run_all(struct tch_gate *g, const struct tch_gate_watch *watch)
{
    tacho_error err;
    tacho_error end_err;
    int measured = tch_gate_run(g, watch, &err);
    int finished;

    watch->end(watch->ctx);
    finished = tch_gate_finish(g, &end_err);
    if (measured < 0)
        watch->complain(watch->ctx, NULL, err.message);
    complain_of_problems(g, watch);
    for (size_t i = 0; i < g->count; i++)
        quote_last_words(&g->benches[i], watch);
    if (finished < 0)
        watch->complain(watch->ctx, &end_err, "cannot write the result of a run");
    if (measured < 0 || finished < 0)
        return measured < 0 ? measured : finished;
    return write_reports(g, watch);
}

int tch_gate_judge(struct tch_gate *g, const struct tch_gate_sides *sides, const char *reproduce,
                   const struct tch_gate_watch *watch)
{
    bool all = !g->how.only || !g->how.only[0];
    tacho_error err;
    int status;
    bool runs;

    check_baselines(g, watch);
    status = name_sides(g, reproduce, &err);
    if (status < 0)
        watch->complain(watch->ctx, NULL, err.message);
    runs = status == 0 && !g->how.plan_only && !g->lacks_baseline;
    if (sides->commit.note[0])
        tch_findings_note(&g->findings, "%s", sides->commit.note);
    if (sides->tree.path[0] && all)
        tch_gate_note_removed(g, &sides->settings);
    if (runs && !g->how.quiet)
        tch_gate_warn_of_sight(g, watch);
    if (runs)
        status = tch_gate_run_all(g, watch);
    if (sides->problem[0]) /* after the runs, because it was complained of when it happened */
        tch_findings_problem(&g->findings, "%s", sides->problem);
    if (runs && status == 0)
        tch_gate_note_unjudged(g, watch);
    if (runs)
        tch_findings_note_sessions(&g->findings, TCH_GATE_INTERLEAVE);
    return status;
}
