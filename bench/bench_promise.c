/*
 * Checks the promise of docs/judging.md by simulation: counts reports with a wrong FAIL, and
 * detected changes, under many kinds of noise, for tacho's rule and for the rules of other tools on
 * the same data.
 *
 *     bench_promise                    all tables of docs/judging.md, as Markdown; takes an hour
 *     bench_promise --reports 400      fewer reports per cell
 *     bench_promise --table pairs      one table
 *     bench_promise --metrics 20       only reports of this many metrics (of 1, 20 and 200)
 *     bench_promise --check            a few cells with 400 reports; fails if one is beyond 5 %
 *
 * The seed is fixed, and that of a cell depends on the cell alone, so a table can be made in parts.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "kit/judge/baseline.h"
#include "kit/judge/verdict_rule.h"
#include "kit/result/summary.h"
#include "kit/run/plan/run_plan.h"
#include "kit/stats/session.h"
#include "promise_many.h"
#include "promise_noise.h"
#include "promise_peers.h"
#include "promise_runs.h"

static const struct promise_noise kinds[] = {
    {.name = "log-normal 2 %", .sd = 0.02},
    {.name = "log-normal 5 %", .sd = 0.05},
    {.name = "2 %, 10 % of runs x 3", .sd = 0.02, .outliers = 0.1},
    {.name = "Pareto", .pareto = true},
    {.name = "clock of 2.5 %", .sd = 0.05, .ties = true},
    {.name = "two modes", .sd = 0.01, .modes = true},
    {.name = "AR(1) 0.3", .sd = 0.05, .ar = 0.3},
    {.name = "AR(1) 0.5", .sd = 0.05, .ar = 0.5},
    {.name = "AR(1) 0.8", .sd = 0.05, .ar = 0.8},
    {.name = "drift of 20 %", .sd = 0.05, .drift = 0.2},
    {.name = "random walk", .walk = 0.03},
    {.name = "wave of 2 runs", .sd = 0.01, .wave = 0.05, .period = 2},
    {.name = "wave of 3 runs", .sd = 0.01, .wave = 0.05, .period = 3},
    {.name = "wave of 4 runs", .sd = 0.01, .wave = 0.05, .period = 4},
    {.name = "wave of 5 runs", .sd = 0.01, .wave = 0.05, .period = 5},
    {.name = "wave of 8 runs", .sd = 0.01, .wave = 0.05, .period = 8},
    {.name = "B three times as noisy", .sd = 0.03, .sd_b = 0.09},
    {.name = "same median, B skewed", .sd = 0.05, .skew = true},
    {.name = "5 %, metrics correlated 0.9", .sd = 0.05, .correlated = 0.9},
};

static const struct promise_noise sessions[] = {
    {.name = "sessions 2.3 %, normal, shared", .sd = 0.05, .session = 0.023},
    {.name = "sessions 2.3 %, normal, own", .sd = 0.05, .session = 0.023, .own = true},
    {.name = "sessions 2.3 %, heavy, shared", .sd = 0.05, .session = 0.023, .heavy = true},
    {.name = "sessions 2.3 %, heavy, own",
     .sd = 0.05,
     .session = 0.023,
     .heavy = true,
     .own = true},
    {.name = "AR(1) 0.5, sessions 2.3 %, heavy, own",
     .sd = 0.05,
     .ar = 0.5,
     .session = 0.023,
     .heavy = true,
     .own = true},
    {.name = "bursts of 5 to 14 runs, + 30 %", .sd = 0.02, .burst = 0.3},
    {.name = "sessions 5 %, normal, own", .sd = 0.05, .session = 0.05, .own = true},
    {.name = "sessions 5 %, heavy, own", .sd = 0.05, .session = 0.05, .heavy = true, .own = true},
};

enum { KINDS = sizeof kinds / sizeof kinds[0], SESSIONS = sizeof sessions / sizeof sessions[0] };

static size_t reports = 4000;

/* --- One cell --- */

struct cell {
    const struct promise_noise *noise;
    size_t metrics;
    size_t runs;
    bool paired;
    double change; /* change of the first metric */
    double tolerance;
    double min_effect;
    bool analyses; /* interim analyses of a quarter, half and all of the runs, until FAIL */
    size_t occasions;
};

struct shares {
    double fail;  /* reports with a FAIL */
    double worse; /* reports with a WARN or FAIL */
    double found; /* reports whose first metric FAILs */
};

static struct promise_report report;
static struct tch_verdict_row rows[PROMISE_METRICS];

/* Returns the session spread that a baseline of these occasions would have. */
static double known_spread(const struct cell *c, uint64_t *seed)
{
    struct tch_kept kept[16];
    double value[16];
    struct tch_occasion occasions[16];
    struct tch_baseline baseline = {.occasions = occasions, .count = c->occasions};

    for (size_t i = 0; i < c->occasions; i++) {
        value[i] = exp(promise_session(c->noise, seed));
        kept[i] = (struct tch_kept){.name = "wall", .value = &value[i], .count = 1};
        occasions[i] = (struct tch_occasion){.at = "", .kept = &kept[i], .count = 1};
    }
    return tch_baseline_spread(&baseline, "wall", 0.5, TCH_SESSION_SPREAD);
}

static void judge(const struct cell *c, size_t runs, const struct tch_analyses *analyses,
                  double spread)
{
    for (size_t k = 0; k < c->metrics; k++)
        rows[k] = (struct tch_verdict_row){
            .a = report.a[k],
            .a_count = runs,
            .b = report.b[k],
            .b_count = runs,
            .paired = c->paired,
            .coins = k / PROMISE_BENCH,
            .spread = spread,
            .analyses = analyses,
            .ask = TCH_ASK_RATIO,
            .budget = {.tolerance = c->tolerance,
                       .min_effect = c->min_effect,
                       .max = NAN,
                       .quantile = 0.5},
        };
    if (tch_judge(rows, c->metrics, 0.05, NULL) < 0)
        abort();
}

static void judge_at_analyses(const struct cell *c, double spread)
{
    struct tch_analyses analyses = {{0.25, 0.5, 1}, 0};

    if (!c->analyses) {
        judge(c, c->runs, NULL, spread);
        return;
    }
    for (analyses.at = 0; analyses.at < 3; analyses.at++) {
        judge(c, (size_t)((double)c->runs * analyses.share[analyses.at]), &analyses, spread);
        if (tch_judge_worst(rows, c->metrics) == TCH_FAIL)
            return;
    }
}

/* Returns a seed that is specific to the cell. */
static uint64_t seed_of(const struct cell *c)
{
    uint64_t seed = c->metrics + 1000 * c->runs + 100000 * (uint64_t)(c->change * 1000) +
                    (c->paired ? 7 : 0) + 13 * c->occasions;

    for (const char *p = c->noise->name; *p; p++)
        seed = seed * 1099511628211u + (unsigned char)*p;
    return seed;
}

static struct shares run_cell(const struct cell *c)
{
    struct shares sum = {0};
    uint64_t seed = seed_of(c);
    double n = (double)reports;

    report.metrics = c->metrics;
    report.runs = c->runs;
    report.paired = c->paired;
    report.change = c->change;
    for (size_t i = 0; i < reports; i++) {
        double spread = c->paired ? 0 : known_spread(c, &seed);
        enum tch_verdict worst;

        promise_make(c->noise, &report, &seed);
        judge_at_analyses(c, spread);
        worst = tch_judge_worst(rows, c->metrics);
        sum.fail += worst == TCH_FAIL;
        sum.worse += worst >= TCH_WARN;
        sum.found += rows[0].verdict == TCH_FAIL;
    }
    fprintf(stderr, "%s, %zu metrics: %.1f %% with FAIL\n", c->noise->name, c->metrics,
            100 * sum.fail / n);
    return (struct shares){sum.fail / n, sum.worse / n, sum.found / n};
}

/* --- Tables --- */

static size_t metrics[] = {1, 20, 200};
static size_t sizes = 3; /* how many of them are used */

static void add_head(const char *what)
{
    printf("| %s |", what);
    for (size_t m = 0; m < sizes; m++)
        printf(" %zu metric%s |", metrics[m], metrics[m] == 1 ? "" : "s");
    printf("\n| --- |");
    for (size_t m = 0; m < sizes; m++)
        printf(" --- |");
    printf("\n");
}

/* Adds the share of wrong FAILs with 1, 20 and 200 metrics. Nothing changed, tolerance 0, no
   minimum effect. */
static void add_wrong(const struct promise_noise *noise, struct cell cell)
{
    cell.noise = noise;
    printf("| %s |", noise->name);
    for (size_t m = 0; m < sizes; m++) {
        cell.metrics = metrics[m];
        printf(" %.1f |", 100 * run_cell(&cell).fail);
        fflush(stdout);
    }
    printf("\n");
}

static void table_pairs(void)
{
    add_head("interleaved, 20 pairs: wrong FAIL, %");
    for (size_t i = 0; i < KINDS; i++)
        add_wrong(&kinds[i], (struct cell){.runs = 20, .paired = true});
}

static void table_sessions(void)
{
    add_head("not interleaved, 20 runs of each: wrong FAIL, %");
    for (size_t i = 0; i < KINDS; i++)
        add_wrong(&kinds[i], (struct cell){.runs = 20, .occasions = 1});
    for (size_t i = 0; i < SESSIONS; i++)
        add_wrong(&sessions[i], (struct cell){.runs = 20, .occasions = 1});
}

static void table_occasions(void)
{
    static const size_t occasions[] = {1, 3, 10};

    printf("| against a baseline, 20 metrics | 1 occasion | 3 occasions | 10 occasions |\n"
           "| --- | --- | --- | --- |\n");
    for (size_t i = 0; i < SESSIONS; i++) {
        printf("| %s |", sessions[i].name);
        for (int k = 0; k < 3; k++) {
            struct cell cell = {
                .noise = &sessions[i], .metrics = 20, .runs = 20, .occasions = occasions[k]};

            printf(" %.1f |", 100 * run_cell(&cell).fail);
            fflush(stdout);
        }
        printf("\n");
    }
}

/* Prints the share of WARN or FAIL where nothing changed and the tolerance is 5 %. */
static void table_warn(void)
{
    static const size_t some[] = {1, 2, 7};

    add_head("WARN or FAIL, nothing changed, tolerance 5 %");
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        struct cell cell = {
            .noise = &kinds[some[i]], .runs = 20, .paired = true, .tolerance = 0.05};

        printf("| %s, pairs |", cell.noise->name);
        for (size_t m = 0; m < sizes; m++) {
            cell.metrics = metrics[m];
            printf(" %.1f |", 100 * run_cell(&cell).worse);
            fflush(stdout);
        }
        printf("\n");
    }
}

static void table_analyses(void)
{
    static const size_t some[] = {1, 2, 7, 13};

    add_head("analyses after 10, 20 and 40 pairs: wrong FAIL, %");
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
        add_wrong(&kinds[some[i]], (struct cell){.runs = 40, .paired = true, .analyses = true});
}

static void table_power(void)
{
    static const double changes[] = {0.03, 0.05, 0.1, 0.2, 0.3, 0.5};
    static const size_t some[] = {1, 2, 7, 18};

    printf(
        "| found, 20 runs, 1 / 20 metrics | +3 %% | +5 %% | +10 %% | +20 %% | +30 %% | +50 %% |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n");
    for (int paired = 1; paired >= 0; paired--)
        for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
            printf("| %s, %s |", kinds[some[i]].name, paired ? "interleaved" : "not interleaved");
            for (size_t k = 0; k < sizeof changes / sizeof changes[0]; k++) {
                struct cell cell = {.noise = &kinds[some[i]],
                                    .metrics = 1,
                                    .runs = 20,
                                    .paired = paired,
                                    .occasions = !paired,
                                    .change = changes[k],
                                    .min_effect = 0.02};
                double one = run_cell(&cell).found;

                cell.metrics = 20;
                printf(" %.0f / %.0f |", 100 * one, 100 * run_cell(&cell).found);
                fflush(stdout);
            }
            printf("\n");
        }
}

/* Judges the same reports by all rules. With a change, the first metric is changed. */
static void add_peers(const struct promise_noise *noise, size_t count, double change)
{
    double wrong[PROMISE_PEERS + 1] = {0};
    struct cell cell = {.noise = noise, .metrics = count, .runs = 20, .occasions = 1};
    uint64_t seed = 20261117;

    report.metrics = count;
    report.runs = 20;
    report.paired = false;
    report.change = change;
    for (size_t i = 0; i < reports; i++) {
        promise_make(noise, &report, &seed);
        for (int p = 0; p < PROMISE_PEERS; p++) {
            bool any = false;

            for (size_t k = 0; k < count && !any; k++)
                any = promise_peers[p].slower(report.a[k], report.b[k], 20, &seed);
            wrong[p] += any;
        }
        judge(&cell, 20, NULL, TCH_SESSION_SPREAD);
        wrong[PROMISE_PEERS] += tch_judge_worst(rows, count) == TCH_FAIL;
    }
    fprintf(stderr, "%s, %zu metrics, peers\n", noise->name, count);
    for (int p = 0; p <= PROMISE_PEERS; p++)
        printf(" %.1f |", 100 * wrong[p] / (double)reports);
    printf("\n");
    fflush(stdout);
}

static void table_peers(void)
{
    static const size_t some[] = {1, 2, 7};

    printf("| not interleaved, 20 runs | metrics |");
    for (int p = 0; p < PROMISE_PEERS; p++)
        printf(" %s |", promise_peers[p].name);
    printf(" tacho |\n| --- | --- |");
    for (int p = 0; p <= PROMISE_PEERS; p++)
        printf(" --- |");
    printf("\n");
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
        for (size_t m = 0; m < sizes; m++) {
            printf("| %s, wrong | %zu |", kinds[some[i]].name, metrics[m]);
            add_peers(&kinds[some[i]], metrics[m], 0);
        }
    printf("| %s, wrong | 20 |", sessions[1].name);
    add_peers(&sessions[1], 20, 0);
    for (int i = 0; i < 2; i++) {
        printf("| %s, +10 %% found | 1 |", kinds[1 + i].name);
        add_peers(&kinds[1 + i], 1, 0.1);
    }
}

/* --- run --precision --- */

/* Simulates runs until the median is known to within `target`. Returns whether the interval printed
   then contains the true median. */
static bool is_covered(const struct promise_noise *noise, double target, double median,
                       uint64_t *seed, double *runs)
{
    enum { MOST = 1000 };
    static double x[MOST];
    double alpha = tch_precision_check_alpha(MOST);
    size_t n = 0;

    for (;;) {
        struct tch_summary s;

        report.metrics = 1;
        report.runs = 5;
        report.paired = false;
        report.change = 0;
        promise_make(noise, &report, seed);
        memcpy(x + n, report.a[0], 5 * sizeof *x);
        memcpy(x + n + 5, report.b[0], 5 * sizeof *x);
        n += 10;
        if (!tch_precision_check_due(n, MOST) || tch_summary_of(x, n, alpha, &s, NULL) < 0)
            continue;
        if (tch_summary_precision(&s) <= target || n == MOST) {
            *runs += (double)n;
            return s.low <= median && median <= s.high;
        }
    }
}

static void table_precision(void)
{
    static const struct {
        size_t kind;
        double median;
    } some[] = {{0, 100}, {1, 100}, {3, 100 * (1 + 0.05 * 1.5874010519681994)}};
    static const double targets[] = {0.005, 0.01, 0.02};

    printf("| run --precision: intervals that hold (mean runs) | 0.5 %% | 1 %% | 2 %% |\n"
           "| --- | --- | --- | --- |\n");
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        printf("| %s |", kinds[some[i].kind].name);
        for (int t = 0; t < 3; t++) {
            uint64_t seed = 5;
            size_t held = 0;
            double runs = 0;

            for (size_t r = 0; r < reports; r++)
                held += is_covered(&kinds[some[i].kind], targets[t], some[i].median, &seed, &runs);
            printf(" %.1f (%.0f) |", 100.0 * (double)held / (double)reports,
                   runs / (double)reports);
        }
        printf("\n");
    }
}

/* --- The check of the test suite --- */

static int check(void)
{
    static const struct cell cells[] = {
        {.noise = &kinds[1], .metrics = 20, .runs = 20, .paired = true},
        {.noise = &kinds[2], .metrics = 20, .runs = 20, .paired = true},
        {.noise = &kinds[7], .metrics = 20, .runs = 20, .paired = true},
        {.noise = &kinds[13], .metrics = 20, .runs = 20, .paired = true},
        {.noise = &kinds[7], .metrics = 20, .runs = 20, .occasions = 1},
        {.noise = &sessions[3], .metrics = 20, .runs = 20, .occasions = 1},
    };
    enum { CHECK_REPORTS = 400 };
    double most = 0.05 + 4 * sqrt(0.05 * 0.95 / CHECK_REPORTS);
    int failed = 0;

    reports = CHECK_REPORTS;
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        double seen = run_cell(&cells[i]).fail;

        printf("%s, %s: a wrong FAIL in %.1f %% of reports%s\n", cells[i].noise->name,
               cells[i].paired ? "interleaved" : "not interleaved", 100 * seen,
               seen > most ? ": TOO MANY" : "");
        failed += seen > most;
    }
    failed += promise_dependent_check(reports);
    return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static const struct {
    const char *name;
    void (*print)(void);
} tables[] = {
    {"pairs", table_pairs},         {"sessions", table_sessions},
    {"occasions", table_occasions}, {"warn", table_warn},
    {"analyses", table_analyses},   {"power", table_power},
    {"precision", table_precision}, {"dependent", promise_dependent},
    {"commands", promise_commands}, {"cells", promise_cells},
    {"days", promise_days},         {"peers", table_peers},
};

int main(int argc, char **argv)
{
    const char *only = NULL;

    for (int i = 1; i < argc; i++) {
        uint64_t n;

        if (strcmp(argv[i], "--check") == 0)
            return check();
        if (i + 1 < argc && strcmp(argv[i], "--metrics") == 0 &&
            tch_parse_u64(argv[i + 1], PROMISE_METRICS, &n) == 0 && n > 0) {
            metrics[0] = (size_t)n;
            sizes = 1;
            i++;
        } else if (i + 1 < argc && strcmp(argv[i], "--table") == 0) {
            only = argv[++i];
        } else if (i + 1 < argc && strcmp(argv[i], "--reports") == 0 &&
                   tch_parse_u64(argv[i + 1], 1000000, &n) == 0 && n > 0) {
            reports = (size_t)n;
            i++;
        } else {
            fprintf(stderr,
                    "usage: bench_promise [--reports N] [--metrics N] [--table NAME] | --check\n");
            return EXIT_FAILURE;
        }
    }
    promise_reports = reports;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        if (only && strcmp(only, tables[i].name) != 0)
            continue;
        tables[i].print();
        printf("\n");
    }
    return EXIT_SUCCESS;
}
