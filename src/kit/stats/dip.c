/*
 * Computes the dip by the algorithm of P. M. Hartigan (1985, AS 217).
 *
 * Heights are counted in values, not in shares: the empirical distribution function rises from i to
 * i + 1 at the i-th value. The nearest unimodal distribution is convex up to a modal interval and
 * concave after it. In the convex part it follows the convex minorant of the lower corners (x[i],
 * i). In the concave part it follows the concave majorant of the upper corners (x[i], i + 1). The
 * algorithm narrows the modal interval until the two curves lie closer together inside it than the
 * dip outside.
 */
#include "dip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/order.h"
#include "kit/stats/random.h"

enum { FEWEST = 10 };

struct hull {
    size_t *at; /* indices of the corners that the curve touches, ascending */
    size_t count;
};

/* Returns whether index b lies on or above the line from a to c; for a majorant, on or below it. */
static bool is_inside(const double *x, size_t a, size_t b, size_t c, int side)
{
    double rise = (double)(b - a) * (x[c] - x[a]) - (double)(c - a) * (x[b] - x[a]);

    return side * rise >= 0;
}

/* Finds the curve from `low` to `high`: convex for side 1, concave for side -1. Upper and lower
   corners differ in height by one everywhere, so indices can serve as heights for both. */
static void find_hull(const double *x, size_t low, size_t high, int side, struct hull *h)
{
    h->count = 0;
    for (size_t i = low; i <= high; i++) {
        while (h->count > 1 && is_inside(x, h->at[h->count - 2], h->at[h->count - 1], i, side))
            h->count--;
        h->at[h->count++] = i;
    }
}

/* Returns the height at x of the line between two indices. */
static double line_at(const double *x, size_t a, size_t b, double at)
{
    if (x[b] == x[a])
        return (double)b;
    return (double)a + (double)(b - a) * (at - x[a]) / (x[b] - x[a]);
}

/* Finds where the two curves are farthest apart, which is the modal interval of the next round. */
static double widest_gap(const double *x, const struct hull *convex, const struct hull *concave,
                         size_t *low, size_t *high)
{
    double gap = 0;

    for (size_t i = 0, k = 1; i < convex->count; i++) {
        size_t at = convex->at[i];
        double here;

        while (k + 1 < concave->count && concave->at[k] < at)
            k++;
        here = line_at(x, concave->at[k - 1], concave->at[k], x[at]) - (double)at + 1;
        if (here > gap) {
            gap = here;
            *low = at;
            *high = concave->at[k - 1] == at ? at : concave->at[k];
        }
    }
    for (size_t i = 0, k = 1; i < concave->count; i++) {
        size_t at = concave->at[i];
        double here;

        while (k + 1 < convex->count && convex->at[k] <= at)
            k++;
        here = (double)at - line_at(x, convex->at[k - 1], convex->at[k], x[at]) + 1;
        if (here > gap) {
            gap = here;
            *high = at;
            *low = convex->at[k] == at ? at : convex->at[k - 1];
        }
    }
    return gap;
}

/* Returns the largest distance between the distribution and its curve, over the pieces that start
   at `from` or later and end at `to` or earlier. */
static double farthest(const double *x, const struct hull *h, int side, size_t from, size_t to)
{
    double most = 1;

    for (size_t k = 1; k < h->count; k++) {
        size_t a = h->at[k - 1];
        size_t b = h->at[k];

        if (a < from || b > to)
            continue;
        for (size_t i = a; i <= b; i++)
            most = fmax(most, side * ((double)i - line_at(x, a, b, x[i])) + 1);
    }
    return most;
}

double tch_dip(const double *sorted, size_t n, size_t *scratch)
{
    struct hull convex = {.at = scratch};
    struct hull concave = {.at = scratch + n};
    size_t low = 0;
    size_t high = n - 1;
    double dip = 1;

    while (sorted[low] < sorted[high]) {
        size_t next_low = low;
        size_t next_high = high;

        find_hull(sorted, low, high, 1, &convex);
        find_hull(sorted, low, high, -1, &concave);
        if (widest_gap(sorted, &convex, &concave, &next_low, &next_high) <= dip)
            break;
        dip = fmax(dip, farthest(sorted, &convex, 1, low, next_low));
        dip = fmax(dip, farthest(sorted, &concave, -1, next_high, high));
        if (next_low == low && next_high == high)
            break;
        low = next_low;
        high = next_high;
    }
    return dip / (2 * (double)n);
}

/* Returns the dip that 5 % of the samples of n uniform values exceed. Among unimodal distributions
   the uniform one has the largest dip. The table was simulated with 40,000 samples for each n, and
   10,000 from n = 200 on. */
static double critical_dip(size_t n)
{
    static const struct {
        size_t n;
        double dip;
    } cuts[] = {{10, .1397}, {15, .1192}, {20, .1053},  {30, .0883},  {40, .0777},
                {50, .0703}, {75, .0585}, {100, .0512}, {200, .0367}, {500, .0236}};
    enum { CUTS = sizeof cuts / sizeof *cuts };
    size_t i = 1;
    double low;
    double high;
    double share;

    if (n >= cuts[CUTS - 1].n)
        return cuts[CUTS - 1].dip * sqrt((double)cuts[CUTS - 1].n / (double)n);
    while (cuts[i].n < n)
        i++;
    low = cuts[i - 1].dip * sqrt((double)cuts[i - 1].n);
    high = cuts[i].dip * sqrt((double)cuts[i].n);
    share = (double)(n - cuts[i - 1].n) / (double)(cuts[i].n - cuts[i - 1].n);
    return (low + share * (high - low)) / sqrt((double)n);
}

/* Spreads tied values at random over the smallest step between two different values. */
static void spread(double *x, size_t n)
{
    double step = INFINITY;
    uint64_t seed = 1;

    for (size_t i = 1; i < n; i++)
        if (x[i] > x[i - 1])
            step = fmin(step, x[i] - x[i - 1]);
    for (size_t i = 0; isfinite(step) && i < n; i++)
        x[i] += step * ((double)(tch_random_bits(&seed) >> 11) * 0x1p-53 - 0.5);
    tch_sort(x, n);
}

int tch_dip_test(const double *sorted, size_t n, bool *ret, tacho_error *err)
{
    double *x = malloc((n + 1) * sizeof *x);
    size_t *scratch = malloc((2 * n + 1) * sizeof *scratch);
    int status = x && scratch ? 0 : tch_fail_memory(err);

    if (x && scratch) {
        memcpy(x, sorted, n * sizeof *x);
        spread(x, n);
        *ret = n >= FEWEST && tch_dip(x, n, scratch) > critical_dip(n);
    }
    free(scratch);
    free(x);
    return status;
}
