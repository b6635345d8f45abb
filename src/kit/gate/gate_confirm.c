/*
 * Confirms what looks worse than a baseline, in pairs with the baseline's commit.
 *
 * A baseline belongs to another session, so a change may be due to the machine. Pairs with the
 * commit that the baseline measured have no session between their sides. That commit is checked out
 * and built as by --against, and a gate of the benches with a suspect runs both sides. Its verdicts
 * replace those of the suspects, whose coins are fair however the suspects were selected.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate_sides.h"
#include "kit/stats/sight.h"

/* The benches whose baselines measured one commit. */
struct group {
    const char *commit;
    const char *only[TCH_BENCHES_MOST + 1]; /* NULL-terminated */
    size_t count;
};

static bool is_asked(const struct tch_gate *g, const struct tch_gate_ask *ask)
{
    const char *ci = getenv("CI");
    bool in_ci = ci && ci[0] && strcmp(ci, "false") != 0;

    return !g->how.against && ask->build && !g->interrupted &&
           (g->settings->confirm ? strcmp(g->settings->confirm, "commit") == 0 : in_ci);
}

/* Returns whether pairs should decide about a row: it is judged against a baseline and looks
   worse. */
static bool is_suspect(const struct tch_verdict_row *row)
{
    return !row->paired && row->ask == TCH_ASK_RATIO && row->a_count > 0 && row->b_count > 0 &&
           !row->exact && row->verdict != TCH_PASS &&
           (row->verdict == TCH_FAIL || row->doubtful || row->p <= TCH_SIGHT_SCREEN);
}

/* Returns the commit that the baseline of a bench with a suspect measured, or NULL. */
static const char *commit_of(const struct tch_gate *g, const struct tch_gate_bench *b)
{
    const struct tch_occasion *reference =
        b->has_baseline ? tch_baseline_find(&b->baseline, "reference") : NULL;

    if (b->failed || !reference || !reference->commit[0] || reference->dirty)
        return NULL;
    for (size_t i = b->first_row; i < b->first_row + b->row_count; i++)
        if (is_suspect(&g->findings.rows[i]))
            return reference->commit;
    return NULL;
}

/* Collects the first bench that is not done, and all others of the same commit. */
static void collect(const struct tch_gate *g, bool *done, struct group *group)
{
    *group = (struct group){.commit = NULL};
    for (size_t i = 0; i < g->count; i++) {
        const char *commit = done[i] ? NULL : commit_of(g, &g->benches[i]);

        if (!commit || (group->commit && strcmp(group->commit, commit) != 0))
            continue;
        done[i] = true;
        group->commit = commit;
        group->only[group->count++] = g->benches[i].bench->name;
    }
}

/* Replaces a suspect by the row of the pairs that asks the same. Returns whether there is one. */
static bool take_row(struct tch_findings *f, size_t i, struct tch_findings *pairs)
{
    struct tch_about about = f->about[i];
    struct tch_verdict_row row = f->rows[i];

    for (size_t k = 0; k < pairs->count; k++) {
        if (strcmp(pairs->about[k].bench, about.bench) != 0 || pairs->about[k].ask != about.ask ||
            strcmp(pairs->about[k].metric.name, about.metric.name) != 0 || !pairs->rows[k].paired ||
            pairs->rows[k].b_count == 0)
            continue;
        f->about[i] = pairs->about[k]; /* swapped, so that both release what they own */
        f->rows[i] = pairs->rows[k];
        pairs->about[k] = about;
        pairs->rows[k] = row;
        f->about[i].analyses = f->rows[i].analyses = NULL;
        return true;
    }
    return false;
}

static void take_bench(struct tch_gate *g, const struct tch_gate_bench *b, const char *commit,
                       struct tch_findings *pairs)
{
    size_t taken = 0;
    bool fails = false;

    for (size_t i = b->first_row; i < b->first_row + b->row_count; i++) {
        if (!is_suspect(&g->findings.rows[i]) || !take_row(&g->findings, i, pairs))
            continue;
        taken++;
        fails |= g->findings.rows[i].verdict == TCH_FAIL;
    }
    if (taken > 0)
        tch_findings_note(&g->findings,
                          "%s: looks worse than its baseline, so it was run in pairs with the "
                          "baseline's commit %.12s, which alone decide: it %s",
                          b->bench->name, commit, fails ? "FAILs" : "does not FAIL");
    else
        tch_findings_note(&g->findings, "%s: could not be run in pairs with commit %.12s",
                          b->bench->name, commit);
}

static void confirm_group(struct tch_gate *g, const struct tch_gate_ask *ask,
                          const struct group *group, const struct tch_gate_watch *watch)
{
    struct tch_gate_ask other = *ask;
    struct tch_gate_sides sides;
    struct tch_gate_how how = g->how;
    struct tch_gate pairs = {0};
    tacho_error err;
    bool ran;

    other.against = group->commit;
    other.exact = true;
    ran = tch_gate_prepare(&sides, &other, watch) == 0;
    how.against = sides.root;
    how.against_name = sides.commit.name;
    how.before = &sides.settings;
    how.only = group->only;
    how.require_baseline = false;
    if (ran && tch_gate_open(&pairs, g->settings, &how, &err) < 0) {
        watch->complain(watch->ctx, NULL, err.message);
        ran = false;
    }
    if (ran)
        (void)tch_gate_run_all(&pairs, watch); /* complains; rows of what it measured remain */
    for (size_t i = 0; i < g->count; i++)
        for (size_t k = 0; k < group->count; k++)
            if (strcmp(group->only[k], g->benches[i].bench->name) == 0)
                take_bench(g, &g->benches[i], group->commit, &pairs.findings);
    g->interrupted = g->interrupted || pairs.interrupted;
    tch_gate_close(&pairs);
    tch_gate_sides_remove(&sides, g->how.root, watch);
}

int tch_gate_confirm_commit(struct tch_gate *g, const struct tch_gate_ask *ask,
                            const struct tch_gate_watch *watch)
{
    bool *done = calloc(g->count + 1, sizeof *done);
    struct group group;
    bool any = false;

    if (!done)
        return TACHO_ENOMEM;
    if (is_asked(g, ask))
        for (collect(g, done, &group); group.count > 0 && !g->interrupted;
             collect(g, done, &group)) {
            confirm_group(g, ask, &group, watch);
            any = true;
        }
    free(done);
    if (any) {
        g->findings.verdict = tch_judge_worst(g->findings.rows, g->findings.count);
        tch_findings_doubt(&g->findings);
    }
    return 0;
}
