/*
 * The rule of verdict_rule.h. quantity.c provides the values.
 *
 * A tolerance is judged by the rank tests and intervals of kit/stats/ratio.h, a maximum of a
 * quantile by the sign test: how many values are beyond it is binomial. All p-values of a report
 * are corrected together (Holm, 1979).
 */
#include "verdict_rule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "kit/stats/flip.h"
#include "kit/stats/order_stats.h"
#include "kit/stats/rank.h"

const char *const tch_verdict_names[] = {
    [TCH_NO_VERDICT] = "-", [TCH_PASS] = "PASS", [TCH_INCONCLUSIVE] = "INCONCLUSIVE",
    [TCH_WARN] = "WARN",    [TCH_FAIL] = "FAIL",
};

/* Shared by all rows of a report. */
struct report {
    double alpha;
    size_t family;
};

static double median_of(const double *x, size_t n, double *room)
{
    if (n == 0)
        return NAN;
    memcpy(room, x, n * sizeof *x);
    return tch_median(room, n);
}

static bool all_positive(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(x[i] > 0 && x[i] < INFINITY))
            return false;
    return true;
}

static bool all_same(const struct tch_verdict_row *row)
{
    for (size_t i = 0; i < row->a_count; i++)
        if (row->a[i] != row->b[0])
            return false;
    for (size_t i = 0; i < row->b_count; i++)
        if (row->b[i] != row->b[0])
            return false;
    return true;
}

/* Many pairs: their ratios, thinned, each against 1. */
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

/* How many runs in all would narrow an interval of n runs, from estimate to end, until it ends at
   bound: its width shrinks with the square root of n. 0: too many. */
static uint64_t runs_to_settle(size_t n, double estimate, double end, double bound)
{
    double have = fabs(log(end) - log(estimate));
    double want = fabs(log(bound) - log(estimate));
    double runs = ceil((double)n * (have / want) * (have / want));

    if (!(runs > (double)n))
        runs = (double)n + 1; /* it is the correction for many rows that is in the way */
    return runs <= TCH_SETTLE_MOST ? (uint64_t)runs : 0;
}

/* --- Ratios: everything here is about "worse": above 1 is bad, whichever way is better. --- */

/* Two occasions add a difference of their own. Half of alpha is for that, half for the runs:
   together they are at most alpha. */
static double widening(const struct tch_verdict_row *row, double tail)
{
    return row->spread > 0 ? row->spread * tch_normal_cut(tail) : 0;
}

static int compare_values(struct tch_verdict_row *row, const struct report *report, double *x,
                          size_t m, double *y, size_t n, struct tch_ratio *ret, tacho_error *err)
{
    double alpha = row->spread > 0 ? report->alpha / 2 : report->alpha;
    double tail = report->alpha / 2 / (double)report->family;
    double bound = row->ask == TCH_ASK_RATIO ? 1 + row->budget.tolerance : 1;
    double wide = exp(widening(row, report->alpha / 4));
    int status;

    bound *= exp(widening(row, tail));
    status = row->paired ? tch_ratio_paired(x, y, n, alpha, bound, ret, err)
                         : tch_ratio_unpaired(x, m, y, n, alpha, bound, ret, err);
    if (status < 0)
        return status;
    ret->low /= wide;
    ret->high *= wide;
    if (row->spread > 0) {
        ret->p_above = fmin(1, ret->p_above + tail);
        ret->p_least += tail;
    }
    return 0;
}

/* The worse-ratio as b / a, for people. */
static struct tch_ratio inverse_ratio(const struct tch_ratio *r)
{
    struct tch_ratio t = *r;

    t.estimate = 1 / r->estimate;
    t.low = r->high < INFINITY ? 1 / r->high : 0;
    t.high = r->low > 0 ? 1 / r->low : INFINITY;
    t.effect = 1 - r->effect;
    t.p_above = r->p_below;
    t.p_below = r->p_above;
    return t;
}

/* With a 0 among the values there is no ratio; the values themselves still tell whether b is above
   a times the bound. */
static int compare_zeros(struct tch_verdict_row *row, double *x, size_t m, double *y, size_t n,
                         struct tch_rank_tails *ret, tacho_error *err)
{
    double bound = row->ask == TCH_ASK_RATIO ? 1 + row->budget.tolerance : 1;
    struct tch_flip_tails flips;
    int status;

    for (size_t i = 0; i < m; i++)
        x[i] *= bound;
    if (!row->paired) {
        status = tch_rank_sum_test(x, m, y, n, NULL, ret, err);
    } else {
        for (size_t i = 0; i < n; i++)
            y[i] -= x[i];
        status = tch_flip_test(y, n, &flips, err);
        if (status == 0)
            *ret = (struct tch_rank_tails){flips.above, flips.below, flips.exact};
    }
    return status;
}

uint64_t tch_judge_least_runs(bool paired, double alpha, size_t family)
{
    uint64_t n = paired ? 6 : 4;
    double most = alpha / (double)(family > 0 ? family : 1);

    while (n < 1000 &&
           (paired ? tch_flip_least((size_t)n) : tch_rank_sum_least((size_t)n, (size_t)n)) > most)
        n++;
    return n;
}

static void too_few(struct tch_verdict_row *row, const struct report *report)
{
    bool is_max = row->ask == TCH_ASK_MAX;

    row->verdict = TCH_INCONCLUSIVE;
    row->settle = tch_judge_least_runs(row->paired, report->alpha, report->family);
    snprintf(row->why, sizeof row->why, "too few runs%s", is_max ? "" : " for an interval");
}

/* The verdict on a worse-ratio. */
static void decide_ratio(struct tch_verdict_row *row, const struct tch_ratio *worse,
                         const struct report *report)
{
    const struct tch_budget *budget = &row->budget;
    double effect = 1 + budget->min_effect;
    double fine = 1 + fmax(budget->tolerance, budget->min_effect);
    size_t n = row->b_count < row->a_count ? row->b_count : row->a_count;
    bool can_fail = worse->p_least * (double)report->family <= report->alpha;

    if (worse->level == 0) {
        too_few(row, report);
    } else if (row->p_adjusted <= report->alpha && worse->estimate >= effect) {
        row->verdict = TCH_FAIL;
    } else if (worse->high <= fine) {
        row->verdict = TCH_PASS;
    } else {
        bool warn = worse->low > 1 && worse->estimate >= effect;
        double end = worse->estimate > fine ? worse->low : worse->high;

        row->verdict = warn ? TCH_WARN : TCH_INCONCLUSIVE;
        row->settle = row->spread > 0 ? 0 : runs_to_settle(n, worse->estimate, end, fine);
        if (!can_fail) {
            uint64_t least = tch_judge_least_runs(row->paired, report->alpha, report->family);

            snprintf(row->why, sizeof row->why, "%zu %s cannot fail %zu metrics", n,
                     row->paired ? "pairs" : "runs", report->family);
            row->settle = least > row->settle ? least : row->settle;
        }
    }
}

static int ask_ratio(struct tch_verdict_row *row, const struct report *report, double *x, size_t m,
                     double *y, size_t n, tacho_error *err)
{
    struct tch_ratio worse;
    bool swap = row->budget.higher;
    int status = swap ? compare_values(row, report, y, n, x, m, &worse, err)
                      : compare_values(row, report, x, m, y, n, &worse, err);

    if (status < 0)
        return status;
    row->has_ratio = true;
    row->ratio = swap ? inverse_ratio(&worse) : worse;
    row->p = row->ask == TCH_ASK_RATIO ? worse.p_above : worse.p;
    return 0;
}

static int ask_zeros(struct tch_verdict_row *row, double *x, size_t m, double *y, size_t n,
                     tacho_error *err)
{
    bool swap = row->budget.higher;
    struct tch_rank_tails tails;
    int status = swap ? compare_zeros(row, y, n, x, m, &tails, err)
                      : compare_zeros(row, x, m, y, n, &tails, err);

    if (status < 0)
        return status;
    row->p = row->ask == TCH_ASK_RATIO ? tails.above : fmin(1, 2 * fmin(tails.above, tails.below));
    row->ratio.p_below = tails.below;
    snprintf(row->why, sizeof row->why, "values of 0 have no ratio");
    return 0;
}

static void decide_zeros(struct tch_verdict_row *row, const struct report *report)
{
    if (all_same(row) || row->ratio.p_below <= report->alpha / 2)
        row->verdict = TCH_PASS;
    else if (row->p_adjusted <= report->alpha)
        row->verdict = TCH_FAIL;
    else
        row->verdict = TCH_INCONCLUSIVE;
}

/* --- Maxima of a quantile --- */

/* P(at least k of n), each with chance p. */
static double at_least(size_t n, double p, size_t k)
{
    double sum = 0;
    int sign;

    if (k == 0)
        return 1;
    for (size_t i = n + 1; i-- > k;)
        sum += exp(lgamma_r((double)n + 1, &sign) - lgamma_r((double)i + 1, &sign) -
                   lgamma_r((double)(n - i) + 1, &sign) + (double)i * log(p) +
                   (double)(n - i) * log1p(-p));
    return fmin(1, sum);
}

/* The quantile of b against its maximum, by how many values are beyond it: nothing is assumed of
   how they are distributed. The ratio is that of the quantile to the maximum. */
static void ask_max(struct tch_verdict_row *row, double alpha, double *y, size_t n)
{
    const struct tch_budget *budget = &row->budget;
    double q = budget->higher ? 1 - budget->quantile : budget->quantile;
    struct tch_rank_interval places;
    size_t beyond = 0;

    for (size_t i = 0; i < n; i++)
        beyond += budget->higher ? y[i] < budget->max : y[i] > budget->max;
    tch_sort(y, n);
    row->b_median = q == 0.5 ? row->b_median : tch_quantile_nearest(y, n, q);
    row->p = at_least(n, 1 - budget->quantile, beyond);
    row->ratio = (struct tch_ratio){.estimate = row->b_median / budget->max,
                                    .high = INFINITY,
                                    .effect = (double)beyond / (double)n,
                                    .exact = true,
                                    .p_least = pow(1 - budget->quantile, (double)n)};
    if (tch_quantile_interval(n, q, alpha, &places, NULL) == 0) {
        row->ratio.low = y[places.low] / budget->max;
        row->ratio.high = y[places.high] / budget->max;
        row->ratio.level = places.level;
    }
    row->has_ratio = true;
}

/* The fewest runs that have an interval of the quantile: p95 needs 72. */
static uint64_t runs_for_quantile(const struct tch_verdict_row *row, double alpha)
{
    struct tch_rank_interval places;
    size_t n = row->b_count;

    while (n < TCH_SETTLE_MOST &&
           tch_quantile_interval(n, row->budget.quantile, alpha, &places, NULL) < 0)
        n++;
    return n;
}

static void decide_max(struct tch_verdict_row *row, double alpha)
{
    bool higher = row->budget.higher;
    bool kept = higher ? row->ratio.low >= 1 : row->ratio.high <= 1;

    if (row->p_adjusted <= alpha) {
        row->verdict = TCH_FAIL;
    } else if (row->ratio.level == 0) {
        row->verdict = TCH_INCONCLUSIVE;
        row->settle = runs_for_quantile(row, alpha);
        snprintf(row->why, sizeof row->why, "too few runs for an interval of this quantile");
    } else if (kept) {
        row->verdict = TCH_PASS;
    } else {
        row->verdict = TCH_INCONCLUSIVE;
        row->settle = runs_to_settle(row->b_count, row->ratio.estimate,
                                     row->ratio.estimate > 1 ? row->ratio.low : row->ratio.high, 1);
    }
}

/* --- All of them --- */

static int compare_row(struct tch_verdict_row *row, const struct report *report, double *room,
                       tacho_error *err)
{
    double *x = room;
    double *y = room + row->a_count;
    size_t m = row->a_count;
    size_t n = row->b_count;

    row->a_median = median_of(row->a, m, x);
    row->b_median = median_of(row->b, n, y);
    if (n == 0 || (row->ask != TCH_ASK_MAX && m == 0)) {
        row->p = 1;
        return 0;
    }
    memcpy(y, row->b, n * sizeof *y);
    if (row->ask == TCH_ASK_MAX) {
        ask_max(row, report->alpha, y, n);
        return 0;
    }
    memcpy(x, row->a, m * sizeof *x);
    row->thinned = m > TCH_JUDGE_EXACT || n > TCH_JUDGE_EXACT;
    if (!all_positive(x, m) || !all_positive(y, n))
        return ask_zeros(row, x, m, y, n, err);
    if (row->paired)
        m = n = thin_pairs(x, y, n);
    else
        m = tch_thin(x, m, TCH_JUDGE_EXACT), n = tch_thin(y, n, TCH_JUDGE_EXACT);
    return ask_ratio(row, report, x, m, y, n, err);
}

static void decide_row(struct tch_verdict_row *row, const struct report *report)
{
    struct tch_ratio worse;

    if (row->b_count == 0 || (row->ask == TCH_ASK_RATIO && row->a_count == 0)) {
        too_few(row, report);
        return;
    }
    worse = row->budget.higher ? inverse_ratio(&row->ratio) : row->ratio;
    if (row->ask == TCH_ASK_MAX)
        decide_max(row, report->alpha);
    else if (row->has_ratio)
        decide_ratio(row, &worse, report);
    else
        decide_zeros(row, report);
}

static int judge_rows(struct tch_verdict_row *rows, size_t count, const struct report *report,
                      double *room, double *p, tacho_error *err)
{
    size_t judged = 0;
    int status = 0;

    for (size_t i = 0; i < count && status == 0; i++) {
        status = compare_row(&rows[i], report, room, err);
        if (rows[i].ask != TCH_ASK_NOTHING)
            p[judged++] = rows[i].p;
    }
    if (status == 0)
        status = tch_holm(p, judged, p, err);
    judged = 0;
    for (size_t i = 0; i < count && status == 0; i++) {
        rows[i].p_adjusted = rows[i].ask != TCH_ASK_NOTHING ? p[judged++] : rows[i].p;
        if (rows[i].ask != TCH_ASK_NOTHING)
            decide_row(&rows[i], report);
    }
    return status;
}

int tch_judge(struct tch_verdict_row *rows, size_t count, double alpha, tacho_error *err)
{
    struct report report = {.alpha = alpha};
    size_t most = 0;
    double *room;
    double *p;
    int status;

    if (!(alpha > 0 && alpha < 1))
        return tch_fail(err, TACHO_EINVAL, 0, "alpha %g is not between 0 and 1", alpha);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].paired && rows[i].a_count != rows[i].b_count)
            return tch_fail(err, TACHO_EINVAL, 0, "pairs need as many values on both sides");
        report.family += rows[i].ask != TCH_ASK_NOTHING;
        if (rows[i].a_count + rows[i].b_count > most)
            most = rows[i].a_count + rows[i].b_count;
    }
    report.family += report.family == 0;
    room = malloc((most + 1) * sizeof *room);
    p = calloc(count + 1, sizeof *p);
    status = room && p ? judge_rows(rows, count, &report, room, p, err) : tch_fail_memory(err);
    free(room);
    free(p);
    return status;
}

enum tch_verdict tch_judge_worst(const struct tch_verdict_row *rows, size_t count)
{
    enum tch_verdict worst = TCH_NO_VERDICT;

    for (size_t i = 0; i < count; i++)
        if (rows[i].verdict > worst)
            worst = rows[i].verdict;
    return worst;
}
