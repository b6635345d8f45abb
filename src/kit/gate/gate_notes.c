/* Adds notes about benches that the gate cannot compare, or only with doubt. */
#include <math.h>
#include <stdio.h>

#include "gate_loop.h"
#include "kit/vcs/vcs.h"

enum { DAY = 86400 }; /* seconds */

/* Returns whether a bench misses a baseline. One that has only limits does not need any. */
static bool has_none(const struct tch_gate_bench *b)
{
    return !b->has_baseline && !b->alone && tch_gate_needs_baseline(b);
}

static bool has_few(const struct tch_gate_bench *b)
{
    bool few = false;

    for (size_t i = 0; b->has_baseline && i < b->bench->budget_count; i++) {
        const struct tch_named_budget *named = &b->bench->budgets[i];
        struct tch_metric q;

        few |= !isnan(named->budget.tolerance) &&
               tch_result_metric(tch_gate_result(b), named->name, &q) &&
               q.source != TCH_FROM_COUNTS &&
               tch_gate_occasions(b, &q, &named->budget) < TCH_SPREAD_DAYS;
    }
    return few;
}

/* Lists the benches that satisfy a predicate, the first few by name. Returns how many there are. */
static size_t list_benches(const struct tch_gate *g, bool (*is)(const struct tch_gate_bench *b),
                           struct tch_buf *names)
{
    enum { SHOWN = 5 };
    size_t count = 0;

    tch_buf_clear(names);
    for (size_t i = 0; i < g->count; i++)
        if (is(&g->benches[i]) && count++ < SHOWN)
            tch_buf_addf(names, "%s%.40s", count > 1 ? ", " : "", g->benches[i].bench->name);
    if (count > SHOWN)
        tch_buf_addf(names, " and %zu more", count - SHOWN);
    return count;
}

/* Names the benches without a baseline, in a note, or in a problem if nothing was judged. */
static void name_missing(struct tch_gate *g, bool is_problem)
{
    void (*add)(struct tch_findings *, const char *, ...) =
        is_problem ? tch_findings_problem : tch_findings_note;
    struct tch_buf names;
    size_t count;

    tch_buf_init(&names, 1024);
    count = list_benches(g, has_none, &names);
    if (count > 0)
        add(&g->findings,
            "%s%s %s no baseline for this machine class (%s) yet; make one with 'tacho baseline "
            "save' "
            "and commit it, or compare with another commit: tacho gate --against REF --build CMD",
            is_problem ? "nothing was judged: " : "", names.data, count == 1 ? "has" : "have",
            g->machine_class);
    if (list_benches(g, has_few, &names) > 0)
        tch_findings_note(&g->findings,
                          "%s: sessions of fewer than %d days are known, so a change below %gx is "
                          "WARN, not FAIL; 'tacho baseline save' or 'tacho calibrate' on other "
                          "days measures how much sessions differ",
                          names.data, TCH_SPREAD_DAYS, g->settings->obvious);
    tch_buf_release(&names);
}

/* Notes a reference that is old or of another branch: programs and machines of a class change. */
static void note_reference(struct tch_findings *f, const struct tch_reference *r,
                           const char *commit)
{
    char age[40] = "less than a day";

    if (r->days > 0)
        snprintf(age, sizeof age, "%lld day%s", (long long)r->days, r->days == 1 ? "" : "s");
    if (r->old)
        tch_findings_note(f,
                          "%s: its baseline is %s old%s%s; 'tacho baseline save --promote' "
                          "makes a new reference, a larger 'max_age' accepts older ones",
                          r->bench, age, commit[0] ? ", of commit " : "", commit);
    if (r->days < 0)
        tch_findings_note(f,
                          "%s: its baseline is dated %s, which is in the future; check the clock "
                          "of this machine, or make a new reference by 'tacho baseline save "
                          "--promote'",
                          r->bench, r->at);
    if (r->commit[0] && r->ancestor == 0)
        tch_findings_note(f,
                          "%s: its baseline is of commit %s, which is not an ancestor of this one: "
                          "another branch, or history was rewritten; 'tacho baseline save "
                          "--promote' makes a new reference",
                          r->bench, commit);
    else if (r->commit[0] && r->ancestor < 0)
        tch_findings_note(
            f,
            "%s: its baseline is of commit %s; git does not know whether that is an "
            "ancestor of this one; in CI check out all of the history: fetch-depth: 0",
            r->bench, commit);
    if (r->dirty)
        tch_findings_note(f,
                          "%s: its baseline was measured with files that differ from commit %.12s, "
                          "so it cannot be repeated; save one from a clean tree",
                          r->bench, r->commit);
}

static int add_references(struct tch_gate *g)
{
    tacho_error err;

    for (size_t i = 0; i < g->count; i++) {
        const struct tch_gate_bench *b = &g->benches[i];
        const struct tch_occasion *o =
            b->has_baseline ? tch_baseline_find(&b->baseline, "reference") : NULL;
        struct tch_reference r = {.bench = (char *)b->bench->name, .ancestor = -1};
        char commit[32];
        int64_t age;

        if (!o)
            continue;
        age = tch_occasion_age(o);
        r.at = o->at;
        r.commit = o->commit;
        r.dirty = o->dirty;
        r.days = age < -DAY ? -1 : age / DAY; /* clocks of two machines may differ a little */
        r.old = age >= (int64_t)(g->settings->max_age_ns / 1000000000);
        r.ancestor = o->commit[0] ? tch_vcs_is_ancestor(g->how.root, o->commit) : -1;
        if (tch_findings_add_reference(&g->findings, &r, &err) < 0)
            return TACHO_ENOMEM;
        tch_occasion_commit(o, commit, sizeof commit);
        note_reference(&g->findings, &r, commit);
        if (g->findings.verdict == TCH_PASS &&
            (r.old || r.days < 0 || (r.commit[0] && r.ancestor == 0)))
            g->findings.verdict =
                TCH_WARN; /* the PASS is about another baseline than the one asked for */
    }
    return 0;
}

/* Notes changed files: a PASS belongs to the measured files, not to the commit. */
static void note_dirty(struct tch_gate *g)
{
    const struct tch_result *r = NULL;

    for (size_t i = 0; i < g->count && !r; i++)
        if (g->benches[i].run.items)
            r = tch_gate_result(&g->benches[i]);
    if (!r || !r->commit[0] || r->vcs.dirty == 0)
        return;
    if (r->vcs.dirty < 0) {
        tch_findings_note(&g->findings,
                          "it is not known whether files differ from commit %.12s: a file has a "
                          "filter, such as Git LFS, which tacho does not start, or git took too "
                          "long; 'git status' before the gate may settle it",
                          r->commit);
        return;
    }
    snprintf(g->findings.dirty, sizeof g->findings.dirty, "%.12s", r->commit);
    tch_findings_note(
        &g->findings,
        "files differ from commit %s: the verdict is about the working tree, not about "
        "a commit",
        g->findings.dirty);
}

void tch_gate_note_unjudged(struct tch_gate *g, const struct tch_gate_watch *watch)
{
    struct tch_findings *f = &g->findings;
    bool nothing = f->verdict == TCH_NO_VERDICT && f->problem_count == 0;

    if (!g->how.against)
        name_missing(g, nothing);
    note_dirty(g);
    f->lost |= add_references(g) < 0;
    tch_findings_doubt(f);
    if (nothing && f->problem_count == 0)
        tch_findings_problem(f, "nothing was judged: no budget has values on both sides; the notes "
                                "give the reasons");
    for (size_t i = 0; i < f->problem_count && nothing; i++, g->unjudged++)
        watch->complain(watch->ctx, NULL, f->problems[i].text);
    g->judged_nothing = nothing;
}

void tch_gate_note_removed(struct tch_gate *g, const struct tch_settings *before)
{
    for (size_t i = 0; i < before->count; i++)
        if (!tch_settings_bench(g->settings, before->benches[i].name))
            tch_findings_note(
                &g->findings,
                "%s was removed: %s has it, the working tree does not; it is not judged",
                before->benches[i].name, g->how.against_name);
}
