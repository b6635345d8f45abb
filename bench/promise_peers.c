/*
 * Implements the rules as their authors published them:
 *
 * - benchstat (golang.org/x/perf): Mann-Whitney U, two-sided p < 0.05.
 * - Welch's t test (B. L. Welch, 1947), two-sided p < 0.05.
 * - criterion (criterion.rs, "Analysis process"): t test p < 0.05, and the bootstrap interval of
 * the change of the mean is beyond the noise threshold of 1 %. 400 resamples instead of 100,000.
 * - hyperfine: the ratio of means is beyond 1 by more than the standard deviation that it prints.
 * - The mean is more than 5 % above.
 * - perfgate: the median is more than 20 % above, its default threshold.
 */
#include "promise_peers.h"

#include <math.h>
#include <string.h>

#include "kit/stats/order_stats.h"
#include "kit/stats/random.h"
#include "kit/stats/rank_test.h"
#include "promise_noise.h"

enum { RESAMPLES = 400 };

static double mean_of(const double *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

static double variance_of(const double *x, size_t n)
{
    double mean = mean_of(x, n);
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return sum / (double)(n - 1);
}

/* Returns P(t > x), x > 0, of Student's t with any number of degrees of freedom, by Simpson's rule
   over t = x / u, u from 0 to 1. */
static double student_above(double x, double degrees)
{
    enum { STEPS = 200 };
    int sign;
    double scale = exp(lgamma_r((degrees + 1) / 2, &sign) - lgamma_r(degrees / 2, &sign)) /
                   sqrt(3.14159265358979323846 * degrees);
    double sum = 0;

    for (int i = 1; i <= STEPS; i++) {
        double u = (double)i / STEPS;
        double t = x / u;
        double density = scale * pow(1 + t * t / degrees, -(degrees + 1) / 2);

        sum += (i == STEPS ? 1 : i % 2 ? 4 : 2) * density * x / (u * u);
    }
    return sum / (3 * STEPS);
}

double promise_p_ranks(const double *a, const double *b, size_t n)
{
    struct tch_rank_tails tails;

    return tch_rank_sum_test(a, n, b, n, NULL, &tails, NULL) == 0 ? fmin(1, 2 * tails.above) : 1;
}

static bool benchstat(const double *a, const double *b, size_t n, uint64_t *seed)
{
    (void)seed;
    return promise_p_ranks(a, b, n) < 0.05;
}

double promise_p_welch(const double *a, const double *b, size_t n)
{
    double va = variance_of(a, n) / (double)n;
    double vb = variance_of(b, n) / (double)n;
    double t = (mean_of(b, n) - mean_of(a, n)) / sqrt(va + vb);
    double degrees = (va + vb) * (va + vb) * (double)(n - 1) / (va * va + vb * vb);

    return t > 0 ? 2 * student_above(t, degrees) : 1;
}

static bool welch(const double *a, const double *b, size_t n, uint64_t *seed)
{
    (void)seed;
    return promise_p_welch(a, b, n) < 0.05;
}

static double resampled_mean(const double *x, size_t n, uint64_t *seed)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[tch_random_below(seed, n)];
    return sum / (double)n;
}

static bool criterion(const double *a, const double *b, size_t n, uint64_t *seed)
{
    double change[RESAMPLES];

    if (!welch(a, b, n, seed))
        return false;
    for (size_t i = 0; i < RESAMPLES; i++)
        change[i] = resampled_mean(b, n, seed) / resampled_mean(a, n, seed) - 1;
    tch_sort(change, RESAMPLES);
    return tch_quantile_linear(change, RESAMPLES, 0.025) > 0.01;
}

static bool hyperfine(const double *a, const double *b, size_t n, uint64_t *seed)
{
    double ma = mean_of(a, n);
    double mb = mean_of(b, n);
    double ratio = mb / ma;

    (void)seed;
    return ratio - 1 > ratio * sqrt(variance_of(a, n) / (ma * ma) + variance_of(b, n) / (mb * mb));
}

static bool mean_above(const double *a, const double *b, size_t n, uint64_t *seed)
{
    (void)seed;
    return mean_of(b, n) > 1.05 * mean_of(a, n);
}

static bool perfgate(const double *a, const double *b, size_t n, uint64_t *seed)
{
    double x[PROMISE_RUNS];
    double y[PROMISE_RUNS];

    (void)seed;
    memcpy(x, a, n * sizeof *x);
    memcpy(y, b, n * sizeof *y);
    return tch_median(y, n) > 1.2 * tch_median(x, n);
}

const struct promise_peer promise_peers[PROMISE_PEERS] = {
    {"benchstat", benchstat}, {"Welch", welch},           {"criterion", criterion},
    {"hyperfine", hyperfine}, {"mean > 5 %", mean_above}, {"perfgate 20 %", perfgate},
};
