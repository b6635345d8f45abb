/* Finds the best cells of a sweep, and how its cost grows. */
#include <math.h>

#include "base/fail.h"
#include "kit/judge/quantity.h"
#include "sweep_results.h"

enum { NAME_MOST = 256 };

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

static bool same_workload(const struct tch_results *r, size_t a, size_t b)
{
    for (size_t i = 0; r->best_per >> i; i++)
        if ((r->best_per >> i & 1) && tch_grid_index(r->sweep->plan->grid, a, i) !=
                                          tch_grid_index(r->sweep->plan->grid, b, i))
            return false;
    return true;
}

static enum tch_best best_of(const struct tch_results *r, size_t cell)
{
    enum tch_best best = TCH_BEST_YES;

    if (!is_known(r, cell))
        return TCH_BEST_NO;
    for (size_t i = 0; i < r->sweep->cells; i++) {
        if (i == cell || !is_known(r, i) || !same_workload(r, i, cell))
            continue;
        if (beats(r, i, cell, true))
            return TCH_BEST_NO;
        if (beats(r, i, cell, false))
            best = TCH_BEST_MAYBE;
    }
    return best;
}

/* Copies the next name of a list with commas, and moves *at after it. Returns false at the end. */
static bool next_name(const char **at, char name[NAME_MOST])
{
    size_t len = *at ? strcspn(*at, ",") : 0;

    if (!*at)
        return false;
    snprintf(name, NAME_MOST, "%.*s", (int)len, *at);
    *at = (*at)[len] ? *at + len + 1 : NULL;
    return true;
}

/* The measure of "max:NAME", "min:NAME" or NAME. */
static const char *measure_of(const char *objective, bool *more)
{
    *more = strncmp(objective, "max:", 4) == 0;
    return objective + (*more || strncmp(objective, "min:", 4) == 0 ? 4 : 0);
}

static int find_params(const struct tch_grid *grid, const char *names, tch_params *ret,
                       tacho_error *err)
{
    char name[NAME_MOST];

    *ret = 0;
    while (next_name(&names, name)) {
        size_t i = 0;

        while (i < grid->count && strcmp(grid->param[i].name, name) != 0)
            i++;
        if (i == grid->count)
            return tch_fail(err, TACHO_EINVAL, 0,
                            "there is no parameter '%.80s' to choose the best per value of", name);
        *ret |= (tch_params)1 << i;
    }
    return 0;
}

static int too_many_objectives(tacho_error *err)
{
    return tch_fail(err, TACHO_EINVAL, 0, "the best can be chosen by %d measures at most",
                    TCH_OBJECTIVES);
}

int tch_results_best(struct tch_results *r, const struct tch_sweep_asked *asked, tacho_error *err)
{
    const char *at = asked->pareto ? asked->pareto : "wall_ns,max_rss_bytes";
    char name[NAME_MOST];
    int status = 0;

    r->objective_count = 0;
    if (asked->best_per)
        status = find_params(r->sweep->plan->grid, asked->best_per, &r->best_per, err);
    if (status < 0 || r->measure_count == 0)
        return status; /* no measures: every cell has failed */
    while (next_name(&at, name)) {
        struct tch_objective *o = &r->objective[r->objective_count];
        bool more;
        int measure = tch_results_measure(r, measure_of(name, &more));

        if (measure < 0)
            return tch_fail(err, TACHO_EINVAL, 0,
                            "nothing called '%.80s' was measured; results.csv has the names",
                            measure_of(name, &more));
        if (r->objective_count == TCH_OBJECTIVES)
            return too_many_objectives(err);
        *o = (struct tch_objective){.measure = (size_t)measure, .more = more};
        r->objective_count++;
    }
    for (size_t i = 0; i < r->sweep->cells; i++)
        r->cells[i].best = best_of(r, i);
    return 0;
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

/* Returns the relative standard error of a median, from its interval, or from the range where there
   were too few runs for one. */
static double error_of(const struct tch_cell_value *v)
{
    return (v->high - v->low) / 2 / v->median / (v->level > 0 ? 1.96 : 1);
}

/* The cells from s->first on that differ in the one parameter alone. */
static int fit_series(struct tch_results *r, struct tch_growth_series *s, double alpha,
                      tacho_error *err)
{
    const struct tch_grid *grid = r->sweep->plan->grid;
    const struct tch_param *p = &grid->param[r->along];
    size_t step = tch_grid_step(grid, (size_t)r->along);
    double *n = malloc(3 * p->count * sizeof *n);
    double *cost = n + p->count;
    double *error = cost + p->count;
    size_t count = 0;

    if (!n)
        return tch_fail_memory(err);
    for (size_t i = 0; i < p->count; i++) {
        const struct tch_cell_value *v = &r->cells[s->first + i * step].value[r->cost];

        if (v->median > 0) {
            n[count] = p->number[i];
            cost[count] = v->median;
            error[count++] = error_of(v);
        }
    }
    tch_fit_growth(n, cost, error, count, alpha, &s->fit);
    free(n);
    return 0;
}

static int make_series(struct tch_results *r, tacho_error *err)
{
    const struct tch_grid *grid = r->sweep->plan->grid;
    tch_params others = tch_grid_all(grid) & ~(1u << r->along);
    double alpha = TCH_RUN_ALPHA * (double)grid->param[r->along].count / (double)r->sweep->cells;
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
        status = fit_series(r, s, alpha, err);
        r->series_count++;
    }
    return status;
}

static int find_growth(const struct tch_grid *grid, const struct tch_sweep_asked *asked, int *along,
                       struct tch_expect *expect, tacho_error *err)
{
    int status = asked->expect ? tch_expect_parse(asked->expect, expect, err) : 0;

    if (status < 0)
        return status;
    *along = find_along(grid, asked->along, asked->along || asked->expect);
    if (*along < 0 && (asked->along || asked->expect))
        return tch_fail(err, TACHO_EINVAL, 0,
                        "how the cost grows needs one parameter whose values are all numbers above "
                        "0%s",
                        asked->along ? "" : "; with several, name it: --along NAME");
    return 0;
}

int tch_results_growth(struct tch_results *r, const struct tch_sweep_asked *asked, tacho_error *err)
{
    const char *cost = asked->cost ? asked->cost : "wall_ns";
    int measure = tch_results_measure(r, cost);
    int status = find_growth(r->sweep->plan->grid, asked, &r->along, &r->expect, err);

    if (status < 0)
        return status;
    if (measure < 0 && (asked->cost || r->measure_count > 0))
        return tch_fail(err, TACHO_EINVAL, 0,
                        "nothing called '%.80s' was measured; results.csv has the names", cost);
    r->cost = measure < 0 ? 0 : (size_t)measure;
    if (r->along < 0 || measure < 0)
        return 0;
    status = make_series(r, err);
    for (size_t i = 0; i < r->series_count && asked->expect && status == 0; i++)
        r->unexpected += tch_fit_contradicts(&r->series[i].fit, &r->expect);
    return status;
}

/*
 * Before the first run.
 */

static int check_measure(const struct tch_run_plan *plan, const char *name, tacho_error *err)
{
    struct tch_quantity q;

    for (size_t i = 0; i < plan->metric_count; i++)
        if (strcmp(plan->metrics[i].id.name, name) == 0)
            return 0;
    if (strcmp(name, "throughput") == 0 && plan->work > 0)
        return 0;
    if (tch_quantity_find(NULL, name, &q) && q.kind == TCH_QUANTITY_FIELD)
        return 0;
    return tch_fail(
        err, TACHO_EINVAL, 0,
        "nothing called '%.80s' is measured: there are wall, user, system, memory, energy "
        "and so on, throughput with --work, and what --metric names",
        name);
}

int tch_sweep_asked_check(const struct tch_sweep_asked *asked, const struct tch_sweep_plan *plan,
                          tacho_error *err)
{
    const char *at = asked->pareto;
    struct tch_expect expect;
    tch_params per;
    char name[NAME_MOST];
    bool more;
    int along;
    int status = asked->cost ? check_measure(&plan->run, asked->cost, err) : 0;

    for (size_t i = 0; status == 0 && next_name(&at, name); i++)
        status = i < TCH_OBJECTIVES ? check_measure(&plan->run, measure_of(name, &more), err)
                                    : too_many_objectives(err);
    if (status == 0)
        status = find_params(plan->grid, asked->best_per, &per, err);
    if (status == 0)
        status = find_growth(plan->grid, asked, &along, &expect, err);
    return status;
}
