/* Finds the best cells of a sweep, and how its cost grows. */
#include <math.h>

#include "base/fail.h"
#include "sweep_results.h"

/*
 * The best.
 */

/* How good, so that less is better. */
struct range {
    double low, median, high;
};

static struct range range_of(const struct tch_results *r, size_t cell, size_t k)
{
    const struct tch_objective *o = &r->objective[k];
    const struct tch_cell_value *v = &r->cells[cell].value[o->measure];

    return o->more ? (struct range){-v->high, -v->median, -v->low}
                   : (struct range){v->low, v->median, v->high};
}

static bool is_known(const struct tch_results *r, size_t cell)
{
    for (size_t k = 0; k < r->objective_count; k++)
        if (isnan(range_of(r, cell, k).median))
            return false;
    return true;
}

/* a beats b: it is worse in nothing and better in something, by the medians or, `surely`, with the
   whole interval. */
static bool beats(const struct tch_results *r, size_t a, size_t b, bool surely)
{
    bool better = false;

    for (size_t k = 0; k < r->objective_count; k++) {
        struct range x = range_of(r, a, k);
        struct range y = range_of(r, b, k);

        if (surely ? x.low > y.high : x.median > y.median)
            return false;
        better |= surely ? x.high < y.low : x.median < y.median;
    }
    return better;
}

static enum tch_best best_of(const struct tch_results *r, size_t cell)
{
    enum tch_best best = TCH_BEST_YES;

    if (!is_known(r, cell))
        return TCH_BEST_NO;
    for (size_t i = 0; i < r->sweep->cells; i++) {
        if (i == cell || !is_known(r, i))
            continue;
        if (beats(r, i, cell, true))
            return TCH_BEST_NO;
        if (beats(r, i, cell, false))
            best = TCH_BEST_MAYBE;
    }
    return best;
}

static int add_objective(struct tch_results *r, const char *text, size_t len, tacho_error *err)
{
    bool more = len > 4 && strncmp(text, "max:", 4) == 0;
    bool less = len > 4 && strncmp(text, "min:", 4) == 0;
    char name[256];
    int at;

    snprintf(name, sizeof name, "%.*s", (int)len - (more || less ? 4 : 0),
             text + (more || less ? 4 : 0));
    at = tch_results_measure(r, name);
    if (at < 0)
        return tch_fail(err, TACHO_EINVAL, 0,
                        "nothing called '%.80s' was measured; results.csv has the names", name);
    if (r->objective_count == TCH_OBJECTIVES)
        return tch_fail(err, TACHO_EINVAL, 0, "the best can be chosen by %d measures at most",
                        TCH_OBJECTIVES);
    r->objective[r->objective_count++] =
        (struct tch_objective){.measure = (size_t)at, .more = more};
    return 0;
}

int tch_results_best(struct tch_results *r, const char *objectives, tacho_error *err)
{
    const char *at = objectives ? objectives : "wall_ns,max_rss_bytes";
    int status = 0;

    r->objective_count = 0;
    if (r->measure_count == 0)
        return 0; /* every cell has failed */
    while (status == 0) {
        size_t len = strcspn(at, ",");

        status = add_objective(r, at, len, err);
        if (at[len] == '\0')
            break;
        at += len + 1;
    }
    for (size_t i = 0; i < r->sweep->cells && status == 0; i++)
        r->cells[i].best = best_of(r, i);
    return status;
}

/*
 * Growth.
 */

/* A logarithm needs more than 0. */
static bool can_grow(const struct tch_param *p)
{
    bool fine = p->numeric && p->count > 1;

    for (size_t i = 0; i < p->count && fine; i++)
        fine = p->number[i] > 0;
    return fine;
}

/* The one named, or the only numeric one of more than one value, if it has enough of them; -1:
   there is none. */
static int find_along(const struct tch_grid *grid, const char *name, bool asked)
{
    int found = -1;

    for (size_t i = 0; i < grid->count; i++) {
        const struct tch_param *p = &grid->param[i];

        if (name ? strcmp(p->name, name) != 0 : !p->numeric || p->count < 2)
            continue;
        if (found >= 0)
            return -1;
        found = (int)i;
    }
    if (found < 0 || !can_grow(&grid->param[found]))
        return -1;
    return asked || grid->param[found].count >= TCH_FIT_LEAST ? found : -1;
}

/* The cells from s->first on that differ in the one parameter alone. */
static int fit_series(struct tch_results *r, struct tch_growth_series *s, tacho_error *err)
{
    const struct tch_grid *grid = r->sweep->plan->grid;
    const struct tch_param *p = &grid->param[r->along];
    size_t step = tch_grid_step(grid, (size_t)r->along);
    double *n = malloc(2 * p->count * sizeof *n);
    size_t count = 0;

    if (!n)
        return tch_fail_memory(err);
    for (size_t i = 0; i < p->count; i++) {
        double cost = r->cells[s->first + i * step].value[r->cost].median;

        if (cost > 0) {
            n[count] = p->number[i];
            n[p->count + count++] = cost;
        }
    }
    tch_fit_growth(n, n + p->count, count, &s->fit);
    free(n);
    return 0;
}

static int make_series(struct tch_results *r, tacho_error *err)
{
    const struct tch_grid *grid = r->sweep->plan->grid;
    tch_params others = tch_grid_all(grid) & ~(1u << r->along);
    int status = 0;

    r->series = calloc(r->sweep->cells, sizeof *r->series);
    if (!r->series)
        return tch_fail_memory(err);
    for (size_t i = 0; i < r->sweep->cells && status == 0; i++) {
        struct tch_growth_series *s = &r->series[r->series_count];

        if (tch_grid_index(grid, i, (size_t)r->along) != 0)
            continue;
        s->first = i;
        tch_grid_name(grid, i, others, "cell", s->name);
        status = fit_series(r, s, err);
        r->series_count++;
    }
    return status;
}

int tch_results_growth(struct tch_results *r, const char *cost, const char *along,
                       const char *expect, tacho_error *err)
{
    int measure = tch_results_measure(r, cost ? cost : "wall_ns");
    int status = expect ? tch_expect_parse(expect, &r->expect, err) : 0;

    if (status < 0)
        return status;
    if (measure < 0 && (cost || r->measure_count > 0))
        return tch_fail(err, TACHO_EINVAL, 0,
                        "nothing called '%.80s' was measured; results.csv has the names",
                        cost ? cost : "wall_ns");
    r->cost = measure < 0 ? 0 : (size_t)measure;
    r->along = find_along(r->sweep->plan->grid, along, along || expect);
    if (r->along < 0 && (along || expect))
        return tch_fail(err, TACHO_EINVAL, 0,
                        "how the cost grows needs one parameter whose values are all numbers above "
                        "0%s",
                        along ? "" : "; with several, name it: --along NAME");
    if (r->along < 0 || measure < 0)
        return 0;
    status = make_series(r, err);
    for (size_t i = 0; i < r->series_count && expect && status == 0; i++)
        r->unexpected += tch_fit_contradicts(&r->series[i].fit, &r->expect);
    return status;
}
