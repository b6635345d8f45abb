/* Computes the levels of planned interim analyses, which spending.h describes. */
#include "spending.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "rank_null.h"
#include "rank_test.h"

enum { NODES = 72, HALVINGS = 44 };

static const double farthest = 8; /* in standard deviations: the density beyond is negligible */

/* Nodes and weights of the Gauss-Legendre quadrature on -1 to 1. */
struct rule {
    double x[NODES];
    double w[NODES];
};

static void make_rule(struct rule *rule)
{
    for (int i = 0; i < NODES; i++) {
        double x = cos(3.14159265358979323846 * (i + 0.75) / (NODES + 0.5));
        double slope = 1;

        for (int step = 0; step < 20; step++) { /* Newton's method, from a close start */
            double before = 1;
            double p = x;

            for (int k = 2; k <= NODES; k++) {
                double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;

                before = p;
                p = next;
            }
            slope = NODES * (x * p - before) / (x * x - 1);
            x -= p / slope;
        }
        rule->x[i] = x;
        rule->w[i] = 2 / ((1 - x * x) * slope * slope);
    }
}

/* The distribution of the sum of scores B at an analysis, restricted to the paths that crossed no
   level so far: density times quadrature weight, at the nodes. B has variance t. */
struct paths {
    double at[NODES];
    double mass[NODES];
    size_t count; /* 0: before the first analysis, where B is 0 */
    double t;
};

/* Returns P(no level crossed before, Z >= cut) at the analysis with share t. */
static double crossing(const struct paths *p, double t, double cut)
{
    double sd = sqrt(t - p->t);
    double sum = 0;

    if (p->count == 0)
        return tch_normal_above(cut);
    for (size_t i = 0; i < p->count; i++)
        sum += p->mass[i] * tch_normal_above((cut * sqrt(t) - p->at[i]) / sd);
    return sum;
}

static double normal_density(double x, double sd)
{
    return exp(-x * x / (2 * sd * sd)) / (sd * 2.50662827463100050242);
}

/* Advances the paths below the cut to the analysis with share t. */
static void advance(struct paths *p, const struct rule *rule, double t, double cut)
{
    double low = -farthest * sqrt(t);
    double half = (fmin(cut, farthest) * sqrt(t) - low) / 2;
    double sd = sqrt(t - p->t);
    struct paths next = {.count = NODES, .t = t};

    for (int i = 0; i < NODES; i++) {
        double density = p->count == 0 ? normal_density(low + half * (1 + rule->x[i]), sd) : 0;

        next.at[i] = low + half * (1 + rule->x[i]);
        for (size_t k = 0; k < p->count; k++)
            density += p->mass[k] * normal_density(next.at[i] - p->at[k], sd);
        next.mass[i] = density * half * rule->w[i];
    }
    *p = next;
}

/* Returns the z that spends `error` at this analysis. */
static double cut_for(const struct paths *p, double t, double error)
{
    double low = -farthest;
    double high = 40;

    for (int i = 0; i < HALVINGS; i++) {
        double middle = low + (high - low) / 2;

        if (crossing(p, t, middle) > error)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}

static double level_at(const struct rule *rule, const double *share, size_t analysis, double g)
{
    struct paths paths = {0};
    double cut = 0;

    for (size_t k = 0; k <= analysis; k++) {
        double before = k > 0 ? share[k - 1] : 0;

        if (k > 0)
            advance(&paths, rule, before, cut);
        cut = cut_for(&paths, share[k], g * (share[k] * share[k] - before * before));
    }
    return tch_normal_above(cut);
}

double tch_spending_level(const double *share, size_t analysis, double g)
{
    struct rule rule;

    make_rule(&rule);
    return level_at(&rule, share, analysis, g);
}

void tch_spending_init(struct tch_spending *s, const double *share, size_t analysis)
{
    bool once = analysis == 0 && share[0] >= 1;
    struct rule rule;

    make_rule(&rule);
    for (int i = 0; i < TCH_SPENDING_TABLE; i++) {
        double g = ldexp(1, -2 * i - 1);

        s->level[i] = once ? g : level_at(&rule, share, analysis, g);
    }
}

/* On logarithmic scales the level is almost a straight line of slope 1 over the error.
   Interpolation in the table is accurate to 0.5 % of the error. */
double tch_spending_error(const struct tch_spending *s, double p)
{
    int i = 0;
    double slope;

    if (p >= s->level[0])
        return fmin(1, 0.5 + (p - s->level[0]) / (1 - s->level[0]) / 2);
    while (i < TCH_SPENDING_TABLE - 2 && p < s->level[i + 1])
        i++;
    slope = log(4) / log(s->level[i] / s->level[i + 1]);
    return ldexp(exp(slope * log(p / s->level[i])), -2 * i - 1);
}
