/*
 * Main effects and interactions of the parameters, by analysis of variance (R. A. Fisher, 1925) of
 * the logarithms of the cells' medians. A complete grid is balanced, so the sums of squares of all
 * effects add up.
 */
#include <math.h>

#include "base/array.h"
#include "base/fail.h"
#include "kit/stats/mean_interval.h"
#include "kit/stats/order_stats.h"
#include "sweep_results.h"

/* Returns whether every cell has a positive cost and more than one parameter varies. */
static bool can_have_effects(const struct tch_results *r)
{
    const struct tch_grid *grid = r->sweep->plan->grid;
    size_t varied = 0;

    for (size_t i = 0; i < grid->count; i++)
        varied += grid->param[i].count > 1;
    for (size_t i = 0; i < r->sweep->cells; i++)
        if (r->measure_count == 0 || !(r->cells[i].value[r->cost].median > 0) ||
            r->cells[i].value[r->cost].series.count == 0)
            return false;
    return varied > 1;
}

/* Returns the number of a cell's combination of values of some parameters, among all such
   combinations. */
static size_t place_of(const struct tch_grid *grid, size_t cell, tch_params which)
{
    size_t place = 0;

    for (size_t i = 0; which >> i; i++)
        if (which >> i & 1)
            place = place * grid->param[i].count + tch_grid_index(grid, cell, i);
    return place;
}

static size_t combinations(const struct tch_grid *grid, tch_params which)
{
    size_t count = 1;

    for (size_t i = 0; which >> i; i++)
        count *= which >> i & 1 ? grid->param[i].count : 1;
    return count;
}

/*
 * Subtracts the mean of each combination from the residuals and returns the sum of squares that
 * this explains. Main effects must be subtracted first. Then an interaction explains only what they
 * left.
 */
static double take_out(const struct tch_results *r, tch_params which, double *left, double *means)
{
    const struct tch_grid *grid = r->sweep->plan->grid;
    size_t count = combinations(grid, which);
    double each = (double)r->sweep->cells / (double)count;
    double squares = 0;

    for (size_t i = 0; i < count; i++)
        means[i] = 0;
    for (size_t i = 0; i < r->sweep->cells; i++)
        means[place_of(grid, i, which)] += left[i] / each;
    for (size_t i = 0; i < r->sweep->cells; i++)
        left[i] -= means[place_of(grid, i, which)];
    for (size_t i = 0; i < count; i++)
        squares += each * means[i] * means[i];
    return squares;
}

/* Returns the degrees of freedom of a main effect or an interaction. */
static size_t freedom_of(const struct tch_grid *grid, tch_params which)
{
    size_t freedom = 1;

    for (size_t i = 0; which >> i; i++)
        freedom *= which >> i & 1 ? grid->param[i].count - 1 : 1;
    return freedom;
}

static int add_effect(struct tch_results *r, tch_params which, double *left, double *means,
                      tacho_error *err)
{
    size_t freedom = freedom_of(r->sweep->plan->grid, which);
    struct tch_effect *e;

    if (freedom == 0)
        return 0;
    if (tch_array_extend(&r->effects, r->effect_count) < 0)
        return tch_fail_memory(err);
    e = &r->effects[r->effect_count++];
    *e = (struct tch_effect){.which = which, .share = take_out(r, which, left, means)};
    /* If there is no effect, its sum of squares comes from the errors of the medians alone. */
    e->p = r->noise > 0 ? tch_chi_above(e->share / r->noise, freedom) : e->share > 0 ? 0 : 1;
    return 0;
}

static int by_share(const void *a, const void *b)
{
    double x = ((const struct tch_effect *)a)->share;
    double y = ((const struct tch_effect *)b)->share;

    return (x < y) - (x > y);
}

/* Adds the logarithms of a cell's costs, minus their median, each to the row of its round. */
static void add_to_rounds(const struct tch_series *s, double median,
                          const struct tch_series *rounds, double *table, size_t *count,
                          size_t cells)
{
    for (size_t i = 0, k = 0; i < s->count; i++) {
        while (k < rounds->count && rounds->pair[k] < s->pair[i])
            k++;
        if (k < rounds->count && rounds->pair[k] == s->pair[i] && s->value[i] > 0)
            table[k * cells + count[k]++] = log(s->value[i] / median);
    }
}

/*
 * Estimates the squared error of a cell's median without the error that all cells of a round share.
 * A lasting disturbance, such as another program, affects all of them and makes no cell better. The
 * estimate uses the median absolute deviation; the variance of a median is pi / 2 sigma^2 / n.
 */
static int measure_noise(struct tch_results *r, tacho_error *err)
{
    const struct tch_series *rounds = &r->cells[0].value[r->cost].series;
    size_t cells = r->sweep->cells;
    double *table = malloc((rounds->count + 1) * cells * sizeof *table);
    size_t *count = calloc(rounds->count + 1, sizeof *count);
    size_t n = 0;

    for (size_t i = 0; table && count && i < cells; i++)
        add_to_rounds(&r->cells[i].value[r->cost].series, r->cells[i].value[r->cost].median, rounds,
                      table, count, cells);
    for (size_t k = 0; table && count && k < rounds->count; k++) {
        double shared = count[k] > 0 ? tch_median(table + k * cells, count[k]) : 0;

        for (size_t i = 0; i < count[k]; i++)
            table[n++] =
                fabs(table[k * cells + i] - shared); /* n never overtakes the index that is read */
    }
    if (n > 0) {
        double sigma = 1.4826 * tch_median(table, n);

        r->noise = acos(-1) / 2 * sigma * sigma / (double)rounds->count;
    }
    free(count);
    free(table);
    return n > 0 ? 0 : tch_fail_memory(err);
}

static int find_effects(struct tch_results *r, double *left, double *means, tacho_error *err)
{
    size_t params = r->sweep->plan->grid->count;
    double total = 0;
    int status = measure_noise(r, err);

    for (size_t i = 0; i < r->sweep->cells; i++)
        left[i] = log(r->cells[i].value[r->cost].median);
    take_out(r, 0, left, means); /* subtract the overall mean */
    for (size_t i = 0; i < r->sweep->cells; i++)
        total += left[i] * left[i];
    for (size_t i = 0; i < params && status == 0; i++)
        status = add_effect(r, (tch_params)1 << i, left, means, err);
    for (size_t i = 0; i < params && status == 0; i++)
        for (size_t k = i + 1; k < params && status == 0; k++)
            status = add_effect(r, (tch_params)1 << i | (tch_params)1 << k, left, means, err);
    for (size_t i = 0; i < r->effect_count; i++)
        r->effects[i].share = total > 0 ? r->effects[i].share / total : 0;
    qsort(r->effects, r->effect_count, sizeof *r->effects, by_share);
    return status;
}

int tch_results_effects(struct tch_results *r, tacho_error *err)
{
    size_t cells = r->sweep->cells;
    double *left;
    int status;

    if (!can_have_effects(r))
        return 0;
    left = malloc(2 * cells * sizeof *left);
    if (!left)
        return tch_fail_memory(err);
    status = find_effects(r, left, left + cells, err);
    free(left);
    return status;
}

double tch_effect_ratio(const struct tch_results *r, size_t param, size_t index)
{
    const struct tch_grid *grid = r->sweep->plan->grid;
    double all = 0;
    double some = 0;

    for (size_t i = 0; i < r->sweep->cells; i++) {
        double cost = log(r->cells[i].value[r->cost].median);

        all += cost;
        some += tch_grid_index(grid, i, param) == index ? cost : 0;
    }
    return exp((some * (double)grid->param[param].count - all) / (double)r->sweep->cells);
}

void tch_effect_name(const struct tch_results *r, const struct tch_effect *e, struct tch_buf *b)
{
    const char *join = "";

    for (size_t i = 0; e->which >> i; i++)
        if (e->which >> i & 1) {
            tch_buf_addf(b, "%s%s", join, r->sweep->plan->grid->param[i].name);
            join = " x ";
        }
}
