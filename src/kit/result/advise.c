/* Warnings about runs whose numbers are doubtful: drift, outliers, two modes, failures. */
#include "advise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "kit/stats/dip.h"
#include "kit/stats/order_stats.h"
#include "kit/stats/ratio.h"
#include "kit/text/human_number.h"
#include "process/exit_text.h"

enum { ENOUGH = 10 }; /* with fewer values, patterns appear by chance */

/* Compares the second half of the runs with the first. */
static void check_drift(struct tch_warnings *w, const double *wall, size_t n)
{
    struct tch_ratio ratio;
    size_t half = n / 2;

    if (n < ENOUGH || half > 2000)
        return;
    if (tch_ratio_unpaired(wall, half, wall + n - half, half, 0.01, 1, &ratio, NULL) < 0)
        return;
    if (ratio.p < 0.01 && fabs(ratio.estimate - 1) >= 0.02)
        tch_warn(w, "drift",
                 "let the machine settle with --warmup, or find what changes: "
                 "heat, a growing file, caches",
                 "the second half of the runs took %.3g times as long as the first",
                 ratio.estimate);
}

static void check_first(struct tch_warnings *w, const double *wall, const struct tch_summary *s)
{
    if (s->n < 4 || wall[0] <= s->q3 + 3 * (s->q3 - s->q1) || wall[0] < 1.05 * s->median)
        return;
    tch_warn(w, "slow-first-run",
             "use --warmup 1 to measure with warm caches, --prepare to measure with cold ones",
             "the first run took %.3g times the median", wall[0] / s->median);
}

/* Warns of outliers. Many skewed distributions have one run of twenty far from the others, so this
   needs two such runs, or one that is very far and is not the first run, for which check_first() is
   responsible. */
static void check_outliers(struct tch_warnings *w, const double *wall, const struct tch_summary *s)
{
    bool many = s->outliers >= 2 && s->outliers * 20 > s->n;
    bool very_far = s->max > s->q3 + 10 * (s->q3 - s->q1) && s->max > wall[0];

    if (s->n < ENOUGH || s->outliers == 0 || !(many || very_far) ||
        (s->max < 1.05 * s->median && s->min > 0.95 * s->median))
        return;
    tch_warn(w, "outliers", "close other programs, choose a CPU with --cpu, see tacho doctor",
             "%zu of %zu runs %s far from the others, the farthest %.3g times the median",
             s->outliers, s->n, s->outliers == 1 ? "is" : "are", s->max / s->median);
}

/* Splits sorted values into the two groups that explain most of the variance. Returns the number of
   values in the lower group. */
static size_t split_in_two(const double *sorted, size_t n)
{
    double total = 0;
    double left = 0;
    double best = 0;
    size_t split = 0;

    for (size_t i = 0; i < n; i++)
        total += log(sorted[i]);
    for (size_t i = 0; i + 1 < n; i++) {
        double k = (double)(i + 1);
        double rest = (double)n - k;
        double apart;

        left += log(sorted[i]);
        apart = left / k - (total - left) / rest;
        if (apart * apart * k * rest / (double)n > best) {
            best = apart * apart * k * rest / (double)n;
            split = i + 1;
        }
    }
    return split;
}

/* Warns of two modes. The smaller group must have a fifth of the runs, because fewer runs are
   outliers. */
static int check_modes(struct tch_warnings *w, const double *sorted, size_t n, tacho_error *err)
{
    size_t split = split_in_two(sorted, n);
    struct tch_buf text;
    char room[128];
    bool two = false;
    double low;
    double high;

    if (tch_dip_test(sorted, n, &two, err) < 0)
        return TACHO_ENOMEM;
    if (!two || split * 5 < n || (n - split) * 5 < n)
        return 0;
    low = tch_quantile_linear(sorted, split, 0.5);
    high = tch_quantile_linear(sorted + split, n - split, 0.5);
    if (high / low < 1.03)
        return 0;
    tch_buf_init_on(&text, room, sizeof room, sizeof room - 1);
    tch_buf_addf(&text, "the runs fall into two groups, %zu about ", split);
    tch_add_value(&text, TCH_NS, low);
    tch_buf_addf(&text, " and %zu about ", n - split);
    tch_add_value(&text, TCH_NS, high);
    tch_warn(w, "two-modes",
             "find what differs: try one CPU (--cpu), or fixed addresses (--no-aslr)", "%.*s",
             (int)text.len, text.data);
    tch_buf_release(&text);
    return 0;
}

/* Writes how the first failed run ended, such as "; the first: signal 11 (Segmentation fault)".
   Writes nothing if it exited with 0 and only its check failed. */
static void describe_first(const struct tch_result_run *s, size_t failed, char *text, size_t size)
{
    char how[TCH_EXIT_TEXT];

    text[0] = '\0';
    if (s->status != 0)
        snprintf(text, size, "%s%s", failed == 1 ? "" : "; the first",
                 tch_exit_text(s->status, ":", ": exit", how));
}

static void check_ends(struct tch_warnings *w, const struct tch_result *r)
{
    const struct tch_result_run *first = NULL;
    char how[80];
    size_t failed = 0;
    size_t late = 0;
    size_t left = 0;

    for (size_t i = 0; i < r->run_count; i++) {
        const struct tch_result_run *run = &r->runs[i];
        bool is_bad = !tch_result_run_ok(run) && !run->timed_out;

        if (is_bad && !first)
            first = run;
        late += run->timed_out;
        failed += is_bad;
        left += run->left_running;
    }
    if (failed > 0) {
        describe_first(first, failed, how, sizeof how);
        tch_warn(w, "failed", "show the output with --command-output inherit",
                 "%zu of %zu run%s failed and %s left out of the statistics%s", failed,
                 r->run_count, tch_plural(r->run_count), failed == 1 ? "is" : "are", how);
    }
    if (late > 0)
        tch_warn(w, "timed-out", "allow more time with --timeout",
                 "%zu of %zu run%s exceeded --timeout and %s killed", late, r->run_count,
                 tch_plural(r->run_count), late == 1 ? "was" : "were");
    if (left > 0)
        tch_warn(w, "left-running", "stop them in the program, or with --conclude",
                 "%zu of %zu run%s left processes running, which disturb the following runs", left,
                 r->run_count, tch_plural(r->run_count));
}

/* Warns that a metric has no value in some runs. `refused` is what its expression matched there, or
   "". */
static void warn_missing(struct tch_warnings *w, const struct tch_column *c, size_t missing,
                         size_t runs)
{
    if (c->refused[0])
        tch_warn(w, "no-metric",
                 "print a decimal number such as 1234.5, or let the first group of the expression "
                 "match only that",
                 "metric '%.60s' matched '%s', which is not a finite number; it has no value in "
                 "%zu of %zu run%s",
                 c->metric.name, c->refused, missing, runs, tch_plural(runs));
    else
        tch_warn(
            w, "no-metric",
            tch_metric_is_recorded(c->metric.name)
                ? "check with 'tacho trace summary' or 'tacho events summary' what the program "
                  "recorded"
                : "try the expression with grep -E on what the program prints; the number is "
                  "its first group, or the whole match if it has no group",
            "metric '%.60s' was not found in %zu of %zu run%s", c->metric.name, missing, runs,
            tch_plural(runs));
}

static void check_metrics(struct tch_warnings *w, const struct tch_result *r)
{
    for (size_t i = 0; i < r->column_count; i++) {
        const struct tch_column *c = &r->columns[i];
        size_t missing = 0;

        for (size_t k = 0; c->metric.asked && k < r->run_count; k++)
            missing += c->all ? c->all[k].n == 0 : isnan(c->value[k]) != 0;
        if (missing > 0)
            warn_missing(w, c, missing, r->run_count);
    }
}

int tch_advise(struct tch_result *r, tacho_error *err)
{
    struct tch_warnings *w = &r->warnings;
    double *wall = malloc(2 * (r->run_count + 1) * sizeof *wall);
    double *sorted = wall ? wall + r->run_count + 1 : NULL;
    struct tch_summary s;
    size_t n;
    int status;

    if (!wall)
        return tch_fail_memory(err);
    check_ends(w, r);
    check_metrics(w, r);
    n = tch_result_field(r, TCH_WALL, wall);
    status = tch_summary_of(wall, n, 0.05, &s, err);
    if (status == 0 && n > 0 && s.min > 0) {
        memcpy(sorted, wall, n * sizeof *wall);
        tch_sort(sorted, n);
        check_first(w, wall, &s);
        check_drift(w, wall, n);
        check_outliers(w, wall, &s);
        status = check_modes(w, sorted, n, err);
    }
    free(wall);
    return status;
}
