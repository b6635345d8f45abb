/*
 * Decides the verdicts of verdict_rule.h. kit/result/series.c provides the values, verdict_family.c
 * corrects the p-values.
 *
 * A tolerance is judged by the sign flips of kit/stats/flip.h (Fisher 1935, Pitman 1937), which
 * assume that a coin decided the order of each pair. Runs that were not interleaved are judged with
 * the session term of kit/stats/session.h, which assumes how much sessions differ. verdict_max.c
 * judges maxima, verdict_zeros.c values of 0, verdict_equivalent.c asks in both directions.
 */
#include "verdict_rule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "kit/stats/dependence.h"
#include "kit/stats/plan.h"
#include "kit/stats/rank_test.h"
#include "kit/stats/session.h"

/* Shared by all rows of a report. */
struct report {
    double alpha;
    double lag1;   /* mean correlation of neighbouring runs, over all rows that are not paired */
    size_t family; /* number of groups of rows whose p-values are corrected together */
    const struct tch_analyses *analyses; /* analyses that analysis_alpha belongs to */
    double analysis_alpha;
};

/* A smaller difference of ratios is rounding. */
static const double ulps = 1e-12;

static double median_of(const double *x, size_t n, double *room)
{
    if (n == 0)
        return NAN;
    memcpy(room, x, n * sizeof *x);
    return tch_median(room, n);
}

bool tch_all_positive(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(x[i] > 0 && x[i] < INFINITY))
            return false;
    return true;
}

/* Thins many pairs: keeps evenly spaced ratios, each against 1. */
static size_t thin_pairs(double *x, double *y, size_t n)
{
    if (n <= TCH_JUDGE_EXACT)
        return n;
    for (size_t i = 0; i < n; i++)
        y[i] /= x[i];
    n = tch_thin(y, n, TCH_JUDGE_EXACT);
    for (size_t i = 0; i < n; i++)
        x[i] = 1;
    return n;
}

/* --- Ratios: here above 1 always means worse, whichever direction is better --- */

double tch_row_bound(const struct tch_verdict_row *row)
{
    return row->ask == TCH_ASK_RATIO ? tch_budget_worse(&row->budget, row->budget.tolerance) : 1;
}

/* Returns 1 - confidence of the interval at this analysis, such that all analyses together keep
   alpha. */
static double analysis_alpha(struct report *report, const struct tch_analyses *analyses)
{
    if (!analyses || (analyses->at == 0 && tch_analyses_last(analyses)))
        return report->alpha;
    if (analyses != report->analyses)
        report->analysis_alpha =
            2 * tch_spending_level(analyses->share, analyses->at, report->alpha / 2);
    report->analyses = analyses;
    return report->analysis_alpha;
}

/* Compares the values. x and y: from the better to the worse side, thinned. */
static int compare_values(const struct tch_verdict_row *row, struct report *report, double *x,
                          size_t m, double *y, size_t n, struct tch_ratio *ret, tacho_error *err)
{
    double bound = tch_row_bound(row);
    int status;

    if (row->paired)
        return tch_ratio_paired(x, y, n, analysis_alpha(report, row->analyses), bound, ret, err);
    status = tch_ratio_unpaired(x, m, y, n, 0.05, bound, ret, err);
    if (status == 0)
        tch_session_widen(ret, row->rho, row->spread, analysis_alpha(report, row->analyses), bound);
    return status;
}

/* Measures dependence and trend of the runs of a row that is not paired, in the order in which they
   were made. A burst that disturbs most runs of one side shows in that side alone. room: twice as
   many doubles as either side has runs. */
static void see_session(struct tch_verdict_row *row, struct report *report, double *room)
{
    size_t n = row->a_count < row->b_count ? row->a_count : row->b_count;

    if (row->paired || row->ask == TCH_ASK_MAX || n < 4)
        return;
    row->rho = tch_session_rho(report->lag1, n);
    row->side_rho = fmax(tch_dependence(row->a, row->a_count, room),
                         tch_dependence(row->b, row->b_count, room));
    row->trend = tch_session_trend(row->a, row->a_count, row->b, row->b_count);
    if (row->budget.higher)
        row->trend = -row->trend;
}

struct tch_ratio tch_ratio_inverse(const struct tch_ratio *r)
{
    struct tch_ratio t = *r;

    t.estimate = 1 / r->estimate;
    t.low = r->high < INFINITY ? 1 / r->high : 0;
    t.high = r->low > 0 ? 1 / r->low : INFINITY;
    t.least = 1 / r->most;
    t.most = 1 / r->least;
    t.effect = 1 - r->effect;
    t.p_above = r->p_below;
    t.p_below = r->p_above;
    return t;
}

static void too_few(struct tch_verdict_row *row, struct report *report)
{
    bool is_max = row->ask == TCH_ASK_MAX;

    row->verdict = TCH_INCONCLUSIVE;
    row->advised = tch_judge_least_runs(row->paired, report->alpha, report->family);
    if (is_max || row->paired)
        snprintf(row->why, sizeof row->why, "too few runs%s", is_max ? "" : " for an interval");
    else
        snprintf(row->why, sizeof row->why, "too few runs for an interval: A has %zu, B has %zu",
                 row->a_count, row->b_count);
}

/* Returns why a row of runs that were not interleaved cannot be called worse, or NULL if it can. */
static const char *refusal(const struct tch_verdict_row *row)
{
    if (row->paired)
        return NULL;
    return row->rho >= TCH_SESSION_DEPENDENT ? "neighbouring runs depend on each other"
           : row->side_rho >= TCH_SESSION_DEPENDENT
               ? "neighbouring runs of one side depend on each other"
           : row->trend < TCH_SESSION_TREND ? NULL
           : row->budget.equivalent         ? "the values drifted during the measurement"
                                            : "the runs got worse and worse during the measurement";
}

/* Turns a FAIL into WARN if the machine may be the cause: nobody measured how much sessions
   differ. */
static void doubt_session(struct tch_verdict_row *row, const struct tch_ratio *worse)
{
    if (row->verdict != TCH_FAIL || row->paired || worse->estimate >= row->obvious * (1 - ulps))
        return;
    row->verdict = TCH_WARN;
    row->doubtful = true;
    row->runs_useless = true;
    snprintf(row->why, sizeof row->why,
             "beyond the tolerance, but perhaps due to the machine: how much sessions differ is "
             "assumed, not measured");
}

/* Sets the verdict "worse than the bound". share: the tolerance, or 0. */
static void say_worse(struct tch_verdict_row *row, enum tch_verdict verdict, double share)
{
    bool refused = refusal(row) != NULL;
    double medians =
        row->budget.higher ? row->a_median / row->b_median : row->b_median / row->a_median;

    row->verdict = refused ? TCH_INCONCLUSIVE : verdict;
    share = fmax(share, row->budget.min_effect); /* a smaller change does not matter */
    if (row->paired && medians < tch_budget_worse(&row->budget, share) * (1 - ulps))
        snprintf(row->why, sizeof row->why, "the middle runs are alike, the %s runs of B are %s",
                 row->budget.higher ? "low" : "slow", row->budget.higher ? "lower" : "slower");
}

/* Returns whether more runs are useless. That is so if the session term alone is wider than the
   tolerance, and every estimate within two standard errors of this one would leave the verdict as
   it is even without noise. */
static bool runs_are_useless(const struct tch_verdict_row *row, const struct tch_ratio *worse,
                             struct report *report)
{
    const struct tch_budget *budget = &row->budget;
    double share = fmax(budget->tolerance, budget->min_effect);
    double cut = tch_t4_cut(report->alpha / 2);
    double scale =
        log(worse->high / worse->low) / 2 / tch_t4_cut(analysis_alpha(report, row->analyses) / 2);
    double noise = 2 * sqrt(fmax(0, scale * scale - row->spread * row->spread));
    double d = log(worse->estimate);
    double bound = row->verdict == TCH_WARN ? tch_row_bound(row)
                                            : 1; /* bound of FAIL; otherwise that of WARN */

    return d - noise + row->spread * cut > log(tch_budget_worse(budget, share)) &&
           tch_t4_above((d + noise - log(bound)) / row->spread) > report->alpha;
}

/* Names the ratio of the medians, which are shown beside the change, if the two differ by more than
   is allowed. */
static void compare_medians(struct tch_verdict_row *row)
{
    const struct tch_budget *budget = &row->budget;
    double medians = row->b_median / row->a_median;
    double share = fmax(budget->tolerance, budget->min_effect);

    if (fabs(log(medians / row->ratio.estimate)) > log(tch_budget_worse(budget, share)) + ulps)
        snprintf(row->why, sizeof row->why,
                 "this is the change within pairs; the medians differ by %+.1f %%",
                 100 * (medians - 1));
}

/* Says that the minimum effect decided, if it is above the tolerance and the two would decide
   differently. */
static void name_bound(struct tch_verdict_row *row, const struct tch_ratio *worse,
                       struct report *report)
{
    const struct tch_budget *budget = &row->budget;
    bool beyond = worse->high > tch_row_bound(row) * (1 + ulps);

    if (budget->min_effect > budget->tolerance &&
        ((row->verdict == TCH_PASS && beyond) ||
         (row->verdict == TCH_INCONCLUSIVE && row->p_adjusted <= report->alpha)))
        snprintf(row->why, sizeof row->why,
                 "judged by the minimum effect of %.3g %%, which is above the tolerance",
                 100 * budget->min_effect);
}

/* Adds the remarks that a reader of the verdict on a ratio needs besides the numbers. */
static void explain(struct tch_verdict_row *row, const struct tch_ratio *worse,
                    struct report *report)
{
    const struct tch_budget *budget = &row->budget;
    double reach = tch_session_reach(budget, row->spread, report->alpha);
    bool open = row->verdict == TCH_INCONCLUSIVE || row->verdict == TCH_WARN;
    bool too_wide = !row->paired && open && worse->level > 0 &&
                    reach > fmax(budget->tolerance, budget->min_effect);

    if (row->doubtful)
        return;
    row->runs_useless = too_wide && runs_are_useless(row, worse, report);
    if (row->verdict == TCH_INCONCLUSIVE && refusal(row))
        snprintf(row->why, sizeof row->why, "%s; only interleaved runs can decide", refusal(row));
    else if (too_wide)
        snprintf(row->why, sizeof row->why,
                 "%s: without interleaving, the interval is at least +-%.2g %%",
                 row->runs_useless ? "more runs do not help"
                                   : "more runs cannot make it PASS if nothing changed",
                 100 * reach);
    else if (row->paired && !row->why[0])
        compare_medians(row);
    if (!row->why[0])
        name_bound(row, worse, report);
}

/* Decides the verdict on a worse-ratio. */
static void decide_ratio(struct tch_verdict_row *row, const struct tch_ratio *worse,
                         struct report *report)
{
    const struct tch_budget *budget = &row->budget;
    double effect = tch_budget_worse(budget, budget->min_effect) * (1 - ulps);
    double fine = tch_budget_worse(budget, fmax(budget->tolerance, budget->min_effect));
    size_t n = row->b_count < row->a_count ? row->b_count : row->a_count;
    bool can_fail =
        worse->p_least * (double)report->family <= analysis_alpha(report, row->analyses);

    if (worse->level == 0) {
        too_few(row, report);
    } else if (row->p_adjusted <= report->alpha && worse->estimate >= effect) {
        say_worse(row, TCH_FAIL, budget->tolerance);
        doubt_session(row, worse);
    } else if (worse->high <= fine * (1 + ulps)) {
        row->verdict = TCH_PASS;
    } else {
        row->verdict = TCH_INCONCLUSIVE;
        if (row->p_worse <= report->alpha && worse->estimate >= effect)
            say_worse(row, TCH_WARN, 0);
        if (!can_fail) {
            uint64_t least = tch_judge_least_runs(row->paired, report->alpha, report->family);

            snprintf(row->why, sizeof row->why, "%zu pairs cannot fail a report of %zu benches", n,
                     report->family);
            row->advised = least > row->advised ? least : row->advised;
        }
    }
    explain(row, worse, report);
    if (row->verdict != TCH_INCONCLUSIVE)
        row->advised = 0;
}

/* Plans the number of pairs with which the interval ends within the tolerance in nine of ten
   reports, if nothing changed. Ignores the estimate: it is the reason why the row is INCONCLUSIVE,
   so a plan from its distance to the bound would be too small. room: row->b_count doubles. */
static int advise_pairs(struct tch_verdict_row *row, const struct report *report, double *room,
                        tacho_error *err)
{
    const struct tch_budget *budget = &row->budget;
    double fine = tch_budget_worse(budget, fmax(budget->tolerance, budget->min_effect));
    struct tch_pilot pilot;
    uint64_t pairs;
    int status;

    if (!row->paired || row->ask != TCH_ASK_RATIO || row->b_count < 2 || fine <= 1)
        return 0;
    tch_row_differences(row, 1, room);
    status = tch_pilot_measure(room, row->b_count, &pilot, err);
    if (status < 0)
        return status;
    pairs = tch_plan_pairs(&pilot, fine - 1, 0.9, report->alpha / 2);
    row->advised = pairs > row->b_count ? pairs : 0;
    return 0;
}

static int ask_ratio(struct tch_verdict_row *row, struct report *report, double *x, size_t m,
                     double *y, size_t n, tacho_error *err)
{
    struct tch_ratio worse;
    bool swap = row->budget.higher;
    int status;

    see_session(row, report, y + row->b_count);
    status = swap ? compare_values(row, report, y, n, x, m, &worse, err)
                  : compare_values(row, report, x, m, y, n, &worse, err);
    if (status < 0)
        return status;
    row->has_ratio = true;
    if (worse.level > 0)
        worse.level = 1 - report->alpha; /* holds over all analyses */
    row->ratio = swap ? tch_ratio_inverse(&worse) : worse;
    row->p = row->ask == TCH_ASK_RATIO ? worse.p_above : worse.p;
    row->p_worse = worse.p_more;
    return advise_pairs(row, report, x, err);
}

/* --- All rows --- */

static int compare_row(struct tch_verdict_row *row, struct report *report, double *room,
                       tacho_error *err)
{
    double *x = room;
    double *y = room + row->a_count;
    size_t m = row->a_count;
    size_t n = row->b_count;

    row->advised = 0;
    row->doubtful = false;
    row->a_median = median_of(row->a, m, x);
    row->b_median = median_of(row->b, n, y);
    if (n == 0 || (row->ask != TCH_ASK_MAX && m == 0)) {
        row->p = row->p_worse = 1;
        return 0;
    }
    if (row->exact)
        return 0;
    memcpy(y, row->b, n * sizeof *y);
    if (row->ask == TCH_ASK_MAX) {
        tch_row_ask_max(row, analysis_alpha(report, row->analyses), y, n, y + n);
        return 0;
    }
    memcpy(x, row->a, m * sizeof *x);
    row->thinned = m > TCH_JUDGE_EXACT || n > TCH_JUDGE_EXACT;
    if (!tch_all_positive(x, m) || !tch_all_positive(y, n))
        return tch_row_ask_zeros(row, analysis_alpha(report, row->analyses), room, err);
    if (row->paired)
        m = n = thin_pairs(x, y, n);
    else
        m = tch_thin(x, m, TCH_JUDGE_EXACT), n = tch_thin(y, n, TCH_JUDGE_EXACT);
    return ask_ratio(row, report, x, m, y, n, err);
}

static void decide_row(struct tch_verdict_row *row, struct report *report)
{
    struct tch_ratio worse;

    if (row->b_count == 0 || (row->ask == TCH_ASK_RATIO && row->a_count == 0)) {
        too_few(row, report);
        return;
    }
    worse = row->budget.higher ? tch_ratio_inverse(&row->ratio) : row->ratio;
    if (row->ask == TCH_ASK_MAX)
        tch_row_decide_max(row, report->alpha, report->family);
    else if (row->has_ratio)
        decide_ratio(row, &worse, report);
    else
        tch_row_decide_zeros(row, report->alpha, analysis_alpha(report, row->analyses));
    if (row->ask == TCH_ASK_RATIO)
        tch_row_explain_zeros(row);
}

/* Returns the mean correlation of neighbouring runs, over both sides of all rows of two
   sessions. */
static double mean_lag1(const struct tch_verdict_row *rows, size_t count, double *room)
{
    double sum = 0;
    size_t series = 0;

    for (size_t i = 0; i < count; i++) {
        const struct tch_verdict_row *row = &rows[i];

        if (row->paired || row->exact || row->ask == TCH_ASK_MAX || row->a_count < 4 ||
            row->b_count < 4 || !tch_all_positive(row->a, row->a_count) ||
            !tch_all_positive(row->b, row->b_count))
            continue;
        sum += tch_session_lag1(row->a, row->a_count, room);
        sum += tch_session_lag1(row->b, row->b_count, room);
        series += 2;
    }
    return series > 0 ? sum / (double)series : 0;
}

int tch_judge_one_sided(struct tch_verdict_row *rows, size_t count, double alpha, tacho_error *err)
{
    struct report report = {.alpha = alpha};
    size_t most = 0;
    double *room;
    int status = 0;

    if (!(alpha > 0 && alpha < 1))
        return tch_fail(err, TACHO_EINVAL, 0, "alpha %g is not between 0 and 1", alpha);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].paired && rows[i].a_count != rows[i].b_count)
            return tch_fail(err, TACHO_EINVAL, 0, "pairs need as many values on both sides");
        if (rows[i].a_count + rows[i].b_count > most)
            most = rows[i].a_count + rows[i].b_count;
    }
    room = malloc((3 * most + 1) * sizeof *room);
    if (!room)
        return tch_fail_memory(err);
    report.lag1 = mean_lag1(rows, count, room);
    for (size_t i = 0; i < count && status == 0; i++) {
        status = compare_row(&rows[i], &report, room, err);
        rows[i].p_adjusted = rows[i].p;
    }
    if (status == 0)
        status = tch_family_adjust(rows, count, alpha, err);
    if (status < 0)
        goto out;
    report.family = status > 0 ? (size_t)status : 1;
    for (size_t i = 0; i < count; i++)
        if (rows[i].exact)
            tch_row_judge_exact(&rows[i]);
        else if (rows[i].ask != TCH_ASK_NOTHING)
            decide_row(&rows[i], &report);
        else
            tch_row_explain_zeros(&rows[i]);
    status = 0;
out:
    free(room);
    return status;
}
