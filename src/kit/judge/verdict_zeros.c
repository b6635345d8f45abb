/*
 * Judges rows in which some values are 0, which have no logarithm: verdict_rule.h.
 *
 * Pairs: the sign flips of kit/stats/flip.h (Fisher 1935, Pitman 1937) of b - c a instead of
 * log(b / a) - log(c). Suppose that b is c times what a would have been in its place. Then the two
 * runs of a pair differ by the coin only, so the test is exact here, too. Inverting it gives the
 * ratio and its interval, and tolerance and minimum effect apply as to any other row. There is no
 * ratio if the better side is 0 in every run. Any share of 0 is 0, so the sign of the differences
 * then decides.
 *
 * Two sessions: ranks (Mann and Whitney 1947) decide only whether b is below the bound by more than
 * sessions differ. Above the bound the session could be the cause, and without logarithms the
 * session term of kit/stats/session.h does not apply.
 *
 * A share of a negative value has no meaning, so rows with such values are not judged.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kit/stats/flip.h"
#include "kit/stats/rank_test.h"
#include "verdict_rule.h"

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

static bool has_negative(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(x[i] >= 0 && x[i] < INFINITY))
            return true;
    return false;
}

static bool is_negative(const struct tch_verdict_row *row)
{
    return has_negative(row->a, row->a_count) || has_negative(row->b, row->b_count);
}

static double largest_of(const double *x, const double *y, size_t n)
{
    double largest = 0;

    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fmax(fabs(x[i]), fabs(y[i])));
    return largest > 0 ? largest : 1;
}

void tch_row_differences(const struct tch_verdict_row *row, double worse, double *e)
{
    const double *x = row->budget.higher ? row->b : row->a;
    const double *y = row->budget.higher ? row->a : row->b;
    size_t n = row->b_count;
    bool logs = tch_all_positive(x, n) && tch_all_positive(y, n);
    double unit = logs ? 1 : largest_of(x, y, n);

    for (size_t i = 0; i < n; i++)
        e[i] = logs ? log(y[i] / x[i]) - log(worse) : y[i] / unit - worse * (x[i] / unit);
}

/* Sets the ratio of pairs, in the direction of "worse". room: 2 b_count doubles. */
static int find_ratio(const struct tch_verdict_row *row, double interval_alpha, double *room,
                      struct tch_ratio *ret, tacho_error *err)
{
    size_t n = row->b_count;
    double *x = room;
    double *y = room + n;
    double unit = largest_of(row->a, row->b, n);
    struct tch_flip_interval interval;
    double above = 0;
    double least = INFINITY; /* smallest ratio of a pair; pairs without a ratio are skipped */
    double most = 0;
    int status;

    for (size_t i = 0; i < n; i++) {
        x[i] = (row->budget.higher ? row->b[i] : row->a[i]) / unit;
        y[i] = (row->budget.higher ? row->a[i] : row->b[i]) / unit;
        above += y[i] > x[i] ? 1 : y[i] < x[i] ? 0 : 0.5;
        least = x[i] > 0 ? fmin(least, y[i] / x[i]) : least;
        most = x[i] > 0 ? fmax(most, y[i] / x[i]) : most;
    }
    status = tch_flip_ratio(x, y, n, interval_alpha, &interval, err);
    if (status < 0)
        return status;
    ret->estimate = interval.estimate;
    ret->least = least;
    ret->most = most;
    ret->low = interval.low;
    ret->high = interval.high;
    ret->level = interval.low > 0 || interval.high < INFINITY ? 1 - interval_alpha : 0;
    ret->effect = above / (double)n;
    ret->p_least = tch_flip_least(n);
    return 0;
}

static int ask_pairs(struct tch_verdict_row *row, double interval_alpha, double *room,
                     tacho_error *err)
{
    struct tch_flip_tails at = {0};
    struct tch_flip_tails one = {0};
    struct tch_ratio worse = {0};
    int status;

    tch_row_differences(row, tch_row_bound(row), room);
    status = tch_flip_test(room, row->b_count, &at, err);
    tch_row_differences(row, 1, room);
    if (status == 0)
        status = tch_flip_test(room, row->b_count, &one, err);
    if (status == 0)
        status = find_ratio(row, interval_alpha, room, &worse, err);
    if (status < 0)
        return status;
    worse.p = fmin(1, 2 * fmin(one.above, one.below));
    worse.p_above = at.above;
    worse.p_below = at.below;
    worse.p_more = one.above;
    worse.exact = at.exact;
    row->has_ratio = worse.estimate < INFINITY && !all_same(row);
    row->ratio = row->budget.higher && row->has_ratio ? tch_ratio_inverse(&worse) : worse;
    row->p = row->ask == TCH_ASK_RATIO ? worse.p_above : worse.p;
    row->p_worse = worse.p_more;
    return 0;
}

static int ask_sessions(struct tch_verdict_row *row, double interval_alpha, double *x,
                        tacho_error *err)
{
    bool higher = row->budget.higher;
    double reach = 1 + tch_session_reach(&(struct tch_budget){0}, row->spread, interval_alpha);
    double worse = row->ask == TCH_ASK_RATIO ? tch_row_bound(row) / reach : 1;
    double *y = x + row->a_count;
    struct tch_rank_tails tails;
    int status;

    for (size_t i = 0; i < row->a_count; i++)
        x[i] = row->a[i] * (higher ? 1 : worse);
    for (size_t i = 0; i < row->b_count; i++)
        y[i] = row->b[i] * (higher ? worse : 1);
    status = tch_rank_sum_test(x, row->a_count, y, row->b_count, NULL, &tails, err);
    if (status < 0)
        return status;
    row->ratio.p_below = higher ? tails.above : tails.below;
    row->p = row->p_worse = 1; /* never worse */
    return 0;
}

int tch_row_ask_zeros(struct tch_verdict_row *row, double interval_alpha, double *room,
                      tacho_error *err)
{
    row->has_ratio = false;
    row->ratio = (struct tch_ratio){.p_below = 1};
    row->p = row->p_worse = 1;
    if (is_negative(row))
        return 0;
    return row->paired ? ask_pairs(row, interval_alpha, room, err)
                       : ask_sessions(row, interval_alpha, room, err);
}

void tch_row_decide_zeros(struct tch_verdict_row *row, double alpha, double interval_alpha)
{
    if (is_negative(row))
        row->verdict = TCH_INCONCLUSIVE;
    else if (all_same(row) || row->ratio.p_below <= interval_alpha / 2)
        row->verdict = TCH_PASS;
    else if (row->p_adjusted <= alpha)
        row->verdict = TCH_FAIL;
    else
        row->verdict = row->p_worse <= alpha ? TCH_WARN : TCH_INCONCLUSIVE;
}

static size_t count_zeros(const double *x, size_t n)
{
    size_t zeros = 0;

    for (size_t i = 0; i < n; i++)
        zeros += x[i] == 0;
    return zeros;
}

void tch_row_explain_zeros(struct tch_verdict_row *row)
{
    size_t zeros = count_zeros(row->a, row->a_count) + count_zeros(row->b, row->b_count);
    size_t len = strlen(row->why);
    char *end = row->why + len;
    size_t room = sizeof row->why - len;

    if (is_negative(row)) {
        snprintf(row->why, sizeof row->why,
                 "some values are below 0, so there is no ratio; 'max' can judge them");
        row->runs_useless = true;
        return;
    }
    if (zeros == 0 || all_same(row) || (row->ask == TCH_ASK_NOTHING && row->has_ratio))
        return;
    row->advised = 0; /* the plan for runs needs logarithms */
    snprintf(end, room, "%s%zu of %zu values %s 0: %s", len > 0 ? "; " : "", zeros,
             row->a_count + row->b_count, zeros == 1 ? "is" : "are",
             row->has_ratio ? "the test uses differences instead of logarithms"
             : row->paired  ? "there is no ratio, so any difference counts"
                            : "there is no interval; only interleaved runs can show that they are "
                              "worse");
}
