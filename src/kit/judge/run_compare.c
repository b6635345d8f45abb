/* Compares two runs, quantity by quantity. */
#include "run_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "calibration.h"
#include "kit/result/costs.h"
#include "kit/stats/order_stats.h"

const struct tch_budget tch_budget_default = {
    .tolerance = NAN, .min_effect = 0.02, .max = NAN, .quantile = 0.5};

double tch_budget_least_effect(const struct tch_budget *budget)
{
    return budget->tolerance > 0 ? fmin(budget->tolerance, tch_budget_default.min_effect)
                                 : tch_budget_default.min_effect;
}

int tch_budget_check(const struct tch_named_budget *budget, const struct tch_metric *q,
                     const char *direct, tacho_error *err)
{
    char room[TCH_STATISTIC_TEXT];
    bool undirected = budget->budget.equivalent && isnan(budget->budget.max);

    if (q->better == TCH_BETTER_UNKNOWN && !budget->directed && !undirected)
        return tch_fail(err, TACHO_EINVAL, 0, "it is not known whether more of '%s' is better; %s",
                        q->name, direct);
    if (budget->budget.quantile != 0.5 && !q->several && !isnan(budget->budget.tolerance))
        return tch_fail(err, TACHO_EINVAL, 0,
                        "'%s' has one value per run: its %s can have a max, but no tolerance",
                        q->name, tch_statistic_name(budget->budget.quantile, room));
    return 0;
}

static const struct tch_named_budget *
budget_of(const struct tch_metric *q, const struct tch_named_budget *budgets, size_t count)
{
    const struct tch_named_budget *common = NULL;

    for (size_t i = 0; i < count; i++) {
        const char *name = budgets[i].name;
        struct tch_metric named;

        if (!name)
            common = q->gated && (!budgets[i].imported || q->asked) ? &budgets[i] : common;
        else if (strcmp(name, q->name) == 0 ||
                 (tch_metric_find(name, &named) && strcmp(named.name, q->name) == 0))
            return &budgets[i];
    }
    return common;
}

int tch_compare_max(struct tch_findings *f, const char *bench, const struct tch_result *b,
                    const struct tch_metric *q, const struct tch_named_budget *budget,
                    const struct tch_analyses *analyses, tacho_error *err)
{
    struct tch_about about = {.bench = bench,
                              .metric = *q,
                              .budget = budget->budget,
                              .ask = TCH_ASK_MAX,
                              .required = budget->required,
                              .analyses = analyses};
    struct tch_series y;
    int status;

    if (isnan(budget->budget.max))
        return 0;
    if (!budget->directed)
        about.budget.higher = q->better == TCH_BETTER_HIGHER;
    /* With several values per run, the quantile is taken within each run and the median over the
       runs. */
    about.budget.quantile = q->several ? 0.5 : budget->budget.quantile;
    if (q->source == TCH_FROM_COUNTS)
        (void)tch_compare_count(f, &about, NULL, b);
    status = tch_series_of(b, q, budget->budget.quantile, &y, err);
    if (status == 0)
        status = tch_findings_add(f, &about, NULL, &y, err);
    tch_series_release(&y);
    return status;
}

void tch_compare_note_recording(struct tch_findings *f, const char *bench,
                                const struct tch_result *r)
{
    double *wall = malloc((r->run_count + 1) * sizeof *wall);
    size_t n = wall ? tch_result_field(r, TCH_WALL, wall) : 0;
    struct tch_buf text;

    tch_buf_init(&text, 1024);
    if (n > 0)
        tch_costs_describe(&text, &r->costs, tch_median(wall, n));
    if (text.len > 0)
        tch_findings_note(f, "%s%srecording: %s", bench, bench[0] ? ": " : "", text.data);
    f->lost |= !wall || text.failed;
    tch_buf_release(&text);
    free(wall);
}

static bool all_zero(const struct tch_series *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->value[i] != 0)
            return false;
    return true;
}

/* Sets the session spread of a row: assumed for values of this size, or known from calibrations. */
static int find_spread(const struct tch_findings *f, const struct tch_result *a,
                       const struct tch_series *x, const struct tch_result *b,
                       struct tch_about *about, tacho_error *err)
{
    double *values = calloc(x->count + 1, sizeof *values);

    if (!values)
        return tch_fail_memory(err);
    if (x->count > 0)
        memcpy(values, x->value, x->count * sizeof *values);
    about->spread = about->metric.spread;
    if (x->count > 0 && !a->imported.format) /* another tool may not have timed a whole process */
        about->spread =
            tch_metric_spread(&about->metric, tch_median(values, x->count), a->environment);
    free(values);
    if (f->calibration)
        about->spread =
            tch_sessions_spread(NULL, f->calibration, b->command.line, about->metric.name,
                                about->budget.quantile, about->spread, NULL);
    return 0;
}

/* Adds the row of a quantity that both runs have. Leaves out quantities that have no budget and are
   0 everywhere. */
static int add_quantity(struct tch_findings *f, const char *bench, const struct tch_result *a,
                        const struct tch_metric *qa, const struct tch_result *b,
                        const struct tch_metric *qb, const struct tch_named_budget *budget,
                        size_t coins, const struct tch_analyses *analyses, tacho_error *err)
{
    bool ask = budget && !isnan(budget->budget.tolerance);
    struct tch_about about = {
        .bench = bench,
        .metric = *qb,
        .budget = budget ? budget->budget : tch_budget_default,
        .ask = ask ? TCH_ASK_RATIO : TCH_ASK_NOTHING,
        .required = budget && budget->required,
        .paired = tch_results_paired(a, b),
        .coins = coins,
        .analyses = analyses,
    };
    struct tch_series x = {0};
    struct tch_series y = {0};
    int status;

    if (!budget || !budget->directed)
        about.budget.higher = qb->better == TCH_BETTER_HIGHER;
    if (qb->several && about.budget.quantile == 0.5)
        about.budget.quantile = f->quantile;
    if (qb->source == TCH_FROM_COUNTS &&
        !tch_compare_count(f, &about, &a->counts.of[qa->number], b))
        return 0;
    status = tch_series_of(a, qa, about.budget.quantile, &x, err);
    if (status == 0)
        status = tch_series_of(b, qb, about.budget.quantile, &y, err);
    if (status == 0)
        status = find_spread(f, a, &x, b, &about, err);
    if (status == 0 && ask && x.count == 0 && y.count > 0) {
        tch_findings_note(
            f, "%s%s%s is new: no earlier run has it, so there is nothing to compare with", bench,
            bench[0] ? ": " : "", qb->title);
        about.ask = TCH_ASK_NOTHING;
        about.instead = "new";
        about.paired = false;
        status = tch_findings_add(f, &about, NULL, &y, err);
    } else if (status == 0 && (ask || !all_zero(&x) || !all_zero(&y)) && (ask || x.count > 0)) {
        status = tch_findings_add(f, &about, &x, &y, err);
    }
    tch_series_release(&x);
    tch_series_release(&y);
    return status;
}

/* Adds a row or a note for a budget whose quantity was not measured. */
static int add_missing(struct tch_findings *f, const char *bench, const struct tch_result *b,
                       const struct tch_named_budget *budget, tacho_error *err)
{
    struct tch_about about = {.bench = bench,
                              .budget = budget->budget,
                              .ask = TCH_ASK_RATIO,
                              .required = budget->required};
    struct tch_series none = {0};
    char whole[TCH_METRIC_TEXT];
    bool recorded = !bench[0] && tch_metric_name_complete(budget->name, whole);

    if (!tch_result_metric(b, budget->name, &about.metric))
        return tch_fail(err, TACHO_EINVAL, 0, "there is no metric '%.60s'", budget->name);
    if (about.metric.source == TCH_FROM_COUNTS && !budget->required) {
        tch_compare_count_missing(f, bench, &about.metric, b);
        return 0;
    }
    if (!budget->required) {
        tch_findings_unjudged(f, bench, about.metric.title,
                              "%s%s%s was not measured, so it is not judged%s%s", bench,
                              bench[0] ? ": " : "", about.metric.title,
                              recorded ? "; if the runs recorded it, add --metric " : "",
                              recorded ? budget->name : "");
        return 0;
    }
    return tch_findings_add(f, &about, NULL, &none, err);
}

/* Refuses a quantile that is not recorded, or that no metric has. */
static int refuse_quantile(double quantile, bool recorded, tacho_error *err)
{
    char room[TCH_STATISTIC_TEXT];
    const char *name = tch_statistic_name(quantile, room);

    if (recorded)
        return tch_fail(err, TACHO_EINVAL, 0,
                        "%s is not known: of the latencies and stages that a program records only "
                        "the quantiles 50, 95 and 99 of each run are kept",
                        name);
    return tch_fail(err, TACHO_EINVAL, 0,
                    "no metric of both runs has several values per run to compute %s of; collect "
                    "one with 'tacho run --metric all:NAME=REGEX', or record latencies",
                    name);
}

/* Notes the metrics for which the report's quantile is not known, or is only the largest or
   smallest value. */
static void note_quantile(struct tch_findings *f, const struct tch_result *a,
                          const struct tch_metric *qa, const struct tch_result *b,
                          const struct tch_metric *qb)
{
    char room[TCH_STATISTIC_TEXT];
    const char *name = tch_statistic_name(f->quantile, room);

    if (!tch_metric_has_quantile(qb, f->quantile))
        tch_findings_note(f,
                          "%s of latencies and stages is not compared: of what a program records "
                          "only the quantiles 50, 95 and 99 of each run are kept",
                          name);
    else if (f->quantile != 0.5 && (tch_series_is_extreme(a, qa, f->quantile) ||
                                    tch_series_is_extreme(b, qb, f->quantile)))
        tch_findings_note(f, "some runs have so few values of %s that %s is the %s of them",
                          qb->name, name, f->quantile > 0.5 ? "largest" : "smallest");
}

static int check_budget(const struct tch_findings *f, const struct tch_named_budget *budget,
                        const struct tch_metric *m, bool known, tacho_error *err)
{
    if (!known)
        return refuse_quantile(f->quantile, true, err);
    if (!budget->name)
        return 0; /* a budget for all metrics that have a direction */
    return tch_budget_check(
        budget, m, "set its 'direction' in tacho.yaml, or --higher-is-better or --lower-is-better",
        err);
}

/* Adds the budgets of metrics that no row from `from` on judges, because the runs lack them. */
static int add_all_missing(struct tch_findings *f, const char *bench, const struct tch_result *b,
                           const struct tch_named_budget *budgets, size_t count, size_t from,
                           tacho_error *err)
{
    struct tch_metric m;
    int status = 0;

    for (size_t i = 0; i < count && status == 0; i++)
        if (budgets[i].name && !(tch_result_metric(b, budgets[i].name, &m) &&
                                 (tch_findings_has(f, from, m.name) || tch_counted(b, &m))))
            status = add_missing(f, bench, b, &budgets[i], err);
    return status;
}

int tch_compare_runs(struct tch_findings *f, const char *bench, const struct tch_result *a,
                     const struct tch_result *b, const struct tch_named_budget *budgets,
                     size_t count, bool with_all, const struct tch_analyses *analyses,
                     tacho_error *err)
{
    struct tch_metric qb;
    size_t from = f->count;
    size_t at = 0;
    bool taken = f->quantile == 0.5;
    bool unknown = false;
    int status;

    while (tch_result_next_metric(b, &at, &qb)) {
        const struct tch_named_budget *budget = budget_of(&qb, budgets, count);
        struct tch_metric qa;
        bool known = tch_metric_has_quantile(&qb, f->quantile);

        if (!tch_result_metric_like(a, &qb, &qa)) {
            if (budget && qb.source == TCH_FROM_COUNTS)
                tch_findings_unjudged(f, bench, budget->name ? qb.title : NULL,
                                      "%s%s%s cannot be compared: the run before did not count",
                                      bench, bench[0] ? ": " : "", qb.title);
            continue;
        }
        if (!budget && !with_all)
            continue;
        taken |= qb.several && known;
        unknown |= !known;
        note_quantile(f, a, &qa, b, &qb);
        if (budget) {
            status = check_budget(f, budget, &qb, known, err);
            if (status < 0)
                return status;
        }
        if (known) {
            status = add_quantity(f, bench, a, &qa, b, &qb, budget, from + 1, analyses, err);
            if (status < 0)
                return status;
        }
        status = budget ? tch_compare_max(f, bench, b, &qb, budget, analyses, err) : 0;
        if (status < 0)
            return status;
    }
    return taken ? add_all_missing(f, bench, b, budgets, count, from, err)
                 : refuse_quantile(f->quantile, unknown, err);
}
