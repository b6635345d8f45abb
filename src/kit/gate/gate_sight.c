/* Uses calibrations in the gate: which tolerances are too small, and how much sessions differ. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "gate_loop.h"

int tch_gate_read_calibration(struct tch_gate *g, struct tch_gate_bench *b, tacho_error *err)
{
    const char *bench = b->bench->name;
    char dir[PATH_MAX];
    char path[PATH_MAX];
    tacho_error why = {0};
    int status;

    if (strcmp(g->machine_class, "unknown") == 0 ||
        snprintf(dir, sizeof dir, "%s/" TCH_CALIBRATIONS, g->how.root) >= (int)sizeof dir ||
        tch_baseline_path(path, dir, bench, g->machine_class, NULL) < 0)
        return 0; /* such a path cannot contain a calibration */
    status = tch_calibration_read(&b->calibration, path, bench, g->machine_class, &why);
    if (status == TACHO_ENOMEM)
        return tch_fail_memory(err);
    if (status < 0 && why.system_errno != ENOENT)
        tch_findings_note(&g->findings, "the calibration '%.150s' is not used: %.200s", path,
                          why.message);
    else if (status == 0 && !tch_calibration_latest(&b->calibration, b->bench->line))
        tch_findings_note(&g->findings,
                          "%s: its calibration is of another command, so it is not used; 'tacho "
                          "calibrate --bench %s' makes a new one",
                          bench, bench);
    if (status < 0)
        tch_calibration_release(&b->calibration);
    return 0;
}

/* Returns the session spread that is assumed for values of the size that the baseline has. */
static double assumed_spread(const struct tch_gate_bench *b, const struct tch_metric *q,
                             const struct tch_budget *budget)
{
    const struct tch_occasion *reference = tch_baseline_find(&b->baseline, "reference");
    const struct tch_kept *kept =
        reference ? tch_occasion_values(reference, q->name, budget->quantile) : NULL;

    return kept ? tch_metric_spread(q, tch_kept_median(kept), reference->environment) : q->spread;
}

size_t tch_gate_occasions(const struct tch_gate_bench *b, const struct tch_metric *q,
                          const struct tch_budget *budget)
{
    size_t occasions = 0;

    (void)tch_sessions_spread(&b->baseline, &b->calibration, b->bench->line, q->name,
                              budget->quantile, q->spread, &occasions);
    return occasions;
}

double tch_gate_session_spread(const struct tch_gate *g, const struct tch_gate_bench *b,
                               const struct tch_metric *q, const struct tch_budget *budget)
{
    return isnan(g->how.session_spread)
               ? tch_sessions_spread(&b->baseline, &b->calibration, b->bench->line, q->name,
                                     budget->quantile, assumed_spread(b, q, budget), NULL)
               : g->how.session_spread;
}

double tch_gate_obvious(const struct tch_gate *g, const struct tch_gate_bench *b,
                        const struct tch_metric *q, const struct tch_budget *budget)
{
    bool measured = tch_gate_occasions(b, q, budget) >= TCH_SPREAD_DAYS;

    return measured || !isnan(g->how.session_spread) ? 0 : g->settings->obvious;
}

void tch_gate_name_deciding(struct tch_findings *f, const struct tch_gate_bench *b)
{
    const struct tch_occasion *reference =
        b->has_baseline ? tch_baseline_find(&b->baseline, "reference") : NULL;
    char decides[120] = "save baselines on other days, or interleave: tacho gate --against REF";

    if (reference && reference->commit[0] && !reference->dirty)
        snprintf(decides, sizeof decides, "tacho gate --against %.12s --exact -b %.60s decides",
                 reference->commit, b->bench->name);
    for (size_t i = b->first_row; i < b->first_row + b->row_count; i++)
        if (f->rows[i].doubtful)
            snprintf(f->rows[i].why, sizeof f->rows[i].why,
                     "no FAIL, as sessions were measured on fewer than %d days and may differ as "
                     "much; %s",
                     TCH_SPREAD_DAYS, decides);
}

/* --- Tolerances that are too small --- */

/* Tolerances that cannot PASS with nothing changed, however many runs are made, because the
   baseline is of another session. */
struct blind {
    size_t count;
    const char *bench; /* bench of the first such tolerance */
    char title[TCH_METRIC_TEXT];
    double tolerance;
    double spread; /* session spread */
    double reach;  /* reach of the interval, from tch_session_reach() */
};

/* Counts a tolerance that is smaller than the session term, and describes the first. */
static void find_blind_of(const struct tch_gate *g, const struct tch_gate_bench *b,
                          const struct tch_named_budget *named, struct blind *ret)
{
    struct tch_budget budget = named->budget;
    struct tch_metric q;
    double spread;
    double reach;

    if (isnan(budget.tolerance) || !tch_result_metric(tch_gate_result(b), named->name, &q) ||
        q.source == TCH_FROM_COUNTS ||
        !tch_occasion_values(tch_baseline_find(&b->baseline, "reference"), q.name, budget.quantile))
        return;
    if (!named->directed)
        budget.higher = q.better == TCH_BETTER_HIGHER;
    spread = tch_gate_session_spread(g, b, &q, &budget);
    reach = tch_session_reach(&budget, spread, g->settings->alpha);
    if (reach <= fmax(budget.tolerance, budget.min_effect) || ret->count++ > 0)
        return;
    ret->bench = b->bench->name;
    ret->tolerance = budget.tolerance;
    ret->spread = spread;
    ret->reach = reach;
    memcpy(ret->title, q.title, sizeof ret->title);
}

static void find_blind(const struct tch_gate *g, struct blind *ret)
{
    *ret = (struct blind){0};
    for (size_t i = 0; i < g->count; i++) {
        const struct tch_gate_bench *b = &g->benches[i];

        for (size_t k = 0; b->has_baseline && !b->failed && k < b->bench->budget_count; k++)
            find_blind_of(g, b, &b->bench->budgets[k], ret);
    }
}

/* Finds the tolerances of benches against another commit that are smaller than the smallest
   visible change of their calibrations. */
static void find_unseen(const struct tch_gate *g, struct tch_unseen *ret)
{
    *ret = (struct tch_unseen){0};
    for (size_t i = 0; i < g->count; i++) {
        const struct tch_gate_bench *b = &g->benches[i];
        const struct tch_calibration_occasion *o =
            tch_calibration_latest(&b->calibration, b->bench->line);

        for (size_t k = 0;
             o && b->plan.command_count > 1 && !b->failed && k < b->bench->budget_count; k++) {
            const struct tch_named_budget *named = &b->bench->budgets[k];
            struct tch_metric q;

            if (!isnan(named->budget.tolerance) &&
                tch_result_metric(tch_gate_result(b), named->name, &q))
                tch_unseen_add(ret, o, b->bench->name, &q, &named->budget, b->bench->plan.max_runs);
        }
    }
}

static void warn_of_blind(const struct tch_gate *g, const struct tch_gate_watch *watch)
{
    struct blind blind;
    char more[40] = "";
    char text[800];

    find_blind(g, &blind);
    if (blind.count == 0)
        return;
    if (blind.count > 1)
        snprintf(more, sizeof more, " (and %zu more)", blind.count - 1);
    snprintf(
        text, sizeof text,
        "%.100s: a tolerance of %.3g %% for %s%s cannot PASS if nothing changed: against a "
        "baseline the interval is at least +-%.2g %%, however many runs are made, as sessions are "
        "assumed to differ by %.2g %% (--session-spread); set a tolerance above "
        "that in tacho.yaml, or interleave both sides: " TCH_GATE_INTERLEAVE,
        blind.bench, 100 * blind.tolerance, blind.title, more, 100 * blind.reach,
        100 * blind.spread);
    watch->warn(watch->ctx, text);
}

void tch_gate_warn_of_sight(const struct tch_gate *g, const struct tch_gate_watch *watch)
{
    struct tch_unseen unseen;
    char text[TCH_UNSEEN_TEXT];

    warn_of_blind(g, watch);
    find_unseen(g, &unseen);
    if (unseen.count == 0)
        return;
    tch_unseen_describe(&unseen, "--max-runs", text);
    watch->warn(watch->ctx, text);
}
