/*
 * Fits growths to costs: weighted least squares of the relative errors for each growth.
 *
 * Each cost has a known error, that of its median and TCH_FIT_FLOOR together. Let chi be the sum of
 * squared residuals in units of these errors, and `least` the smallest chi of all growths and of
 * a + b n^k with any k. Two tests ask whether a growth fits worse than that by chance:
 *
 * - by the known errors: chi - least follows the chi-square distribution of 1 degree of freedom
 *   (K. Pearson, 1900);
 * - by the residuals of the best growth, or of the best k: (chi - least) divided by their mean
 *   square follows the square of Student's t.
 *
 * The first is right if the errors are, the second if all errors are wrong by the same factor, as
 * on a busy machine. A growth is ruled out only when both reject it, so one of the two assumptions
 * is enough. It is also ruled out when its growing part is surely close to 0. The best growth is
 * chosen by the criterion of G. Schwarz (1978).
 *
 * The same tests of n^k give the interval of the exponent. So it contains 1, 2 or 3 exactly if n,
 * n^2 or n^3 is not ruled out.
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

/* The fits that every growth and exponent is compared with. */
struct yardstick {
    double least;   /* smallest chi of all fits */
    double best;    /* chi of the best growth */
    size_t freedom; /* degrees of freedom of the best growth; a free exponent has one less */
    double alpha;
};

/* Returns the probability of a chi that is larger by `worse`, if `chi` shows how large the errors
   are. */
static double by_residuals(double worse, double chi, size_t freedom)
{
    if (worse <= 1e-12)
        return 1;
    return chi > 0 ? tch_t_beyond(sqrt(worse * (double)freedom / chi), freedom) : 0;
}

/* Returns whether the costs do not rule out this fit. */
static bool is_open(const struct points *p, const struct solution *s, const struct yardstick *y)
{
    bool grows = !isnan(p->power) || p->growth != TCH_O_1;
    double worse = fmax(0, s->left.chi - y->least);
    bool likely = tch_chi_above(worse, 1) >= y->alpha ||
                  (by_residuals(worse, y->best, y->freedom) >= y->alpha &&
                   by_residuals(worse, y->least, y->freedom - 1) >= y->alpha);

    return likely &&
           (!grows || most_growth(p, s, fmax(1, y->best / (double)y->freedom)) >= TCH_FIT_GROWN);
}

/* Exponents from 0.01 to 5 in steps of a hundredth, which is fine enough in practice. */
enum { EXPONENTS = 500 };

static double power_at(int i)
{
    return (double)(i + 1) / 100;
}

/* Fits all growths and finds the best one. */
static void fit_models(struct points *p, struct solution s[TCH_GROWTHS], struct tch_fit *ret)
{
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
}

/* Returns the exponent of a growth that is a power of n, or 0. */
static int power_of(int growth)
{
    return growth == TCH_O_N ? 1 : growth == TCH_O_N2 ? 2 : growth == TCH_O_N3 ? 3 : 0;
}

/* Fits every exponent and finds the best one. */
static void fit_powers(struct points *p, struct solution power[EXPONENTS], struct tch_fit *ret)
{
    int best = 0;

    for (int i = 0; i < EXPONENTS; i++) {
        p->power = power_at(i);
        power[i] = solve(p);
        best = power[i].left.chi < power[best].left.chi ? i : best;
    }
    p->power = NAN;
    ret->exponent = power_at(best);
}

/* Sets the interval of the exponent to all that are not ruled out. */
static void find_interval(struct points *p, const struct solution power[EXPONENTS],
                          const struct yardstick *y, struct tch_fit *ret)
{
    int best_power = power_of(ret->best);

    ret->exponent_low = ret->exponent_high = best_power > 0 ? best_power : ret->exponent;
    for (int i = 0; i < EXPONENTS; i++) {
        p->power = power_at(i);
        if (!is_open(p, &power[i], y))
            continue;
        ret->exponent_low = fmin(ret->exponent_low, p->power);
        ret->exponent_high = fmax(ret->exponent_high, p->power);
    }
}

/* Fits everything and rules out what the costs contradict. */
static void fit_all(struct points *p, double alpha, struct tch_fit *ret)
{
    struct solution growth[TCH_GROWTHS];
    struct solution power[EXPONENTS];
    struct yardstick y = {.least = INFINITY, .freedom = p->count - 2, .alpha = alpha};

    fit_models(p, growth, ret);
    fit_powers(p, power, ret);
    y.best = growth[ret->best].left.chi;
    for (int i = 0; i < TCH_GROWTHS; i++)
        y.least = fmin(y.least, growth[i].left.chi);
    for (int i = 0; i < EXPONENTS; i++)
        y.least = fmin(y.least, power[i].left.chi);
    for (int i = 0; i < TCH_GROWTHS; i++) {
        p->growth = (enum tch_growth)i;
        ret->model[i].open = i == ret->best || is_open(p, &growth[i], &y);
    }
    if (ret->best == TCH_O_1)
        ret->exponent = NAN;
    else
        find_interval(p, power, &y, ret);
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
    fit_all(&p, alpha, ret);
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
