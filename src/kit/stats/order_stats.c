/*
 * Computes quantiles and their intervals. The interval of a quantile is that of W. R. Thompson
 * (1936): how many of n values lie below the quantile is binomial, whatever their distribution.
 */
#include "order_stats.h"

#include <math.h>

#include "base/fail.h"

double tch_median(double *x, size_t n)
{
    double high = tch_select(x, n, n / 2);
    double low = x[0];

    if (n % 2 == 1)
        return high;
    /* The selection moved the smaller values to the front. The largest of them is the other middle
       value. */
    for (size_t i = 1; i < n / 2; i++)
        if (x[i] > low)
            low = x[i];
    return low + (high - low) / 2;
}

double tch_quantile_linear(const double *sorted, size_t n, double q)
{
    double place;
    size_t low;

    if (n == 0)
        return 0;
    place = (double)(n - 1) * (q < 0 ? 0 : q > 1 ? 1 : q);
    low = (size_t)place;
    if (low + 1 >= n)
        return sorted[n - 1];
    return sorted[low] + (sorted[low + 1] - sorted[low]) * (place - (double)low);
}

size_t tch_thin(double *x, size_t n, size_t most)
{
    if (n <= most)
        return n;
    tch_sort(x, n);
    for (size_t i = 0; i < most; i++)
        x[i] = x[(size_t)(((double)i + 0.5) * (double)n / (double)most)];
    return most;
}

size_t tch_nearest_rank(size_t n, double q)
{
    double rank = ceil(q * (double)n);

    if (!(rank > 1))
        return 0;
    return rank >= (double)n ? n - 1 : (size_t)rank - 1;
}

double tch_quantile_nearest(const double *sorted, size_t n, double q)
{
    return n == 0 ? 0 : sorted[tch_nearest_rank(n, q)];
}

/* Returns the largest k with P(X < k) <= half, and that probability in *tail. X, the number of
   values below the quantile, is binomial. The sum starts far enough out that the omitted part is
   less than 1e-80, and near enough that its first term is not 0. */
static size_t tail_rank(size_t n, double q, double half, double *tail)
{
    double size = (double)n;
    double far = size * q - 20 * sqrt(size * q * (1 - q));
    double k = far > 0 ? floor(far) : 0;
    double sum = 0;
    double mass; /* P(X = k) */
    int sign;

    mass = exp(lgamma_r(size + 1, &sign) - lgamma_r(k + 1, &sign) - lgamma_r(size - k + 1, &sign) +
               k * log(q) + (size - k) * log1p(-q));
    while (k < size && sum + mass <= half) {
        sum += mass;
        mass *= (size - k) / (k + 1) * (q / (1 - q));
        k++;
    }
    *tail = sum;
    return (size_t)k;
}

int tch_quantile_interval(size_t n, double q, double alpha, struct tch_rank_interval *ret,
                          tacho_error *err)
{
    double below;
    double above;
    size_t low;
    size_t high;

    if (!(q > 0 && q < 1) || !(alpha > 0 && alpha < 1) || n == 0)
        return tch_fail(err, TACHO_EINVAL, 0, "no interval of quantile %g of %zu values", q, n);
    low = tail_rank(n, q, alpha / 2, &below);
    high = tail_rank(n, 1 - q, alpha / 2, &above); /* the same rule from the other end */
    *ret = (struct tch_rank_interval){.low = low > 0 ? low - 1 : 0,
                                      .high = high > 0 ? n - high : n - 1,
                                      .level = low > 0 && high > 0 ? 1 - below - above : 0};
    if (low == 0 || high == 0)
        return tch_fail(err, TACHO_EINVAL, 0, "%zu values are too few for an interval at %g", n,
                        1 - alpha);
    return 0;
}
