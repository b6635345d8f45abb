/* Simulates runs of one side that depend on each other; see promise_runs.h. */
#include "promise_runs.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit/judge/verdict_rule.h"
#include "kit/result/summary.h"
#include "kit/stats/dependence.h"
#include "kit/stats/random.h"
#include "promise_noise.h"

enum { RUNS_MOST = 1000, TRUTH = 1000000 };

struct series {
    const char *name;
    double ar;       /* correlation with the run before */
    double outliers; /* share of runs that take three times as long */
    double bursts;   /* share of runs at which 5 to 14 runs begin that take 1.3 times as long */
    bool ties;       /* values in steps of 2.5 % */
};

static const struct series kinds[] = {
    {.name = "log-normal 5 %"},
    {.name = "clock of 2.5 %", .ties = true},
    {.name = "5 %, 10 % of runs x 3", .outliers = 0.1},
    {.name = "AR(1) 0.3", .ar = 0.3},
    {.name = "AR(1) 0.5", .ar = 0.5},
    {.name = "AR(1) 0.5, 5 % of runs x 3", .ar = 0.5, .outliers = 0.05},
    {.name = "AR(1) 0.8", .ar = 0.8},
    {.name = "AR(1) 0.9", .ar = 0.9},
    {.name = "bursts of 5 to 14 runs", .bursts = 1.0 / 60},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void make_runs(const struct series *s, double *x, size_t n, uint64_t *seed)
{
    double before = promise_normal(seed);
    size_t burst = 0;

    for (size_t i = 0; i < n; i++) {
        before = s->ar * before + sqrt(1 - s->ar * s->ar) * promise_normal(seed);
        x[i] = 100 * exp(0.05 * before);
        if (s->outliers > 0 && tch_random_below(seed, 1000) < (size_t)(1000 * s->outliers))
            x[i] *= 3;
        if (s->bursts > 0 && burst == 0 &&
            tch_random_below(seed, 6000) < (size_t)(6000 * s->bursts))
            burst = 5 + tch_random_below(seed, 10);
        if (burst > 0) {
            x[i] *= 1.3;
            burst--;
        }
        if (s->ties)
            x[i] = 2.5 * floor(x[i] / 2.5);
    }
}

/* Returns a quantile of what make_runs() makes, from a million runs. */
static double true_quantile(const struct series *s, double q)
{
    double *x = malloc(TRUTH * sizeof *x);
    uint64_t seed = 44;
    double value;

    if (!x)
        abort();
    make_runs(s, x, TRUTH, &seed);
    tch_sort(x, TRUTH);
    value = tch_quantile_nearest(x, TRUTH, q);
    free(x);
    return value;
}

struct shares {
    double median; /* intervals of `tacho run` that contain the true median */
    double p90;    /* intervals of `tacho stats` that contain the true p90 */
    double fail;   /* `max` that is the true median: FAIL */
    double wider;  /* width of the median's interval, divided by that for independent runs */
};

static bool fails_at(double max, const double *x, size_t n)
{
    struct tch_verdict_row row = {
        .b = x,
        .b_count = n,
        .ask = TCH_ASK_MAX,
        .budget = {.tolerance = NAN, .min_effect = 0.02, .max = max, .quantile = 0.5}};

    if (tch_judge(&row, 1, 0.05, NULL) < 0)
        abort();
    return row.verdict == TCH_FAIL;
}

static struct shares run_cell(const struct series *kind, size_t n, size_t reports)
{
    static double x[RUNS_MOST];
    static double room[2 * RUNS_MOST];
    double median = true_quantile(kind, 0.5);
    double p90 = true_quantile(kind, 0.9);
    uint64_t seed = 20261118 + n;
    struct shares sum = {0};
    size_t p90_known = 0;
    double plain = 0; /* width of the intervals for independent runs */
    double width = 0;

    for (size_t r = 0; r < reports; r++) {
        struct tch_rank_interval at;
        struct tch_summary s;
        double rho;

        make_runs(kind, x, n, &seed);
        sum.fail += fails_at(median, x, n);
        rho = tch_dependence(x, n, room);
        if (tch_summary_of(x, n, 0.05, &s, NULL) < 0)
            abort();
        sum.median += s.low <= median && median <= s.high;
        tch_sort(x, n);
        if (tch_dependent_interval(n, 0.9, 0.05, rho, &at, NULL) == 0) {
            p90_known++;
            sum.p90 += x[at.low] <= p90 && p90 <= x[at.high];
        }
        (void)tch_quantile_interval(n, 0.5, 0.05, &at, NULL);
        plain += x[at.high] - x[at.low];
        width += s.high - s.low;
    }
    fprintf(stderr, "%s, %zu runs\n", kind->name, n);
    return (struct shares){sum.median / (double)reports,
                           p90_known > 0 ? sum.p90 / (double)p90_known : NAN,
                           sum.fail / (double)reports, plain > 0 ? width / plain : 1};
}

void promise_dependent(void)
{
    const size_t reports = promise_reports;
    static const size_t runs[] = {20, 50, 200, 1000};

    printf(
        "| runs of one side | runs | median in its interval | p90 in its interval | `max`: wrong "
        "FAIL | width |\n| --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < KINDS; i++)
        for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
            struct shares s = run_cell(&kinds[i], runs[k], reports);

            printf("| %s | %zu | %.1f | ", kinds[i].name, runs[k], 100 * s.median);
            if (runs[k] < 50 || isnan(s.p90))
                printf("- ");
            else
                printf("%.1f ", 100 * s.p90);
            printf("| %.1f | %.2f |\n", 100 * s.fail, s.wider);
            fflush(stdout);
        }
}

int promise_dependent_check(size_t reports)
{
    double chance = 4 * sqrt(0.05 * 0.95 / (double)reports);
    struct shares free = run_cell(&kinds[0], 50, reports);
    struct shares bound = run_cell(&kinds[4], 50, reports);
    int failed = 0;

    failed += free.median < 0.95 - chance || free.fail > 0.05 + chance || free.wider > 1.1;
    failed += bound.median < 0.92 - chance || bound.fail > 0.05 + chance;
    printf("50 runs, the median in its interval: independent %.1f %% (%.2f times as wide), "
           "AR(1) 0.5 %.1f %%%s\n",
           100 * free.median, free.wider, 100 * bound.median, failed ? ": TOO FEW" : "");
    return failed;
}
