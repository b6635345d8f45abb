/*
 * Computes the tails of the rank sum of one side of a split.
 *
 * Lugannani and Rice approximate P(S >= s) by 1 - Phi(w) + phi(w) (1/u - 1/w), where w and u follow
 * from the cumulant generating function K at the point t with K'(t) = s. S takes whole numbers, so
 * u has 1 - e^-t in place of t.
 */
#include "split_test.h"

#include <math.h>

#include "rank_null.h"
#include "rank_test.h"

enum {
    SMALL_SIDE = 12, /* with more values on both sides, the normal approximation is good enough */
    FEW = 64,        /* values in all with which the exact distribution given ties is quick */
    STEPS = 60,      /* limit of Newton steps; 5 to 10 are needed */
};

/* Below this z no p is small enough to matter, and the quotients of a saddlepoint would cancel. */
static const double z_least = 1.5;

static double tail(double w, double u)
{
    double density = exp(-w * w / 2) / sqrt(2 * acos(-1));
    double p = tch_normal_above(w) + density * (1 / u - 1 / w);

    return p > 0 && p < 1 ? p : tch_normal_above(w);
}

static double log_draws(size_t m, size_t n)
{
    return lgamma((double)n + 1) - lgamma((double)m + 1) - lgamma((double)(n - m) + 1);
}

/* Returns one side of p if the m values of the small side are all above or all below the others. */
static double separated(size_t m, size_t n)
{
    return exp(-log_draws(m, n));
}

/* First and second derivative, and value, of K of U for m and n values without ties at t > 0:
   K = sum over i = 1..m of log((e^(t(n+i)) - 1) / (n+i)) - log((e^(ti) - 1) / i). */
static void untied_cumulants(double t, size_t m, size_t n, double k[3])
{
    k[0] = k[1] = k[2] = 0;
    for (size_t i = 1; i <= m; i++) {
        double c[2] = {(double)(n + i), (double)i};

        for (int j = 0; j < 2; j++) {
            double e = exp(-t * c[j]);
            double sign = j == 0 ? 1 : -1;

            k[0] += sign * (t * c[j] + log1p(-e) - log(c[j]));
            k[1] += sign * c[j] / (1 - e);
            k[2] -= sign * c[j] * c[j] * e / ((1 - e) * (1 - e));
        }
    }
}

/* Returns P(U >= u) for u above the mean, m values against n, without ties. */
static double untied_tail(size_t m, size_t n, double u)
{
    double mean = (double)m * (double)n / 2;
    double variance = mean * (double)(m + n + 1) / 6;
    double low = 0;
    double high = INFINITY;
    double t = (u - mean) / variance;
    double k[3];
    double w2;

    for (int i = 0; i < STEPS; i++) {
        double next;

        untied_cumulants(t, m, n, k);
        if (fabs(k[1] - u) < 1e-9 * u)
            break;
        *(k[1] > u ? &high : &low) = t;
        next = t - (k[1] - u) / k[2];
        /* K' is convex at first and concave later, so a step of Newton may leave the bracket. */
        if (!(next > low && next < high))
            next = isinf(high) ? 2 * t : (low + high) / 2;
        t = next;
    }
    w2 = 2 * (t * u - k[0]);
    if (!(w2 > 0) || !(k[2] > 0))
        return tch_normal_above((u - 0.5 - mean) / sqrt(variance));
    return tail(sqrt(w2), -expm1(-t) * sqrt(k[2]));
}

/* Draws each value with odds e^(theta + t s), where s is its score. */
struct draw {
    const struct tch_split_ranks *ranks;
    double sign; /* 1 or -1: the score is the doubled rank less its mean, times this */
    double theta;
    double t;
    double value; /* sum of log(1 + odds) */
    double count; /* expected number of values drawn */
    double sum;   /* expected sum of scores */
    double cc;    /* variances and covariance of count and sum */
    double cs;
    double ss;
};

static void draw_at(struct draw *d, double theta, double t)
{
    const struct tch_split_ranks *r = d->ranks;
    double centre = (double)r->n + 1;

    *d = (struct draw){.ranks = r, .sign = d->sign, .theta = theta, .t = t};
    for (size_t i = 0; i < r->n; i++) {
        double s = d->sign * ((double)r->rank2[i] - centre);
        double x = theta + t * s;
        double p = 1 / (1 + exp(-x));
        double q = p * (1 - p);

        d->value += x > 30 ? x : log1p(exp(x));
        d->count += p;
        d->sum += p * s;
        d->cc += q;
        d->cs += q * s;
        d->ss += q * s * s;
    }
}

static unsigned common_divisor(unsigned a, unsigned b)
{
    while (b) {
        unsigned rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* Returns the distance of the values that the sum can take. */
static double lattice(const struct tch_split_ranks *r)
{
    unsigned span = 0;

    for (size_t i = 1; i < r->n && span != 1; i++)
        span = common_divisor(r->rank2[i] > r->rank2[0] ? r->rank2[i] - r->rank2[0]
                                                        : r->rank2[0] - r->rank2[i],
                              span);
    return span > 0 ? span : 1;
}

/* Returns what theta and t minimise: the function is convex. */
static double height(const struct draw *d, double m, double s)
{
    return d->value - d->theta * m - d->t * s;
}

/* Finds the odds with which m values with the sum s are expected. Returns false if there are none,
   because s is the largest sum. */
static bool solve(struct draw *d, double m, double s)
{
    for (int i = 0; i < STEPS; i++) {
        double det = d->cc * d->ss - d->cs * d->cs;
        double off_count = m - d->count;
        double off_sum = s - d->sum;
        struct draw next = *d;
        double scale = 1;

        if (fabs(off_count) < 1e-9 * m && fabs(off_sum) < 1e-9 * s)
            return d->t > 0;
        if (!(det > 0))
            return false;
        /* A short enough step always leads down. */
        do {
            draw_at(&next, d->theta + scale * (d->ss * off_count - d->cs * off_sum) / det,
                    d->t + scale * (d->cc * off_sum - d->cs * off_count) / det);
            scale /= 2;
        } while (height(&next, m, s) > height(d, m, s) && scale > 1e-6);
        *d = next;
    }
    return false;
}

/* Returns P(sum of m drawn scores >= s) if s is their largest sum: the m largest scores, with any
   of those tied with the last of them. Otherwise -1. */
static double largest_sum(const struct tch_split_ranks *r, size_t m, double s, double sign)
{
    double below = INFINITY;
    double sum = 0;
    size_t tied;

    for (size_t left = m;; left -= tied) {
        double most = -INFINITY;

        tied = 0;
        for (size_t i = 0; i < r->n; i++) {
            double score = sign * ((double)r->rank2[i] - (double)(r->n + 1));

            if (score >= below || score < most)
                continue;
            tied = score > most ? 1 : tied + 1;
            most = score;
        }
        if (tied >= left) {
            sum += (double)left * most;
            return s > sum - 0.5 ? exp(log_draws(left, tied) - log_draws(m, r->n)) : -1;
        }
        sum += (double)tied * most;
        below = most;
    }
}

/* Returns P(sum of m drawn scores >= s) for s > 0; -1 if it cannot be approximated. */
static double drawn_tail(const struct tch_split_ranks *r, size_t m, double s, double sign)
{
    double share = (double)m / (double)r->n;
    struct draw d = {.ranks = r, .sign = sign};
    double start;
    double variance;
    double span = lattice(r);
    double w2;

    draw_at(&d, log(share / (1 - share)), 0);
    start = height(&d, (double)m, s);
    variance = d.cc;
    if (!solve(&d, (double)m, s))
        return largest_sum(r, m, s, sign);
    w2 = 2 * (start - height(&d, (double)m, s));
    return w2 > 0 ? tail(sqrt(w2),
                         -expm1(-d.t * span) / span * sqrt((d.cc * d.ss - d.cs * d.cs) / variance))
                  : -1;
}

/* Returns how far the sum of the first values is from its mean. */
static double distance(const struct tch_split_ranks *r, size_t before, double sum2)
{
    return sum2 - (double)before * (double)(r->n + 1);
}

static double spread(const struct tch_split_ranks *r, size_t m)
{
    double n = (double)r->n;

    return sqrt(r->squares / n * (double)m * (n - (double)m) / (n - 1));
}

double tch_split_p_quick(const struct tch_split_ranks *r, size_t before, double sum2)
{
    size_t m = before <= r->n / 2 ? before : r->n - before;
    double most = (double)m * (double)(r->n - m);
    double off = fabs(distance(r, before, sum2));
    double sd = spread(r, m);
    double z = sd > 0 ? (off - 1) / sd : 0;

    if (z < z_least)
        return fmin(1, 2 * tch_normal_above(z));
    if (off >= most)
        return 2 * separated(m, r->n);
    if (m <= SMALL_SIDE && !r->tied)
        return fmin(1, 2 * untied_tail(m, r->n - m, (most + off) / 2));
    return 2 * tch_normal_above(z);
}

double tch_split_p(const struct tch_split_ranks *r, size_t before, double sum2)
{
    bool first = before <= r->n / 2; /* the first values are the small side */
    size_t m = first ? before : r->n - before;
    double off = distance(r, before, sum2);
    double quick = tch_split_p_quick(r, before, sum2);
    struct tch_rank_tails tails;
    double p;

    if (!r->tied || fabs(off) >= (double)m * (double)(r->n - m) ||
        quick > 2 * tch_normal_above(z_least))
        return quick;
    if (r->n <= FEW) {
        const double *after = r->value + before;

        p = tch_rank_sum_test(r->value, before, after, r->n - before, NULL, &tails, NULL);
        return p < 0 ? quick : fmin(1, 2 * fmin(tails.above, tails.below));
    }
    p = drawn_tail(r, m, fabs(off), (off > 0) == first ? 1 : -1);
    return p < 0 ? quick : fmin(1, 2 * p);
}
