/* Computes mean, standard deviation and the interval of the mean by Student's t (W. S. Gosset,
   1908). */
#include "mean_interval.h"

#include <math.h>
#include <stdbool.h>

/* Two-sided 95 % quantiles by degrees of freedom, from 1, to three decimals as in printed
   tables. */
static const double t95[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                             2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                             2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045};

double tch_t95(size_t freedom)
{
    size_t last = sizeof t95 / sizeof *t95;

    return freedom <= last ? t95[freedom - 1] : 1.96;
}

void tch_scalar_of(const double *x, size_t n, struct tch_scalar *ret)
{
    double sum = 0;
    double squares = 0;

    *ret = (struct tch_scalar){0};
    if (n == 0)
        return;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    ret->mean = sum / (double)n;
    if (n < 2)
        return;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - ret->mean) * (x[i] - ret->mean);
    ret->stddev = sqrt(squares / (double)(n - 1));
    if (n >= 3)
        ret->half_width = tch_t95(n - 1) * ret->stddev / sqrt((double)n);
}

/* For whole degrees of freedom the integral has a closed form: a finite series in the cosine of
   atan(t / sqrt(freedom)). */
double tch_t_beyond(double t, size_t freedom)
{
    double angle = atan(fabs(t) / sqrt((double)freedom));
    double c = cos(angle);
    bool odd = freedom % 2 == 1;
    double term = odd ? c : 1;
    double sum = freedom > 1 ? term : 0;

    for (size_t k = odd ? 3 : 2; k + 2 <= freedom; k += 2) {
        term *= (double)(k - 1) / (double)k * c * c;
        sum += term;
    }
    sum *= sin(angle);
    return fmax(0, 1 - (odd ? (angle + sum) * 2 / 3.14159265358979323846 : sum));
}

/* Uses the finite sums for whole degrees of freedom. */
double tch_chi_above(double x, size_t freedom)
{
    bool odd = freedom % 2;
    double term = odd ? sqrt(2 * x / acos(-1)) * exp(-x / 2) : exp(-x / 2);
    double sum = odd ? erfc(sqrt(x / 2)) : 0;

    for (size_t k = odd ? 3 : 2; k <= freedom; k += 2) {
        sum += term;
        term *= x / (double)k;
    }
    return sum < 1 ? sum : 1;
}
