/* Computes the overlay of many runs. */
#include "run_overlay.h"

#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "kit/stats/order_stats.h"

/* A run: its samples from..to, and the sample that holds at the current time. */
struct piece {
    size_t from;
    size_t to;
    size_t at;
};

size_t tch_overlay_runs(const double *y, size_t n)
{
    size_t runs = 0;

    for (size_t i = 0; i < n; i++)
        runs += !isnan(y[i]) && (i == 0 || isnan(y[i - 1]));
    return runs;
}

/* Finds the runs, the longest and the one with the highest peak. */
static void find_runs(struct tch_overlay *o, const double *x, const double *y, size_t n,
                      struct piece *piece)
{
    size_t runs = 0;

    o->peak = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (isnan(y[i]))
            continue;
        if (i == 0 || isnan(y[i - 1]))
            piece[runs++] = (struct piece){.from = i, .at = i};
        piece[runs - 1].to = i + 1;
        o->longest = fmax(o->longest, x[i]);
        if (y[i] > o->peak) {
            o->peak = y[i];
            o->highest = piece[runs - 1].from;
        }
    }
    for (size_t i = 0; i < runs; i++)
        if (piece[i].from == o->highest)
            o->highest_count = piece[i].to - piece[i].from;
}

/* Collects the values of the runs that are in progress at a time. Returns their number. */
static size_t take_values(double when, const double *x, const double *y, struct piece *piece,
                          size_t runs, double *values)
{
    size_t n = 0;

    for (size_t i = 0; i < runs; i++) {
        while (piece[i].at + 1 < piece[i].to && x[piece[i].at + 1] <= when)
            piece[i].at++;
        if (x[piece[i].from] <= when && x[piece[i].to - 1] >= when)
            values[n++] = y[piece[i].at];
    }
    return n;
}

int tch_overlay_make(struct tch_overlay *o, const double *x, const double *y, size_t n,
                     tacho_error *err)
{
    struct piece *piece;
    double *values;

    *o = (struct tch_overlay){.runs = tch_overlay_runs(y, n)};
    piece = calloc(o->runs + 1, sizeof *piece);
    values = calloc(o->runs + 1, sizeof *values);
    if (!piece || !values) {
        free(piece);
        free(values);
        return tch_fail_memory(err);
    }
    find_runs(o, x, y, n, piece);
    for (size_t i = 0; i < TCH_OVERLAY_POINTS; i++) {
        double when = o->longest * (double)i / (TCH_OVERLAY_POINTS - 1);
        size_t found = take_values(when, x, y, piece, o->runs, values);

        /* Before most runs have their first sample, or after most have ended, the others would not
           stand for all. */
        if (2 * found < o->runs)
            continue;
        tch_sort(values, found);
        o->x[o->count] = when;
        o->low[o->count] = tch_quantile_linear(values, found, 0.25);
        o->median[o->count] = tch_quantile_linear(values, found, 0.5);
        o->high[o->count++] = tch_quantile_linear(values, found, 0.75);
    }
    free(piece);
    free(values);
    return 0;
}
