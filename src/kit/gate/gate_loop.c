/* The gate's loop: measure, judge, measure more. gate_open.c opens, closes and saves. */
#include "gate_loop.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

unsigned tch_gate_analyses(uint64_t runs, uint64_t most)
{
    unsigned analyses = 1;

    for (uint64_t n = runs; n < most; n *= 2)
        analyses++;
    return analyses;
}

const struct tch_result *tch_gate_result(const struct tch_gate_bench *b)
{
    return &b->run.items[b->plan.command_count - 1].result;
}

/* --- Measuring --- */

uint64_t tch_gate_runs_made(const struct tch_gate_bench *b)
{
    return b->run.items[0].result.run_count;
}

/* Runs setup or cleanup for the other side, too, unless it is the same. The plan's own hooks cover
   our side only. */
static int other_hook(const struct tch_gate_bench *b, const char *what, const char *line,
                      const struct tch_gate_watch *watch, tacho_error *err)
{
    struct tch_run_plan plan = b->plan;

    plan.cwd = b->commands[0].cwd;
    return b->plan.command_count > 1 && strcmp(b->cwd[0], b->cwd[1]) != 0
               ? tch_run_hook(&plan, what, line, watch->run.stop, err)
               : 0;
}

static int make_runs(struct tch_gate *g, struct tch_gate_bench *b,
                     const struct tch_gate_watch *watch, tacho_error *err)
{
    uint64_t made = tch_gate_runs_made(b);
    uint64_t most = b->bench->plan.max_runs;
    uint64_t more = b->plan.runs;
    int status;

    if (b->fresh > 0)
        more = b->fresh;
    else if (g->analysis > 0) /* as many again, up to the limit */
        more = made >= most / 2 ? most - made : made;
    if (watch->begin)
        watch->begin(watch->ctx, b, more, g->analysis);
    status = other_hook(b, "setup", b->plan.setup, watch, err);
    if (status == 0)
        status = g->analysis == 0 ? tch_run_measure(&b->run, &watch->run, err)
                                  : tch_run_more(&b->run, more, &watch->run, err);
    if (status == 0)
        status = other_hook(b, "cleanup", b->plan.cleanup, watch, err);
    if (status < 0 && err->system_errno == ECANCELED) { /* the user interrupted a hook */
        b->run.state = TCH_RUN_INTERRUPTED;
        status = 0;
    }
    return status;
}

/* Returns whether the other side failed at its first run, so it could never run. */
static bool never_ran_before(const struct tch_gate_bench *b)
{
    return b->plan.command_count > 1 && b->run.bad_index == 0 &&
           (b->run.bad_warmup || tch_gate_runs_made(b) <= 1);
}

/* Handles a command that failed. If only the other commit's command failed, the bench is new. If
   ours failed, that is a problem. */
static int take_failure(struct tch_gate *g, struct tch_gate_bench *b, tacho_error *err)
{
    const char *side = b->plan.command_count > 1 && b->run.bad_index == 0 ? g->how.against_name
                                                                          : "the working tree";
    struct tch_buf why;
    int status = 0;

    tch_buf_init(&why, 1024);
    tch_run_describe_failure(&why, &b->run);
    if (g->analysis == 0 && never_ran_before(b)) {
        tch_findings_note(&g->findings,
                          "%s cannot be run on %s: it %s; there is nothing to compare with",
                          b->bench->name, side, why.data);
        status = tch_gate_reopen_alone(g, b, "not compared", err);
        status = status < 0 ? status : 1;
    } else {
        tch_findings_problem(&g->findings, "%s: '%s' %s in %s", b->bench->name, b->bench->line,
                             why.data, side);
        b->failed = b->settled = true;
    }
    tch_buf_release(&why);
    return status;
}

int tch_gate_measure(struct tch_gate *g, struct tch_gate_bench *b,
                     const struct tch_gate_watch *watch, tacho_error *err)
{
    int again;

    do {
        int status = make_runs(g, b, watch, err);

        again = 0;
        if (status == 0 && b->run.state == TCH_RUN_INTERRUPTED) {
            g->interrupted = true;
            tch_findings_problem(&g->findings, "interrupted while measuring '%s'", b->bench->name);
        } else if (status == 0 && b->run.state == TCH_RUN_FAILED) {
            again = status = take_failure(g, b, err);
        }
        if (status < 0 && status != TACHO_ENOMEM) {
            tch_findings_problem(&g->findings, "%s: %s", b->bench->name, err->message);
            b->failed = b->settled = true;
        } else if (status < 0) {
            return status;
        }
    } while (again > 0 && !b->failed);
    return 0;
}

/* --- Rows --- */

/* Returns whether a count may be compared with that of the baseline; true for all other
   quantities. */
static bool may_compare_count(struct tch_findings *f, const struct tch_occasion *reference,
                              const struct tch_result *r, struct tch_about *about)
{
    size_t kind = about->metric.number;
    struct tch_counts counts = {0};
    tacho_error err;
    bool may;

    if (about->metric.source != TCH_FROM_COUNTS)
        return true;
    may = tch_counts_parse(reference->counts, &counts, &err) == 0;
    if (may && counts.of[kind].values.n == 0) {
        tch_findings_unjudged(f, about->bench, about->metric.title,
                              "%s: the baseline did not count %s; save it again", about->bench,
                              about->metric.title);
        may = false;
    } else if (may)
        may = tch_compare_count(f, about, &counts.of[kind], r);
    else
        tch_findings_unjudged(f, about->bench, about->metric.title,
                              "%s: the counts of the baseline cannot be used: %s", about->bench,
                              err.message);
    tch_counts_release(&counts);
    return may;
}

static int add_kept_row(const struct tch_gate *g, struct tch_findings *f,
                        const struct tch_gate_bench *b, const struct tch_result *r,
                        const struct tch_named_budget *budget, const struct tch_metric *q,
                        tacho_error *err)
{
    const struct tch_occasion *reference = tch_baseline_find(&b->baseline, "reference");
    const struct tch_kept *kept = tch_occasion_values(reference, q->name, budget->budget.quantile);
    struct tch_about about = {
        .bench = b->bench->name,
        .metric = *q,
        .budget = budget->budget,
        .ask = TCH_ASK_RATIO,
        .required = budget->required,
        .occasions = tch_gate_occasions(b, q, &budget->budget),
        .spread = tch_gate_session_spread(g, b, q, &budget->budget),
        .obvious = tch_gate_obvious(g, b, q, &budget->budget),
        .analyses = &b->analyses,
    };
    struct tch_series before = {.value = kept ? kept->value : NULL,
                                .count = kept ? kept->count : 0};
    struct tch_series now = {0};
    int status;

    if (kept && !may_compare_count(f, reference, r, &about))
        return 0;
    if (!kept && !budget->required) {
        tch_findings_unjudged(f, b->bench->name, q->title,
                              "%s: the baseline has no %s, so it is not judged", b->bench->name,
                              q->title);
        return 0;
    }
    if (!budget->directed)
        about.budget.higher = q->better == TCH_BETTER_HIGHER;
    status = tch_series_of(r, q, budget->budget.quantile, &now, err);
    if (status == 0)
        status = tch_findings_add(f, &about, &before, &now, err);
    tch_series_release(&now);
    return status;
}

/* Adds a row with the measured values if there is nothing to compare them with. */
static int add_alone_row(struct tch_findings *f, const struct tch_gate_bench *b,
                         const struct tch_result *r, const struct tch_named_budget *budget,
                         const struct tch_metric *q, tacho_error *err)
{
    struct tch_about about = {
        .bench = b->bench->name,
        .metric = *q,
        .budget = budget->budget,
        .ask = TCH_ASK_NOTHING,
        .instead = b->alone ? b->alone : "no baseline",
    };
    struct tch_series now = {0};
    int status = tch_series_of(r, q, budget->budget.quantile, &now, err);

    tch_describe_count(&about, r);
    if (budget->required && now.count == 0) { /* a FAIL, with or without a baseline */
        about.required = true;
        about.ask = TCH_ASK_RATIO;
        about.instead = NULL;
    }
    if (status == 0)
        status = tch_findings_add(f, &about, NULL, &now, err);
    tch_series_release(&now);
    return status;
}

/* Returns whether the run has values of a quantity. */
static bool is_measured(const struct tch_result *r, const char *name)
{
    struct tch_metric had;

    for (size_t at = 0; tch_result_next_metric(r, &at, &had);)
        if (strcmp(had.name, name) == 0)
            return true;
    return false;
}

/* Adds the rows of one budget. */
static int add_kept_budget(const struct tch_gate *g, struct tch_findings *f,
                           const struct tch_gate_bench *b, const struct tch_result *r,
                           const struct tch_named_budget *budget, const struct tch_metric *q,
                           tacho_error *err)
{
    bool measured = is_measured(r, q->name);
    int status = 0;

    if (!measured && !budget->required && q->source == TCH_FROM_COUNTS) {
        tch_compare_count_missing(f, b->bench->name, q, r);
        return 0;
    }
    if (!measured && !budget->required) {
        tch_findings_unjudged(f, b->bench->name, q->title,
                              "%s: %s was not measured, so it is not judged", b->bench->name,
                              q->title);
        return 0;
    }
    if (b->has_baseline && !isnan(budget->budget.tolerance))
        status = add_kept_row(g, f, b, r, budget, q, err);
    else if (!isnan(budget->budget.tolerance))
        status = add_alone_row(f, b, r, budget, q, err);
    return status == 0 ? tch_compare_max(f, b->bench->name, r, q, budget, &b->analyses, err)
                       : status;
}

/* Adds the rows of one side: against the values of a baseline, if there is one, and limits. The
   order is that of tch_compare_runs(): the quantities of the run, then those that are missing. */
static int add_kept(const struct tch_gate *g, struct tch_findings *f,
                    const struct tch_gate_bench *b, const struct tch_result *r, tacho_error *err)
{
    size_t at = 0;
    bool more = true;
    int status = 0;

    while (more && status == 0) {
        struct tch_metric had;
        struct tch_metric q;

        more = tch_result_next_metric(r, &at, &had);
        for (size_t i = 0; i < b->bench->budget_count && status == 0; i++) {
            const struct tch_named_budget *budget = &b->bench->budgets[i];

            if (!tch_result_metric(r, budget->name, &q)) {
                if (!more)
                    tch_findings_unjudged(f, b->bench->name, budget->name,
                                          "%s: %s was not measured, so it is not judged",
                                          b->bench->name, budget->name);
            } else if (more ? strcmp(had.name, q.name) == 0 : !is_measured(r, q.name))
                status = add_kept_budget(g, f, b, r, budget, &q, err);
        }
    }
    return status;
}

/* Names the imported metrics of one side that the other lacks. */
static void note_imported(struct tch_findings *f, const struct tch_gate_bench *b,
                          const struct tch_result *of, const struct tch_result *other,
                          const char *what)
{
    for (size_t i = TCH_FIELDS; i < of->column_count; i++)
        if (of->columns[i].metric.asked && tch_result_asked(other, of->columns[i].metric.name) < 0)
            tch_findings_note(f, "%s: '%s' is %s", b->bench->name, of->columns[i].metric.name,
                              what);
}

/* Compares the two sides of a bench. What `import` found has one budget. */
static int add_compared(struct tch_findings *f, const struct tch_gate_bench *b,
                        const struct tch_result *before, const struct tch_result *own,
                        tacho_error *err)
{
    struct tch_named_budget budgets[TCH_BUDGETS_MOST + 1];
    size_t count = b->bench->budget_count;

    memcpy(budgets, b->bench->budgets, count * sizeof *budgets);
    if (b->bench->plan.import) {
        budgets[count++] = b->bench->imported;
        note_imported(f, b, own, before, "new: the commit before does not have it");
        note_imported(f, b, before, own, "missing: only the commit before has it");
    }
    return tch_compare_runs(f, b->bench->name, before, own, budgets, count, false, &b->analyses,
                            err);
}

int tch_gate_add_rows(const struct tch_gate *g, struct tch_findings *f,
                      const struct tch_gate_bench *b, const struct tch_result *before,
                      const struct tch_result *own, tacho_error *err)
{
    return b->plan.command_count > 1 ? add_compared(f, b, before, own, err)
                                     : add_kept(g, f, b, own, err);
}

/* --- Deciding which benches need more runs --- */

/* Sets whether a bench is settled. A FAIL settles it, because it remains at every later analysis.
   Fresh runs decide about a suspect, so it needs no further analysis. A row that no number of runs
   can decide needs no more runs. */
static void update_settled(struct tch_gate *g, struct tch_gate_bench *b)
{
    bool open = false;
    bool failed = false;

    for (size_t i = 0; i < b->row_count; i++) {
        const struct tch_verdict_row *row = &g->findings.rows[b->first_row + i];

        open |= (row->verdict == TCH_INCONCLUSIVE || row->verdict == TCH_WARN) &&
                !row->runs_useless && !tch_gate_is_suspect(g, row);
        failed |= row->verdict == TCH_FAIL;
    }
    b->settled = failed || !open || tch_analyses_last(&b->analyses);
}

/* Records the share of the planned runs that this analysis has seen. */
static void count_analysis(const struct tch_gate *g, struct tch_gate_bench *b)
{
    double share = (double)tch_gate_runs_made(b) / (double)b->bench->plan.max_runs;

    b->analyses.at = g->analysis < TCH_ANALYSES_MAX ? g->analysis : TCH_ANALYSES_MAX - 1;
    b->analyses.share[b->analyses.at] = fmin(1, share);
}

/* Replaces PASS if only some of the runs reported the metric: the others may have done nothing. */
static void doubt_missing(struct tch_gate *g, const struct tch_gate_bench *b)
{
    size_t made = b->failed ? 0 : tch_result_units(tch_gate_result(b));

    for (size_t i = b->first_row; i < b->first_row + b->row_count; i++) {
        struct tch_verdict_row *r = &g->findings.rows[i];

        if (r->verdict != TCH_PASS || r->b_count >= made ||
            g->findings.about[i].metric.source == TCH_FROM_COUNTS)
            continue;
        r->verdict = TCH_INCONCLUSIVE;
        snprintf(r->why, sizeof r->why, "%zu of %zu runs did not report it", made - r->b_count,
                 made);
    }
    g->findings.verdict = tch_judge_worst(g->findings.rows, g->findings.count);
}

static int judge_all(struct tch_gate *g, tacho_error *err)
{
    size_t notes;
    int status = 0;

    tch_findings_clear_rows(&g->findings);
    notes = g->findings.note_count;
    for (size_t i = 0; i < g->count && status == 0; i++) {
        struct tch_gate_bench *b = &g->benches[i];

        b->first_row = g->findings.count;
        b->row_count = 0;
        if (b->failed)
            continue;
        status =
            tch_gate_add_rows(g, &g->findings, b, &b->run.items[0].result, tch_gate_result(b), err);
        b->row_count = g->findings.count - b->first_row;
    }
    tch_findings_bind_notes(&g->findings, notes);
    if (status == 0)
        status = tch_findings_judge(&g->findings, g->settings->alpha, err);
    for (size_t i = 0; i < g->count && status == 0; i++) {
        tch_gate_name_deciding(&g->findings, &g->benches[i]);
        doubt_missing(g, &g->benches[i]);
    }
    for (size_t i = 0; i < g->count && status == 0; i++)
        if (!g->benches[i].settled)
            update_settled(g, &g->benches[i]);
    return status;
}

/* Returns whether the program is of another commit than the reference, or of changed files. */
static bool has_moved(const struct tch_gate_bench *b)
{
    const struct tch_occasion *reference = tch_baseline_find(&b->baseline, "reference");
    const struct tch_result *own = tch_gate_result(b);

    return reference &&
           (!own->commit[0] || own->vcs.dirty == 1 || strcmp(own->commit, reference->commit) != 0);
}

static void note_layouts(struct tch_gate *g, const struct tch_gate_bench *b)
{
    bool against = b->plan.command_count > 1;
    const struct tch_result *own = tch_gate_result(b);

    if (against || tch_result_by_layout(own) || (b->has_baseline && has_moved(b)))
        tch_compare_note_layouts(&g->findings, b->bench->name,
                                 against ? &b->run.items[0].result : NULL, own, b->first_row,
                                 b->row_count,
                                 "'layouts: {count: 10, relink: LINE}' of the bench in "
                                 "tacho.yaml");
}

/* Adds notes about the cost of recording and about layouts, once all runs are made. */
static void add_notes(struct tch_gate *g)
{
    for (size_t i = 0; i < g->count; i++) {
        struct tch_gate_bench *b = &g->benches[i];
        struct tch_run_item *item;

        if (b->failed)
            continue;
        item = &b->run.items[b->plan.command_count - 1];
        tch_recorded_set_costs(&item->recorded, &item->result, item->folder.path);
        tch_compare_note_recording(&g->findings, b->bench->name, &item->result);
        note_layouts(g, b);
    }
}

int tch_gate_run(struct tch_gate *g, const struct tch_gate_watch *watch, tacho_error *err)
{
    bool open;
    int status;

    do {
        for (size_t i = 0; i < g->count; i++) {
            if (g->benches[i].settled)
                continue;
            status = tch_gate_measure(g, &g->benches[i], watch, err);
            if (status < 0 || g->interrupted)
                return status < 0 || g->how.measure_only ? status : tch_gate_confirm(g, watch, err);
            count_analysis(g, &g->benches[i]);
        }
        g->analysis++;
        if (g->how.measure_only)
            return 0;
        status = judge_all(g, err);
        open = false;
        for (size_t i = 0; i < g->count; i++)
            open |= !g->benches[i].settled;
    } while (status == 0 && open);
    if (status == 0)
        status = tch_gate_confirm(g, watch, err);
    if (status == 0)
        add_notes(g);
    return status;
}
