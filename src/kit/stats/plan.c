#include "plan.h"

#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "order_stats.h"

static const double doubt = 0.10; /* probability that the true spread is above the bound */
static const double far = 5;      /* in median distances: a difference this far out is an outlier */

/* Returns P(X <= x) of the chi-square distribution with n degrees of freedom. Each two degrees
   subtract one term of a sum. */
static double chi2_below(double x, size_t n)
{
    double above = n % 2 == 1 ? erfc(sqrt(x / 2)) : exp(-x / 2);

    for (size_t k = n % 2 == 1 ? 1 : 2; k < n; k += 2) {
        double half = (double)k / 2;

        above += exp(half * log(x / 2) - x / 2 - lgamma(half + 1));
    }
    return 1 - above;
}

/* Returns the x with P(X <= x) = p, by bisection. p is below 1/2, and the median is below n. */
static double chi2_cut(double p, size_t n)
{
    double low = 0;
    double high = (double)n;

    for (int i = 0; i < 60; i++) {
        double x = (low + high) / 2;

        if (chi2_below(x, n) < p)
            low = x;
        else
            high = x;
    }
    return high;
}

int tch_pilot_measure(const double *d, size_t n, struct tch_pilot *ret, tacho_error *err)
{
    double *room = malloc(n * sizeof *room);
    double mean = 0;
    double squares = 0;
    double median;
    double distance;

    if (!room)
        return tch_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        room[i] = d[i];
        mean += d[i] / (double)n;
    }
    median = tch_median(room, n);
    for (size_t i = 0; i < n; i++) {
        squares += (d[i] - mean) * (d[i] - mean);
        room[i] = fabs(d[i] - median);
    }
    distance = tch_median(room, n);
    free(room);
    *ret = (struct tch_pilot){.pairs = n,
                              .spread = sqrt(squares / (double)(n - 1)),
                              .most = sqrt(squares / chi2_cut(doubt, n - 1))};
    for (size_t i = 0; i < n; i++)
        ret->outliers += fabs(d[i] - median) > far * distance;
    return tch_noise_measure(&ret->noise, d, n, median, err);
}

uint64_t tch_plan_pairs(const struct tch_pilot *pilot, double effect, double power, double level)
{
    return tch_sight_pairs(&pilot->noise, effect, power, level);
}
