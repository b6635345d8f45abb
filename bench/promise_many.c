/* Simulates comparisons of many commands, cells and days; see promise_many.h. */
#include "promise_many.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "kit/judge/baseline.h"
#include "kit/judge/verdict_rule.h"
#include "kit/report/run_comparison.h"
#include "kit/stats/random.h"
#include "kit/stats/session.h"
#include "kit/sweep/sweep_results.h"
#include "promise_noise.h"

enum { COMMANDS = 50, ROUNDS = 30, CELLS = 24, BLOCKS = 9 };

/* The runs of a report take place one after the other, each round in a new order. */
struct noise {
    const char *name;
    double sd;
    double ar;       /* correlation with the run before, whatever its command */
    double outliers; /* share of runs that take three times as long */
    bool ties;       /* values in steps of 2.5 % */
};

static const struct noise kinds[] = {
    {.name = "log-normal 5 %", .sd = 0.05},
    {.name = "clock of 2.5 %", .sd = 0.05, .ties = true},
    {.name = "2 %, 10 % of runs x 3", .sd = 0.02, .outliers = 0.1},
    {.name = "AR(1) 0.5", .sd = 0.05, .ar = 0.5},
    {.name = "AR(1) 0.8", .sd = 0.05, .ar = 0.8},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Returns the time of the next run of a program that takes 100. */
static double next_run(const struct noise *n, double *before, uint64_t *seed)
{
    double x;

    *before = n->ar * *before + sqrt(1 - n->ar * n->ar) * promise_normal(seed);
    x = 100 * exp(n->sd * *before);
    if (n->outliers > 0 && tch_random_below(seed, 1000) < (size_t)(1000 * n->outliers))
        x *= 3;
    return n->ties ? 2.5 * floor(x / 2.5) : x;
}

/* --- Commands --- */

static struct tch_report_run runs[COMMANDS];

static void make_runs(const struct noise *n, size_t count, double first, uint64_t *seed)
{
    double before = promise_normal(seed);
    uint32_t order[COMMANDS];

    for (uint32_t c = 0; c < count; c++) {
        struct tch_result *r = &runs[c].result;

        if (tch_result_init(r, NULL) < 0 || !(r->name = strdup("command")))
            abort();
        snprintf(r->group, sizeof r->group, "group");
        order[c] = c;
    }
    for (size_t i = 0; i < ROUNDS; i++) {
        tch_random_shuffle(seed, order, count);
        for (size_t k = 0; k < count; k++) {
            struct tch_result *r = &runs[order[k]].result;
            struct tch_result_run run = {.run = i + 1, .pair = i + 1};
            double field[TCH_FIELDS] = {0};

            field[TCH_WALL] = 1e4 * next_run(n, &before, seed) * (order[k] == 0 ? first : 1);
            if (tch_result_add_run(r, &run, NULL) < 0)
                abort();
            tch_result_set_fields(r, field);
        }
    }
}

/* Returns the share of reports in which a command is called slower than the fastest. */
static double named_slower(const struct noise *n, size_t count, double first, size_t reports)
{
    uint64_t seed = 20261119 + count;
    size_t named = 0;

    for (size_t r = 0; r < reports; r++) {
        struct tch_comparison c;
        bool any = false;

        make_runs(n, count, first, &seed);
        for (size_t i = 0; i < count; i++)
            if (tch_result_sum(&runs[i].result, NULL) < 0)
                abort();
        if (tch_comparison_make(&c, runs, count, NULL) < 0)
            abort();
        for (size_t i = 0; i < count; i++) {
            any |= c.run[i].is == TCH_COMPARED_SLOWER && (first == 1 || i == 0);
            tch_result_release(&runs[i].result);
        }
        named += any;
    }
    return (double)named / (double)reports;
}

void promise_commands(void)
{
    const size_t reports = promise_reports;
    static const size_t counts[] = {2, 6, 12, COMMANDS};

    printf("| %d runs of each command | 2 | 6 | 12 | 50 commands |\n"
           "| --- | --- | --- | --- | --- |\n",
           ROUNDS);
    for (int changed = 0; changed < 2; changed++)
        for (size_t i = 0; i < KINDS; i++) {
            printf("| %s, %s |", kinds[i].name,
                   changed ? "one 10 % slower, found" : "equal, wrong");
            for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
                printf(" %.1f |",
                       100 * named_slower(&kinds[i], counts[k], changed ? 1.1 : 1, reports));
                fflush(stdout);
            }
            printf("\n");
        }
}

/* --- Cells --- */

struct grid {
    struct tch_sweep sweep;
    struct tch_results r;
    struct tch_measure measure;
    struct tch_cell_result cells[CELLS];
    struct tch_cell_value values[CELLS];
    double value[CELLS][BLOCKS];
    uint64_t pair[CELLS][BLOCKS];
};

/* Makes the runs of a sweep in the order in which it would make them. Cell 7 takes `cost`. */
static void make_grid(struct grid *g, const struct noise *n, double cost, uint64_t *seed)
{
    const struct tch_order base = {.cells = CELLS, .seed = tch_random_bits(seed)};
    double before = promise_normal(seed);
    bool all[CELLS];

    memset(all, true, sizeof all);
    *g = (struct grid){.sweep = {.cells = CELLS}, .measure = {.name = (char *)"wall_ns"}};
    g->r = (struct tch_results){
        .sweep = &g->sweep, .measures = &g->measure, .measure_count = 1, .cells = g->cells};
    if (tch_parts_add(&g->sweep.parts, &base, all, BLOCKS, NULL) < 0)
        abort();
    for (size_t block = 0; block < BLOCKS; block++) {
        struct tch_step steps[CELLS];

        if (tch_order_block(&g->sweep.parts.part[0].order, block, steps, NULL) < 0)
            abort();
        for (size_t i = 0; i < CELLS; i++) {
            size_t cell = steps[i].unit;

            g->value[cell][block] = next_run(n, &before, seed) * (cell == 7 ? cost : 1);
            g->pair[cell][block] = steps[i].pair;
        }
    }
    for (size_t i = 0; i < CELLS; i++) {
        double sorted[BLOCKS];

        memcpy(sorted, g->value[i], sizeof sorted);
        tch_sort(sorted, BLOCKS);
        g->values[i] = (struct tch_cell_value){.median = sorted[BLOCKS / 2],
                                               .series = {g->value[i], g->pair[i], BLOCKS}};
        g->cells[i].value = &g->values[i];
        g->cells[i].runs = BLOCKS;
    }
}

void promise_cells(void)
{
    const size_t reports = promise_reports;
    static struct grid g;

    printf("| %d cells, %d blocks | best named | wrong best | best lost |\n"
           "| --- | --- | --- | --- |\n",
           CELLS, BLOCKS);
    for (int equal = 0; equal < 2; equal++)
        for (size_t k = 0; k < KINDS; k++) {
            uint64_t seed = 20261120 + k;
            size_t found = 0, wrong = 0, lost = 0;

            for (size_t r = 0; r < reports; r++) {
                make_grid(&g, &kinds[k], equal ? 1 : 0.5, &seed);
                if (tch_results_best(&g.r, &(struct tch_sweep_asked){0}, NULL) < 0)
                    abort();
                for (size_t i = 0; i < CELLS; i++)
                    wrong += (equal || i != 7) && g.cells[i].best == TCH_BEST_YES;
                found += g.cells[7].best == TCH_BEST_YES;
                lost += g.cells[7].best == TCH_BEST_NO;
                tch_parts_release(&g.sweep.parts);
            }
            printf("| %s, %s |", kinds[k].name, equal ? "equal" : "one at half the cost");
            if (equal)
                printf(" - |");
            else
                printf(" %.1f |", 100.0 * (double)found / (double)reports);
            printf(" %.1f | %.1f |\n", 100.0 * (double)wrong / (double)reports,
                   100.0 * (double)lost / (double)reports);
            fflush(stdout);
        }
}

/* --- Days --- */

enum { SAVES = 12, DAY_METRICS = 20, DAY_RUNS = 20 };

/* When a baseline was saved, in hours. It is compared a day after the last save. */
struct schedule {
    const char *name;
    size_t count;
    double hour[SAVES];
};

static const struct schedule schedules[] = {
    {"5 saves, 2 hours apart", 5, {0, 2, 4, 6, 8}},
    {"10 saves, 2 hours apart", 10, {0, 2, 4, 6, 8, 10, 12, 14, 16, 18}},
    {"4 saves on each of 3 days", 12, {0, 2, 4, 6, 24, 26, 28, 30, 48, 50, 52, 54}},
    {"3 days", 3, {0, 24, 48}},
    {"5 days", 5, {0, 24, 48, 72, 96}},
    {"10 days", 10, {0, 24, 48, 72, 96, 120, 144, 168, 192, 216}},
};

/* Simulates one metric whose sessions have the standard deviation sd, and keep 1/e of their state
   in 12 hours. Fills in the runs of the first save and of now. Returns the session spread that the
   saves give. */
static double make_days(const struct schedule *s, double sd, double *a, double *b,
                        size_t *occasions, uint64_t *seed)
{
    struct tch_level levels[SAVES];
    double state = promise_normal(seed);
    double hour = 0;

    for (size_t i = 0; i <= s->count; i++) {
        double at = i < s->count ? s->hour[i] : hour + 24;
        double kept = exp((hour - at) / 12);
        double *made = i == 0 ? a : b;

        state = kept * state + sqrt(1 - kept * kept) * promise_normal(seed);
        hour = at;
        if (i < s->count)
            levels[i] = (struct tch_level){.at = (int64_t)(3600 * at), .log_median = sd * state};
        for (size_t k = 0; k < DAY_RUNS && (i == 0 || i == s->count); k++)
            made[k] = 100 * exp(sd * state + 0.02 * promise_normal(seed));
    }
    return tch_levels_spread(levels, s->count, TCH_SESSION_SPREAD, occasions);
}

/* Returns the share of unchanged reports with a FAIL against the baseline. */
static double fails_by_day(const struct schedule *s, double sd, size_t metrics, size_t reports)
{
    static double a[DAY_METRICS][DAY_RUNS];
    static double b[DAY_METRICS][DAY_RUNS];
    struct tch_verdict_row rows[DAY_METRICS];
    uint64_t seed = 20261121 + s->count + metrics;
    size_t fails = 0;

    for (size_t r = 0; r < reports; r++) {
        for (size_t k = 0; k < metrics; k++) {
            size_t occasions;
            double spread = make_days(s, sd, a[k], b[k], &occasions, &seed);

            rows[k] = (struct tch_verdict_row){
                .a = a[k],
                .a_count = DAY_RUNS,
                .b = b[k],
                .b_count = DAY_RUNS,
                .spread = spread,
                .obvious = occasions < TCH_SPREAD_DAYS ? 2 : 0,
                .ask = TCH_ASK_RATIO,
                .budget = {.tolerance = 0, .min_effect = 0, .max = NAN, .quantile = 0.5}};
        }
        if (tch_judge(rows, metrics, 0.05, NULL) < 0)
            abort();
        fails += tch_judge_worst(rows, metrics) == TCH_FAIL;
    }
    return (double)fails / (double)reports;
}

void promise_days(void)
{
    const size_t reports = promise_reports;
    static const double sds[] = {0.016, 0.035, 0.07, 0.14};

    printf("| wrong FAIL, 1 / 20 metrics; sessions differ by | 2.3 %% | 5 %% | 10 %% | 20 %% |\n"
           "| --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < sizeof schedules / sizeof schedules[0]; i++) {
        printf("| %s |", schedules[i].name);
        for (size_t k = 0; k < sizeof sds / sizeof sds[0]; k++)
            printf(" %.1f / %.1f |", 100 * fails_by_day(&schedules[i], sds[k], 1, reports),
                   100 * fails_by_day(&schedules[i], sds[k], DAY_METRICS, reports));
        printf("\n");
        fflush(stdout);
    }
}
