/*
 * The table of c for shifts.c: which smallest p of all splits only a given share of unchanged
 * series has. Made by `test_shifts_levels --print`, from 4,000 to 60,000 series per row; the same
 * program checks it as the test kit.stats.shifts_levels.
 */
#include <math.h>

#include "shifts.h"

#define NONE (-99.0) /* so few values cannot have so small a p */

enum { SHARES = 8 };

static const double shares[SHARES] = {0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001};

/* log10 of the largest p for each share, by the number of values. */
static const struct level {
    size_t n;
    double log_p[SHARES];
} levels[] = {
    {6, {-0.72, NONE, NONE, NONE, NONE, NONE, NONE, NONE}},
    {7, {-0.89, -1.24, NONE, NONE, NONE, NONE, NONE, NONE}},
    {8, {-0.92, -1.45, -1.54, NONE, NONE, NONE, NONE, NONE}},
    {9, {-1.18, -1.46, -1.80, NONE, NONE, NONE, NONE, NONE}},
    {10, {-1.40, -1.43, -2.02, -2.10, -2.10, NONE, NONE, NONE}},
    {12, {-1.51, -1.57, -1.98, -2.26, -2.60, -2.66, NONE, NONE}},
    {14, {-1.63, -1.84, -1.94, -2.36, -2.63, -2.84, -3.18, -3.23}},
    {16, {-1.78, -2.06, -2.32, -2.47, -2.74, -3.00, -3.42, -3.76}},
    {20, {-1.84, -2.16, -2.41, -2.82, -3.09, -3.26, -3.51, -3.84}},
    {25, {-2.09, -2.43, -2.70, -3.07, -3.28, -3.58, -3.87, -4.09}},
    {30, {-2.26, -2.62, -2.88, -3.18, -3.43, -3.69, -4.15, -4.43}},
    {40, {-2.55, -2.86, -3.18, -3.52, -3.80, -4.12, -4.41, -4.69}},
    {50, {-2.65, -3.01, -3.31, -3.73, -3.99, -4.22, -4.51, -4.87}},
    {70, {-2.90, -3.22, -3.53, -3.97, -4.20, -4.46, -4.81, -5.11}},
    {100, {-3.13, -3.49, -3.80, -4.16, -4.44, -4.80, -5.17, -5.44}},
    {140, {-3.37, -3.73, -4.00, -4.42, -4.74, -5.04, -5.35, -5.66}},
    {200, {-3.55, -3.91, -4.19, -4.60, -4.90, -5.21, -5.56, -5.81}},
    {300, {-3.80, -4.15, -4.44, -4.80, -5.14, -5.54, -6.05, -6.27}},
    {400, {-3.97, -4.27, -4.58, -4.92, -5.24, -5.53, -5.81, -5.99}},
    {700, {-4.21, -4.59, -4.89, -5.24, -5.50, -5.75, -6.21, -6.57}},
    {1000, {-4.41, -4.78, -5.13, -5.52, -5.82, -6.20, -6.74, -7.04}},
};

enum { LEVELS = sizeof levels / sizeof *levels };

/* Returns log10 of the p for a share. Between two rows it is that of the longer series, which is
   the smaller one. Beyond the last row it falls like 1 / n, as the number of splits grows. */
static double log_level(size_t n, size_t share)
{
    size_t i = 0;

    while (i + 1 < LEVELS && levels[i].n < n)
        i++;
    if (n <= levels[i].n)
        return levels[i].log_p[share];
    return levels[i].log_p[share] - log10((double)n / (double)levels[i].n);
}

double tch_shifts_level(size_t n, double alpha)
{
    double log_alpha = log10(alpha);
    size_t i = 0;

    if (n < levels[0].n)
        return 0;
    while (i + 1 < SHARES && shares[i + 1] >= alpha)
        i++;
    /* Above the largest share of the table its p is used, which is on the safe side. Below the
       smallest one, p is in proportion to the share. */
    if (alpha > shares[0])
        return pow(10, log_level(n, 0));
    if (i + 1 == SHARES)
        return log_level(n, i) > NONE ? pow(10, log_level(n, i) + log_alpha - log10(shares[i])) : 0;
    {
        double high = log_level(n, i);
        double low = log_level(n, i + 1);
        double part = (log_alpha - log10(shares[i])) / (log10(shares[i + 1]) - log10(shares[i]));

        if (part <= 0)
            return high > NONE ? pow(10, high) : 0;
        return low > NONE ? pow(10, high + part * (low - high)) : 0;
    }
}

double tch_shifts_chance(size_t n, double p)
{
    double low = 1e-12;
    double high = 1;

    if (!(p <= tch_shifts_level(n, shares[0])))
        return 1;
    /* tch_shifts_level() rises with the share. */
    for (int i = 0; i < 60; i++) {
        double middle = sqrt(low * high);

        if (tch_shifts_level(n, middle) >= p)
            high = middle;
        else
            low = middle;
    }
    return high;
}
