/* Implements the comparison of two sessions, which session.h describes. */
#include "session.h"

#include <math.h>
#include <string.h>

#include "order_stats.h"
#include "rank_null.h"
#include "rank_test.h"

/* Limit for comparing every pair of runs; of more runs, evenly spaced ones are compared. */
enum { TREND_MOST = 1000 };

/* Computes 1/2 - 3/8 y (1 - y^2 / 12) with y = x / sqrt(1 + x^2 / 4), in a form that loses no
   digits far out. u is 1 - y / 2. */
double tch_t4_above(double x)
{
    double c = 4 / (x * x + 4);
    double u = c / (1 + sqrt(1 - c));
    double tail = u * u * (3 - u) / 4;

    return x >= 0 ? tail : 1 - tail;
}

double tch_t4_cut(double q)
{
    double c = 4 * q * (1 - q);
    double x = 2 * sqrt(fmax(0, cos(acos(sqrt(c)) / 3) / sqrt(c) - 1));

    return q <= 0.5 ? x : -x;
}

double tch_lag1(const double *x, size_t n, double *room)
{
    double *distance = room + n;
    double middle;
    double most;
    double mean = 0;
    double squares = 0;
    double products = 0;

    if (n < 2)
        return 0;
    for (size_t i = 0; i < n; i++)
        room[i] = distance[i] = x[i];
    middle = tch_median(distance, n);
    for (size_t i = 0; i < n; i++) {
        distance[i] = fabs(room[i] - middle);
        mean += distance[i] / (double)n;
    }
    most = tch_median(distance, n);
    most = 3 * 1.4826 * (most > 0 ? most : mean);
    mean = 0;
    for (size_t i = 0; i < n; i++) {
        room[i] = fmax(-most, fmin(most, room[i] - middle));
        mean += room[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        squares += (room[i] - mean) * (room[i] - mean);
        products += i > 0 ? (room[i] - mean) * (room[i - 1] - mean) : 0;
    }
    return squares > 0 ? products / squares : 0;
}

double tch_session_lag1(const double *x, size_t n, double *room)
{
    for (size_t i = 0; i < n; i++)
        room[i] = log(x[i]);
    return tch_lag1(room, n, room);
}

double tch_session_rho(double lag1, size_t n)
{
    double size = (double)n;

    return fmin(0.95, fmax(0, (lag1 + 1 / size) / (1 - 3 / size)));
}

double tch_session_inflation(double rho)
{
    return (1 + rho) / (1 - rho);
}

static double trend_of(const double *x, size_t n)
{
    size_t kept = n < TREND_MOST ? n : TREND_MOST;
    double size = (double)kept;
    double sum = 0;

    for (size_t i = 0; i < kept; i++)
        for (size_t j = i + 1; j < kept; j++) {
            double first = x[i * n / kept];
            double second = x[j * n / kept];

            sum += (second > first) - (second < first);
        }
    return kept > 1 ? sum / sqrt(size * (size - 1) * (2 * size + 5) / 18) : 0;
}

double tch_session_trend(const double *a, size_t m, const double *b, size_t n)
{
    return (trend_of(a, m) + trend_of(b, n)) / sqrt(2);
}

void tch_session_widen(struct tch_ratio *r, double rho, double tau, double alpha, double bound)
{
    double se;
    double scale;
    double cut;
    double d = log(r->estimate);

    if (r->level == 0) {
        r->p = r->p_above = r->p_below = r->p_more = 1;
        return;
    }
    se = log(r->high / r->low) / 2 / tch_normal_cut((1 - r->level) / 2);
    scale = sqrt(se * se * tch_session_inflation(rho) + tau * tau);
    cut = scale * tch_t4_cut(alpha / 2);
    r->low = exp(d - cut);
    r->high = exp(d + cut);
    r->level = 1 - alpha;
    if (scale > 0) {
        r->p_above = tch_t4_above((d - log(bound)) / scale);
        r->p_more = tch_t4_above(d / scale);
    } else { /* constant sides, and no session spread */
        r->p_above = d - log(bound) > 1e-12 ? 0 : 1;
        r->p_more = d > 1e-12 ? 0 : 1;
    }
    r->p_below = 1 - r->p_above;
    r->p = fmin(1, 2 * fmin(r->p_more, 1 - r->p_more));
    r->p_least = 0;
    r->exact = false;
}
