/*
 * Counts how often tch_shifts_find() finds a shift that is not there, and one that is, under six
 * kinds of noise. Prints the table of docs/history.md as Markdown.
 *
 *     bench_shifts                 400 series per cell; takes some minutes
 *     bench_shifts --series 50     fewer
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "kit/stats/random.h"
#include "kit/stats/shifts.h"

enum { POINTS = 100, FIRST_LOOK = 10 };

static double uniform(uint64_t *seed)
{
    return ((double)(tch_random_bits(seed) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *seed)
{
    return sqrt(-2 * log(uniform(seed))) * cos(2 * acos(-1) * uniform(seed));
}

enum noise { GAUSS, SKEWED, OUTLIERS, TWO_MODES, DEPENDENT, TIED, NOISES };

static const char *const names[NOISES] = {"Gauss",     "log-normal, sd 0.8", "5 % outliers",
                                          "two modes", "AR(1) 0.3",          "whole numbers"};

/* Each kind has a standard deviation of about 1, apart from its tails. */
static double draw(enum noise kind, uint64_t *seed, double *last)
{
    double x = normal(seed);

    switch (kind) {
    case SKEWED:
        return exp(0.8 * x) - 1;
    case OUTLIERS:
        return uniform(seed) < 0.05 ? 10 + 8 * x : x;
    case TWO_MODES:
        return 0.3 * x + (uniform(seed) < 0.5 ? -1 : 1);
    case DEPENDENT:
        return *last = 0.3 * *last + 0.954 * x;
    case TIED:
        return rint(1.2 * x);
    default:
        return x;
    }
}

/* Fills a series with a step before point `at`. */
static void make(enum noise kind, uint64_t *seed, double step, size_t at, double *y)
{
    double last = 0;

    for (size_t i = 0; i < POINTS; i++)
        y[i] = draw(kind, seed, &last) + (i >= at ? step : 0);
}

/* Returns whether any shift of the first n points contains `at`, or, with at 0, whether there is
   one. */
static bool finds(const double *y, size_t n, size_t at)
{
    struct tch_shift_options options = {.alpha = 0.01};
    struct tch_shifts found;
    bool is = false;

    if (tch_shifts_find(y, n, &options, &found, NULL) < 0)
        exit(1);
    for (size_t i = 0; i < found.count; i++)
        is = is || at == 0 || (found.items[i].first <= at && at <= found.items[i].last);
    tch_shifts_release(&found);
    return is;
}

static bool finds_at_any_look(const double *y)
{
    for (size_t n = FIRST_LOOK; n <= POINTS; n++)
        if (finds(y, n, 0))
            return true;
    return false;
}

static void print_row(enum noise kind, size_t series)
{
    static const struct {
        double step;
        size_t at;
    } steps[] = {{1, 50}, {1.5, 50}, {2.5, 50}, {2.5, 94}};
    uint64_t seed = 1000 + (uint64_t)kind;
    size_t once = 0;
    size_t ever = 0;
    double y[POINTS];

    for (size_t i = 0; i < series; i++) {
        make(kind, &seed, 0, 0, y);
        once += finds(y, POINTS, 0);
        ever += finds_at_any_look(y);
    }
    printf("| %s | %.1f %% | %.1f %% |", names[kind], 100 * (double)once / (double)series,
           100 * (double)ever / (double)series);
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        size_t found = 0;

        for (size_t i = 0; i < series; i++) {
            make(kind, &seed, steps[s].step, steps[s].at, y);
            found += finds(y, POINTS, steps[s].at);
        }
        printf(" %.0f %% |", 100 * (double)found / (double)series);
    }
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    uint64_t series = 400;

    if (argc != 1 && (argc != 3 || strcmp(argv[1], "--series") != 0 ||
                      tch_parse_u64(argv[2], 1000000, &series) < 0)) {
        fprintf(stderr, "usage: bench_shifts [--series N]\n");
        return 64;
    }
    printf(
        "| noise | no step, analysed once | no step, %d times | 1 sd | 1.5 sd | 2.5 sd | 2.5 sd, "
        "%d points after it |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
        POINTS - FIRST_LOOK + 1, POINTS - 94);
    for (int kind = 0; kind < NOISES; kind++)
        print_row((enum noise)kind, series);
    return 0;
}
