/*
 * Measures judging: many metrics of a report at once, and two runs of a million samples each.
 *
 * The floor sorts both sides of every metric. The peer is the usual alternative: a bootstrap of the
 * ratio of medians with 1,000 resamples.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "kit/judge/verdict_rule.h"
#include "kit/stats/order_stats.h"

enum { RESAMPLES = 1000 };

struct work {
    size_t metrics;
    size_t runs;
    double *values; /* metrics times runs of a, then of b */
    double *room;
    struct tch_verdict_row *rows;
};

static double noise(uint64_t *seed)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += (double)(bench_random(seed) >> 11) * 0x1p-53;
    return sum;
}

/* Makes times of about 20 ms with 5 % noise, in nanoseconds; with ties, in steps of 1 %. */
static int work_make(struct work *w, size_t metrics, size_t runs, bool ties)
{
    uint64_t seed = 1;
    size_t all = 2 * metrics * runs;

    *w = (struct work){.metrics = metrics, .runs = runs};
    w->values = malloc(all * sizeof *w->values);
    w->room = malloc(all * sizeof *w->room);
    w->rows = calloc(metrics, sizeof *w->rows);
    if (!w->values || !w->room || !w->rows)
        return -1;
    for (size_t i = 0; i < all; i++) {
        double value = 20e6 * exp(0.05 * noise(&seed));

        w->values[i] = ties ? floor(value / 200e3) * 200e3 : floor(value);
    }
    return 0;
}

static void work_release(struct work *w)
{
    free(w->values);
    free(w->room);
    free(w->rows);
}

static int judge(void *work, void *state)
{
    struct work *w = work;

    (void)state;
    for (size_t k = 0; k < w->metrics; k++)
        w->rows[k] = (struct tch_verdict_row){
            .a = w->values + 2 * k * w->runs,
            .a_count = w->runs,
            .b = w->values + (2 * k + 1) * w->runs,
            .b_count = w->runs,
            .ask = TCH_ASK_RATIO,
            .budget = {.tolerance = 0.05, .min_effect = 0.02, .max = NAN, .quantile = 0.5}};
    if (tch_judge(w->rows, w->metrics, 0.05, NULL) < 0)
        return -1;
    return tch_judge_worst(w->rows, w->metrics) == TCH_FAIL ? -1 : 0; /* no metric changed */
}

static int sort_all(void *work, void *state)
{
    struct work *w = work;

    (void)state;
    memcpy(w->room, w->values, 2 * w->metrics * w->runs * sizeof *w->room);
    for (size_t k = 0; k < 2 * w->metrics; k++)
        tch_sort(w->room + k * w->runs, w->runs);
    return w->room[0] > 0 ? 0 : -1;
}

static double resampled(const double *x, size_t n, double *room, uint64_t *seed)
{
    for (size_t i = 0; i < n; i++)
        room[i] = x[bench_random(seed) % n];
    return tch_median(room, n);
}

static int bootstrap(void *work, void *state)
{
    struct work *w = work;
    static double ratio[RESAMPLES];
    uint64_t seed = 2;
    double lows = 0;

    (void)state;
    for (size_t k = 0; k < w->metrics; k++) {
        const double *a = w->values + 2 * k * w->runs;

        for (size_t i = 0; i < RESAMPLES; i++)
            ratio[i] = resampled(a + w->runs, w->runs, w->room, &seed) /
                       resampled(a, w->runs, w->room, &seed);
        tch_sort(ratio, RESAMPLES);
        lows += ratio[RESAMPLES / 40];
    }
    return lows > 0 ? 0 : -1;
}

static int compare(const char *name, size_t metrics, size_t runs, bool ties, bool peer,
                   const struct bench_options *o)
{
    const struct bench_contender contenders[] = {
        {.name = "sorting the values (floor)", .role = BENCH_FLOOR, .run = sort_all},
        {.name = "tch_judge", .role = BENCH_OURS, .run = judge},
        {.name = "bootstrap, 1000 resamples", .role = BENCH_PEER, .run = bootstrap},
    };
    const struct bench_target targets[] = {{"tch_judge", "bootstrap, 1000 resamples", 10}};
    struct work w;
    int status = work_make(&w, metrics, runs, ties);

    if (status == 0)
        status = bench_compare(&(struct bench_case){.name = name,
                                                    .work = &w,
                                                    .bytes = 2 * metrics * runs * sizeof(double),
                                                    .operations = metrics,
                                                    .operation = "metric",
                                                    .contenders = contenders,
                                                    .contender_count = peer ? 3 : 2,
                                                    .targets = targets,
                                                    .target_count = peer ? 1 : 0},
                               o);
    work_release(&w);
    return status;
}

int main(int argc, char **argv)
{
    struct bench_options o;
    size_t metrics;

    if (bench_parse(&argc, argv, &o) < 0)
        return EXIT_FAILURE;
    metrics = o.quick ? 10 : 1000;
    if (compare("judge 1,000 metrics of 20 x 20 runs", metrics, 20, false, true, &o) < 0 ||
        compare("the same with ties", metrics, 20, true, true, &o) < 0 ||
        compare("judge 1,000 metrics of 50 x 50 runs", metrics, 50, false, false, &o) < 0 ||
        compare("the same with ties", metrics, 50, true, false, &o) < 0 ||
        compare("two runs of 1,000,000 samples", 1, o.quick ? 10000 : 1000000, false, false, &o) <
            0)
        return EXIT_FAILURE;
    return EXIT_SUCCESS;
}
