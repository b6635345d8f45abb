/*
 * How a cost grows: least squares of the relative errors for each growth, compared by the criterion
 * of G. Schwarz (1978). A growth within TCH_FIT_APART of the best is not ruled out.
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
    size_t count;
    enum tch_growth growth;
    double power; /* not NAN: n^power instead of the growth */
};

static double f_of(const struct points *p, double n)
{
    return isnan(p->power) ? tch_growth_of(p->growth, n) : pow(n, p->power);
}

static double squares(const struct points *p, double a, double b)
{
    double sum = 0;

    for (size_t i = 0; i < p->count; i++) {
        double e = 1 - (a + b * f_of(p, p->n[i])) / p->cost[i];

        sum += e * e;
    }
    return sum;
}

/*
 * Least squares of 1 - (a + b f) / cost, which is linear in a and b: with u = 1 / cost and
 * v = f / cost two equations in two unknowns. One that would come out negative is left out.
 * Returns the sum of squares.
 */
static double solve(const struct points *p, double *a, double *b)
{
    double uu = 0, uv = 0, vv = 0, u1 = 0, v1 = 0, det;

    for (size_t i = 0; i < p->count; i++) {
        double u = 1 / p->cost[i];
        double v = f_of(p, p->n[i]) * u;

        uu += u * u;
        uv += u * v;
        vv += v * v;
        u1 += u;
        v1 += v;
    }
    det = uu * vv - uv * uv;
    *a = det > 1e-12 * uu * vv ? (u1 * vv - v1 * uv) / det : 0;
    *b = det > 1e-12 * uu * vv ? (v1 * uu - u1 * uv) / det : 0;
    if (*b <= 0) {
        *a = u1 / uu;
        *b = 0;
    } else if (*a < 0) {
        *a = 0;
        *b = v1 / vv;
    }
    return squares(p, *a, *b);
}

/* 1 - what is left of the variance, of the costs as they are. */
static double r_squared(const struct points *p, double a, double b)
{
    double mean = 0;
    double all = 0;
    double left = 0;

    for (size_t i = 0; i < p->count; i++)
        mean += p->cost[i] / (double)p->count;
    for (size_t i = 0; i < p->count; i++) {
        double e = p->cost[i] - a - b * f_of(p, p->n[i]);

        all += (p->cost[i] - mean) * (p->cost[i] - mean);
        left += e * e;
    }
    return all > 0 ? 1 - left / all : 1;
}

static void fit_model(struct points *p, struct tch_fit_model *m)
{
    double n = (double)p->count;
    double unknowns = p->growth == TCH_O_1 ? 2 : 3; /* the size of the errors is one */
    double s = solve(p, &m->a, &m->b) / n;

    m->rms = sqrt(s);
    m->r2 = r_squared(p, m->a, m->b);
    m->bic = n * log(s + TCH_FIT_FLOOR * TCH_FIT_FLOOR) + unknowns * log(n);
}

/* The free exponent: every hundredth up to 5 is tried, which is as fine as anybody asks for; those
   that Student's t does not rule out are its interval. */
static void fit_exponent(struct points *p, struct tch_fit *ret)
{
    enum { STEPS = 500 };
    double sum[STEPS];
    size_t freedom = p->count - 3;
    double t = tch_t95(freedom);
    size_t best = 0;
    double limit;
    double a, b;

    for (size_t i = 0; i < STEPS; i++) {
        p->power = (double)(i + 1) / 100;
        sum[i] = solve(p, &a, &b);
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

void tch_fit_growth(const double *n, const double *cost, size_t count, struct tch_fit *ret)
{
    struct points p = {.n = n, .cost = cost, .count = count, .power = NAN};

    *ret = (struct tch_fit){
        .points = count, .best = -1, .exponent = NAN, .exponent_low = NAN, .exponent_high = NAN};
    if (count_different(n, count) < TCH_FIT_LEAST)
        return;
    ret->best = 0;
    for (int i = 0; i < TCH_GROWTHS; i++) {
        p.growth = (enum tch_growth)i;
        fit_model(&p, &ret->model[i]);
        if (ret->model[i].bic < ret->model[ret->best].bic)
            ret->best = i;
    }
    /* Each holds O(1) as b = 0: one that is no better than it speaks for no growth. */
    for (int i = 0; i < TCH_GROWTHS; i++)
        ret->model[i].open = ret->model[i].bic - ret->model[ret->best].bic <= TCH_FIT_APART &&
                             (i == TCH_O_1 || ret->model[i].bic < ret->model[TCH_O_1].bic);
    if (ret->best != TCH_O_1)
        fit_exponent(&p, ret);
}

/* "O(n * log(n))" and "N LOG N" are both "nlogn". */
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
        "'%.40s' is no growth: 1, log n, n, n log n, n^2 or n^3, perhaps with <= before "
        "it",
        text);
}

bool tch_fit_contradicts(const struct tch_fit *fit, const struct tch_expect *expect)
{
    bool possible = fit->best < 0 || fit->model[expect->growth].open;

    for (int i = 0; i < (int)expect->growth && expect->at_most; i++)
        possible |= fit->model[i].open;
    return !possible;
}
