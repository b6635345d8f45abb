/*
 * Simulates whole gates: analyses after 10, 20 and 40 pairs, and a fresh block of the suspects.
 *
 *     bench_promise_gate                   both tables of docs/judging.md, as Markdown
 *     bench_promise_gate --reports 400     fewer reports per cell than 2,000
 *     bench_promise_gate --table gates     wrong FAILs and power beside other rules on the same
 * data bench_promise_gate --table sight     what is computed for 90 % of reports, and what happens
 *     bench_promise_gate --check           two cells with 80 reports; fails if one is beyond 5 %
 *
 * The seeds are fixed: 20261119 for the gates and 20261120 for the other table, plus the number of
 * metrics.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "kit/judge/verdict_rule.h"
#include "kit/stats/rank_test.h"
#include "kit/stats/sight.h"
#include "promise_noise.h"
#include "promise_peers.h"

enum { FIRST = 10, MOST = PROMISE_RUNS, BENCHES = PROMISE_METRICS / PROMISE_BENCH };

static const double alpha = 0.05;

static const struct promise_noise kinds[] = {
    {.name = "log-normal 5 %", .sd = 0.05},
    {.name = "2 %, 10 % of runs x 3", .sd = 0.02, .outliers = 0.1},
    {.name = "AR(1) 0.5", .sd = 0.05, .ar = 0.5},
    {.name = "clock of 2.5 %", .sd = 0.05, .ties = true},
};

enum { KINDS = sizeof kinds / sizeof kinds[0], CHECK_REPORTS = 80 };

static size_t reports = 2000;

static struct promise_report report;
static struct tch_verdict_row rows[PROMISE_METRICS];

struct gate_bench {
    size_t runs;
    bool settled;
    struct tch_analyses analyses;
};

static struct tch_verdict_row row_of(size_t k, size_t runs, const struct tch_analyses *analyses)
{
    return (struct tch_verdict_row){
        .a = report.a[k],
        .a_count = runs,
        .b = report.b[k],
        .b_count = runs,
        .paired = true,
        .coins = k / PROMISE_BENCH,
        .analyses = analyses,
        .ask = TCH_ASK_RATIO,
        .budget = {.min_effect = 0.02, .max = NAN, .quantile = 0.5},
    };
}

static void make(const struct promise_noise *noise, size_t metrics, size_t runs, double change,
                 uint64_t *seed)
{
    report.metrics = metrics;
    report.runs = runs;
    report.paired = true;
    report.change = change;
    promise_make(noise, &report, seed);
}

static void judge(size_t metrics)
{
    if (tch_judge(rows, metrics, alpha, NULL) < 0)
        abort();
}

/* Settles a bench as the gate does: by a FAIL, at the last analysis, or if only suspects are
   open. */
static void settle(struct gate_bench *b, size_t first, size_t end)
{
    bool open = false;

    for (size_t k = first; k < end; k++) {
        b->settled |= rows[k].verdict == TCH_FAIL;
        open |= rows[k].verdict != TCH_PASS && !tch_row_is_suspect(&rows[k], alpha);
    }
    b->settled |= !open || b->runs == MOST;
}

/* Makes the analyses until each bench is settled. The rows are those of its last one. */
static void screen(size_t metrics, struct gate_bench *benches)
{
    size_t count = (metrics + PROMISE_BENCH - 1) / PROMISE_BENCH;
    bool open = true;

    for (size_t runs = FIRST; open; runs *= 2) {
        open = false;
        for (size_t i = 0; i < count; i++) {
            struct gate_bench *b = &benches[i];

            if (b->settled)
                continue;
            b->analyses.at = b->runs == 0 ? 0 : b->analyses.at + 1;
            b->analyses.share[b->analyses.at] = (double)runs / MOST;
            b->runs = runs;
        }
        for (size_t k = 0; k < metrics; k++)
            rows[k] =
                row_of(k, benches[k / PROMISE_BENCH].runs, &benches[k / PROMISE_BENCH].analyses);
        judge(metrics);
        for (size_t i = 0; i < count; i++) {
            size_t end = (i + 1) * PROMISE_BENCH < metrics ? (i + 1) * PROMISE_BENCH : metrics;

            if (!benches[i].settled)
                settle(&benches[i], i * PROMISE_BENCH, end);
            open |= !benches[i].settled;
        }
    }
}

/* Simulates a gate. Sets *found to whether the first metric FAILs, and adds the pairs of all
   benches to *pairs. Returns whether any metric FAILs. */
static bool gate_fails(const struct promise_noise *noise, size_t metrics, double change,
                       uint64_t *seed, bool *found, double *pairs)
{
    struct gate_bench benches[BENCHES] = {0};
    bool again[BENCHES] = {false};
    bool suspect[PROMISE_METRICS];

    make(noise, metrics, MOST, change, seed);
    screen(metrics, benches);
    for (size_t k = 0; k < metrics; k++) {
        suspect[k] = tch_row_is_suspect(&rows[k], alpha);
        again[k / PROMISE_BENCH] |= suspect[k];
    }
    for (size_t i = 0; i * PROMISE_BENCH < metrics; i++)
        *pairs += (double)(benches[i].runs + (again[i] ? MOST : 0));
    make(noise, metrics, MOST, change, seed);
    for (size_t k = 0; k < metrics; k++) {
        rows[k] = row_of(k, MOST, NULL);
        if (!suspect[k])
            rows[k].ask = TCH_ASK_NOTHING;
    }
    judge(metrics);
    *found = rows[0].verdict == TCH_FAIL;
    return tch_judge_worst(rows, metrics) == TCH_FAIL;
}

/* --- Side by side --- */

enum { GATE, COMPARE, RANKS, WELCH, BENCHSTAT, CRITERION, RULES };

static const char *const rules[RULES] = {
    "gate",      "compare, 20 pairs", "Mann-Whitney, Holm", "Welch, Bonferroni",
    "benchstat", "criterion"};

struct counts {
    size_t any[RULES];
    size_t first[RULES];
    double pairs;
};

static void count(struct counts *c, int rule, bool any, bool first)
{
    c->any[rule] += any;
    c->first[rule] += first;
}

/* Judges the same 20 pairs by all rules but the gate's. */
static void count_rules(struct counts *c, size_t metrics, uint64_t *seed)
{
    double p[PROMISE_METRICS] = {1};
    double welch = 1;
    bool any[2] = {false};
    bool first[2] = {false};

    for (size_t k = 0; k < metrics; k++) {
        double own = promise_p_welch(report.a[k], report.b[k], 20);

        rows[k] = row_of(k, 20, NULL);
        p[k] = promise_p_ranks(report.a[k], report.b[k], 20);
        welch = fmin(welch, own);
        c->first[WELCH] += k == 0 && own * (double)metrics < alpha;
        for (int i = 0; i < 2; i++) {
            const struct promise_peer *peer = &promise_peers[i == 0 ? 0 : 2];
            bool slower = (k == 0 || !any[i]) && peer->slower(report.a[k], report.b[k], 20, seed);

            any[i] |= slower;
            first[i] |= k == 0 && slower;
        }
    }
    c->any[WELCH] += welch * (double)metrics < alpha;
    count(c, BENCHSTAT, any[0], first[0]);
    count(c, CRITERION, any[1], first[1]);
    judge(metrics);
    count(c, COMPARE, tch_judge_worst(rows, metrics) == TCH_FAIL, rows[0].verdict == TCH_FAIL);
    if (tch_adjust_holm(p, metrics, p, NULL) < 0)
        abort();
    any[0] = false;
    for (size_t k = 0; k < metrics; k++)
        any[0] |= p[k] < alpha;
    count(c, RANKS, any[0], p[0] < alpha);
}

static void add_row(const struct promise_noise *noise, size_t metrics, double change)
{
    size_t benches = (metrics + PROMISE_BENCH - 1) / PROMISE_BENCH;
    struct counts c = {.pairs = 0};
    uint64_t seed = 20261119 + metrics;

    for (size_t i = 0; i < reports; i++) {
        bool found = false;
        bool any = gate_fails(noise, metrics, change, &seed, &found, &c.pairs);

        count(&c, GATE, any, found);
        make(noise, metrics, 20, change, &seed);
        count_rules(&c, metrics, &seed);
    }
    printf("| %s | %zu | ", noise->name, metrics);
    if (change > 0)
        printf("+%.0f %% found |", 100 * change);
    else
        printf("wrong FAIL |");
    for (int r = 0; r < RULES; r++)
        printf(" %.1f |", 100 * (double)(change > 0 ? c.first : c.any)[r] / (double)reports);
    printf(" %.0f |\n", c.pairs / (double)reports / (double)benches);
    fflush(stdout);
}

static void table_gates(void)
{
    static const double changes[] = {0, 0.03, 0.05, 0.1};
    static const size_t metrics[] = {1, 20};

    printf("| noise | metrics | reports, %% |");
    for (int r = 0; r < RULES; r++)
        printf(" %s |", rules[r]);
    printf(" pairs of a gate |\n| --- | --- | --- |");
    for (int r = 0; r <= RULES; r++)
        printf(" --- |");
    printf("\n");
    for (size_t i = 0; i < KINDS; i++)
        for (int m = 0; m < 2; m++)
            for (int k = 0; k < 4; k++)
                add_row(&kinds[i], metrics[m], changes[k]);
}

/* --- What is computed, and what happens --- */

/* Returns the share of reports in which the change is found that tacho computes for 90 % of them
   from 40 pairs of a calibration. fresh: of gates, not of comparisons of 40 pairs. */
static double found_share(const struct promise_noise *noise, size_t metrics, bool fresh,
                          size_t count)
{
    const struct tch_sight_rule rule = {.pairs = MOST,
                                        .fresh = fresh ? MOST : 0,
                                        .metrics = metrics,
                                        .alpha = alpha,
                                        .least = 0.02};
    uint64_t seed = 20261120 + metrics;
    size_t hits = 0;

    for (size_t i = 0; i < count; i++) {
        struct tch_noise seen;
        double d[MOST];
        double change;
        double pairs;
        bool found;

        make(noise, 1, MOST, 0, &seed);
        for (size_t k = 0; k < MOST; k++)
            d[k] = log(report.b[0][k] / report.a[0][k]);
        if (tch_noise_measure(&seen, d, MOST, 0, NULL) < 0)
            abort();
        change = tch_sight_change(&seen, &rule, 0.9);
        if (fresh) {
            gate_fails(noise, metrics, change, &seed, &found, &pairs);
        } else {
            make(noise, metrics, MOST, change, &seed);
            for (size_t k = 0; k < metrics; k++)
                rows[k] = row_of(k, MOST, NULL);
            judge(metrics);
            found = rows[0].verdict == TCH_FAIL;
        }
        hits += found;
    }
    return (double)hits / (double)count;
}

static void table_sight(void)
{
    static const size_t metrics[] = {1, 20, 200};

    printf("| computed for 90 %%: found in %% | 1 metric | 20 | 200 | gate, 1 | 20 |\n"
           "| --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < KINDS; i++) {
        printf("| %s |", kinds[i].name);
        for (int k = 0; k < 5; k++) {
            /* Reports of 200 metrics take ten times as long as those of 20. */
            size_t n = metrics[k % 3] == 200 && reports > 10 ? reports / 10 : reports;

            printf(" %.1f |", 100 * found_share(&kinds[i], metrics[k % 3], k >= 3, n));
            fflush(stdout);
        }
        printf("\n");
    }
}

/* --- The check of the test suite --- */

static int check(void)
{
    double most = alpha + 4 * sqrt(alpha * (1 - alpha) / CHECK_REPORTS);
    int failed = 0;

    for (int i = 0; i < 2; i++) {
        uint64_t seed = 20261121;
        size_t fails = 0;
        double pairs = 0;

        for (int k = 0; k < CHECK_REPORTS; k++) {
            bool found;

            fails += gate_fails(&kinds[i], 8, 0, &seed, &found, &pairs);
        }
        printf("%s, gates: a wrong FAIL in %.1f %%\n", kinds[i].name,
               100 * (double)fails / CHECK_REPORTS);
        failed += (double)fails / CHECK_REPORTS > most;
    }
    return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    const char *only = "";
    uint64_t n;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--check") == 0)
            return check();
        if (i + 1 < argc && strcmp(argv[i], "--table") == 0) {
            only = argv[++i];
        } else if (i + 1 < argc && strcmp(argv[i], "--reports") == 0 &&
                   tch_parse_u64(argv[i + 1], 1000000, &n) == 0 && n > 0) {
            reports = (size_t)n;
            i++;
        } else {
            fprintf(stderr,
                    "usage: bench_promise_gate [--reports N] [--table gates|sight] | --check\n");
            return EXIT_FAILURE;
        }
    }
    if (strcmp(only, "sight") != 0)
        table_gates();
    printf("\n");
    if (strcmp(only, "gates") != 0)
        table_sight();
    return EXIT_SUCCESS;
}
