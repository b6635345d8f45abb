/*
 * Fits growths to costs: weighted least squares of the relative errors for each growth.
 *
 * Each cost has a known error, that of its median and TCH_FIT_FLOOR together. The sum of squared
 * residuals in units of these errors follows the chi-square distribution if the growth is the true
 * one (K. Pearson, 1900). A growth is ruled out when its sum is too large, or when its growing part
 * is surely close to 0. If even the best growth fits worse than the errors allow, all errors are
 * scaled up until it fits (R. T. Birge, 1932). The best growth is chosen by the criterion of G.
 * Schwarz (1978).
 */
#include "growth_fit.h"

#include <ctype.h>
#include <math.h>

#include "base/fail.h"
#include "kit/stats/mean_interval.h"

const char *const tch_growth_names[TCH_GROWTHS] = {"1", "log n", "n", "n log n", "n^2", "n^3"};

double tch_growth_of(enum tch_growth growth, double n)
{
    switch (growth) {
    case TCH_O_LOG:
        return log(n);
    case TCH_O_N:
        return n;
    case TCH_O_NLOG:
        return n * log(n);
    case TCH_O_N2:
        return n * n;
    case TCH_O_N3:
        return n * n * n;
    default:
        return 0;
    }
}

/* Costs over f, where f is f(n) or n^k. */
struct points {
    const double *n;
    const double *cost;
    const double *error; /* relative standard errors of the costs; NULL: none */
    size_t count;
    enum tch_growth growth;
    double power; /* if not NAN, f is n^power instead of the growth */
};

static double f_of(const struct points *p, double n)
{
    return isnan(p->power) ? tch_growth_of(p->growth, n) : pow(n, p->power);
}

/* Returns 1 / variance of a cost's relative error. */
static double weight_of(const struct points *p, size_t i)
{
    double error = p->error ? p->error[i] : 0;

    return 1 / (error * error + TCH_FIT_FLOOR * TCH_FIT_FLOOR);
}

/* Sums of squared relative errors: plain, and in units of each cost's own error. */
struct squares {
    double plain;
    double chi;
};

static struct squares squares_of(const struct points *p, double a, double b)
{
    struct squares sum = {0};

    for (size_t i = 0; i < p->count; i++) {
        double e = 1 - (a + b * f_of(p, p->n[i])) / p->cost[i];

        sum.plain += e * e;
        sum.chi += weight_of(p, i) * e * e;
    }
    return sum;
}

/* Result of a least-squares fit. */
struct solution {
    double a, b;
    double b_variance;
    struct squares left;
};

/*
 * Minimises the squares of 1 - (a + b f) / cost, which is linear in a and b. With u = 1 / cost and
 * v = f / cost these are two equations in two unknowns. A coefficient that would be negative is set
 * to 0.
 */
static struct solution solve(const struct points *p)
{
    double uu = 0, uv = 0, vv = 0, u1 = 0, v1 = 0, det;
    struct solution s = {0};

    for (size_t i = 0; i < p->count; i++) {
        double w = weight_of(p, i);
        double u = 1 / p->cost[i];
        double v = f_of(p, p->n[i]) * u;

        uu += w * u * u;
        uv += w * u * v;
        vv += w * v * v;
        u1 += w * u;
        v1 += w * v;
    }
    det = uu * vv - uv * uv;
    if (det > 1e-12 * uu * vv) {
        s.a = (u1 * vv - v1 * uv) / det;
        s.b = (v1 * uu - u1 * uv) / det;
        s.b_variance = uu / det;
    }
    if (s.b <= 0) {
        s.a = u1 / uu;
        s.b = 0;
    } else if (s.a < 0) {
        s.a = 0;
        s.b = v1 / vv;
    }
    s.left = squares_of(p, s.a, s.b);
    return s;
}

/* Returns the share of the variance that the fit explains. The constant part alone explains
   nothing, so the share is at least 0. */
static double r_squared(const struct points *p, double chi)
{
    double weights = 0;
    double mean = 0;
    double all = 0;

    for (size_t i = 0; i < p->count; i++) {
        double u = 1 / p->cost[i];

        weights += weight_of(p, i) * u * u;
        mean += weight_of(p, i) * u;
    }
    all = squares_of(&(struct points){.n = p->n,
                                      .cost = p->cost,
                                      .error = p->error,
                                      .count = p->count,
                                      .growth = TCH_O_1,
                                      .power = NAN},
                     mean / weights, 0)
              .chi;
    return all > 0 ? fmax(0, 1 - chi / all) : 1;
}

/* Returns an upper bound (99 %) of the share of the cost at the largest n that has grown since the
   smallest n. */
static double most_growth(const struct points *p, const struct solution *s, double scale)
{
    size_t low = 0;
    size_t high = 0;

    for (size_t i = 1; i < p->count; i++) {
        low = p->n[i] < p->n[low] ? i : low;
        high = p->n[i] > p->n[high] ? i : high;
    }
    return (s->b + 2.326 * sqrt(s->b_variance * scale)) *
           (f_of(p, p->n[high]) - f_of(p, p->n[low])) / p->cost[high];
}

/* Returns the degrees of freedom. A constant part of 0 was not fitted and uses none. */
static size_t freedom_of(const struct points *p, const struct solution *s)
{
    return p->count - (p->growth == TCH_O_1 || s->a == 0 || s->b == 0 ? 1 : 2);
}

/* Fits all growths, finds the best one, and rules out those that the costs contradict. */
static void fit_models(struct points *p, double alpha, struct tch_fit *ret)
{
    struct solution s[TCH_GROWTHS];
    double scale;

    ret->best = 0;
    for (int i = 0; i < TCH_GROWTHS; i++) {
        struct tch_fit_model *m = &ret->model[i];

        p->growth = (enum tch_growth)i;
        s[i] = solve(p);
        m->a = s[i].a;
        m->b = s[i].b;
        m->rms = sqrt(s[i].left.plain / (double)p->count);
        m->r2 = r_squared(p, s[i].left.chi);
        m->bic = s[i].left.chi + (i == TCH_O_1 ? 1 : 2) * log((double)p->count);
        if (m->bic < ret->model[ret->best].bic)
            ret->best = i;
    }
    /* Claims growth only when it is at least 20 times as likely as none. */
    if (ret->model[TCH_O_1].bic - ret->model[ret->best].bic <= 6)
        ret->best = TCH_O_1;
    p->growth = (enum tch_growth)ret->best;
    scale = fmax(1, s[ret->best].left.chi / (double)freedom_of(p, &s[ret->best]));
    for (int i = 0; i < TCH_GROWTHS; i++) {
        p->growth = (enum tch_growth)i;
        ret->model[i].open = tch_chi_above(s[i].left.chi / scale, freedom_of(p, &s[i])) >= alpha &&
                             (i == TCH_O_1 || most_growth(p, &s[i], scale) >= TCH_FIT_GROWN);
    }
    ret->model[ret->best].open = true;
}

/* Fits a free exponent by trying every hundredth up to 5, which is fine enough in practice. The
   exponents that Student's t does not rule out form its interval. */
static void fit_exponent(struct points *p, struct tch_fit *ret)
{
    enum { STEPS = 500 };
    double sum[STEPS];
    size_t freedom = p->count - 3;
    double t = tch_t95(freedom);
    size_t best = 0;
    double limit;

    for (size_t i = 0; i < STEPS; i++) {
        p->power = (double)(i + 1) / 100;
        sum[i] = solve(p).left.chi;
        if (sum[i] < sum[best])
            best = i;
    }
    limit = sum[best] * (1 + t * t / (double)freedom) + 1e-12;
    ret->exponent = (double)(best + 1) / 100;
    for (size_t i = 0; i < STEPS; i++)
        if (sum[i] <= limit) {
            if (isnan(ret->exponent_low))
                ret->exponent_low = (double)(i + 1) / 100;
            ret->exponent_high = (double)(i + 1) / 100;
        }
}

static size_t count_different(const double *n, size_t count)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        bool again = false;

        for (size_t j = 0; j < i; j++)
            again |= n[j] == n[i];
        found += !again;
    }
    return found;
}

void tch_fit_growth(const double *n, const double *cost, const double *error, size_t count,
                    double alpha, struct tch_fit *ret)
{
    struct points p = {.n = n, .cost = cost, .error = error, .count = count, .power = NAN};

    *ret = (struct tch_fit){
        .points = count, .best = -1, .exponent = NAN, .exponent_low = NAN, .exponent_high = NAN};
    if (count_different(n, count) < TCH_FIT_LEAST)
        return;
    fit_models(&p, alpha, ret);
    if (ret->best != TCH_O_1)
        fit_exponent(&p, ret);
}

/* Drops blanks, '*', brackets and the 'O' of a formula: "O(n * log(n))" and "N LOG N" both become
   "nlogn". */
static void squeeze(const char *text, char *out, size_t size)
{
    size_t n = 0;

    for (; *text && n + 1 < size; text++)
        if (!strchr(" \t*()^", *text))
            out[n++] = (char)tolower((unsigned char)*text);
    out[n] = '\0';
    if (out[0] == 'o')
        memmove(out, out + 1, n);
}

int tch_expect_parse(const char *text, struct tch_expect *ret, tacho_error *err)
{
    bool at_most = strncmp(text, "<=", 2) == 0;
    char given[64];
    char name[64];

    squeeze(at_most ? text + 2 : text, given, sizeof given);
    for (int i = 0; i < TCH_GROWTHS; i++) {
        squeeze(tch_growth_names[i], name, sizeof name);
        if (strcmp(given, name) == 0) {
            *ret = (struct tch_expect){text, (enum tch_growth)i, at_most};
            return 0;
        }
    }
    return tch_fail(
        err, TACHO_EINVAL, 0,
        "'%.40s' is not a growth; use 1, log n, n, n log n, n^2 or n^3, optionally after <=", text);
}

bool tch_fit_contradicts(const struct tch_fit *fit, const struct tch_expect *expect)
{
    bool possible = fit->best < 0 || fit->model[expect->growth].open;

    for (int i = 0; i < (int)expect->growth && expect->at_most; i++)
        possible |= fit->model[i].open;
    return !possible;
}
