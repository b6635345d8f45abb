/* Finds the best cells of a sweep, and fits how its cost grows. */
#include <math.h>

#include "base/fail.h"
#include "kit/result/series.h"
#include "kit/stats/flip.h"
#include "sweep_results.h"

enum { NAME_MOST = 256 };

/*
 * The best cells, by multiple comparisons with the best (J. C. Hsu, 1984). A cell leaves the set of
 * candidates when another cell beats it in the blocks in which both ran. Every block runs its cells
 * in a new random order, so the paired test is valid whatever the noise does. Rounds are parts of a
 * block for the sake of a baseline; two given cells of a large grid rarely share one. All rivals of
 * a cell and all objectives share the level, so the truly best cell stays in the set with a
 * probability of 95 %.
 */

/* Buffers for the comparison of two cells, each with room for one value per block. */
struct duel {
    double *x;
    double *y;
    double *e;
};

/* Pairs the values of the blocks in which both cells ran. Returns the number of pairs. */
static size_t pair_blocks(const struct tch_parts *parts, const struct tch_series *a,
                          const struct tch_series *b, struct duel *duel)
{
    size_t n = 0;

    for (size_t i = 0, k = 0; i < a->count; i++) {
        uint64_t block = tch_parts_block_of(parts, a->pair[i]);

        while (k < b->count && tch_parts_block_of(parts, b->pair[k]) < block)
            k++;
        if (k < b->count && tch_parts_block_of(parts, b->pair[k]) == block) {
            duel->x[n] = a->value[i];
            duel->y[n++] = b->value[k];
        }
    }
    return n;
}

/* Sets how much larger y is than x: the logarithm of the ratio or, if a value is not positive, the
   difference as a share of the largest value. */
static void set_differences(struct duel *duel, size_t n)
{
    double largest = 0;
    bool positive = true;

    for (size_t i = 0; i < n; i++) {
        positive &= duel->x[i] > 0 && duel->y[i] > 0;
        largest = fmax(largest, fmax(fabs(duel->x[i]), fabs(duel->y[i])));
    }
    for (size_t i = 0; i < n; i++)
        duel->e[i] = positive      ? log(duel->y[i] / duel->x[i])
                     : largest > 0 ? (duel->y[i] - duel->x[i]) / largest
                                   : 0;
}

/* Compares two cells in one objective. Returns 1 if a is better, -1 if it is worse, 0 if neither is
   shown, or TACHO_ENOMEM. */
static int compare_cells(const struct tch_results *r, size_t a, size_t b, size_t objective,
                         double level, struct duel *duel, tacho_error *err)
{
    const struct tch_objective *o = &r->objective[objective];
    struct tch_flip_tails tails;
    size_t n = pair_blocks(&r->sweep->parts, &r->cells[a].value[o->measure].series,
                           &r->cells[b].value[o->measure].series, duel);

    set_differences(duel, n);
    if (tch_flip_test(duel->e, n, &tails, err) < 0)
        return TACHO_ENOMEM;
    if (tails.above <= level)
        return o->more ? -1 : 1;
    return tails.below > level ? 0 : o->more ? 1 : -1;
}

/* Number of objectives in which a is shown to be better than b, and worse. */
struct score {
    size_t better;
    size_t worse;
};

static int score_of(const struct tch_results *r, size_t a, size_t b, double level,
                    struct duel *duel, struct score *ret, tacho_error *err)
{
    *ret = (struct score){0};
    for (size_t k = 0; k < r->objective_count; k++) {
        int side = compare_cells(r, a, b, k, level, duel, err);

        if (side == TACHO_ENOMEM)
            return TACHO_ENOMEM;
        ret->better += side > 0;
        ret->worse += side < 0;
    }
    return 0;
}

static bool is_known(const struct tch_results *r, size_t cell)
{
    for (size_t k = 0; k < r->objective_count; k++)
        if (isnan(r->cells[cell].value[r->objective[k].measure].median))
            return false;
    return true;
}

static bool same_workload(const struct tch_results *r, size_t a, size_t b)
{
    for (size_t i = 0; r->best_per >> i; i++)
        if ((r->best_per >> i & 1) && tch_grid_index(r->sweep->plan->grid, a, i) !=
                                          tch_grid_index(r->sweep->plan->grid, b, i))
            return false;
    return true;
}

static bool is_rival(const struct tch_results *r, size_t a, size_t b)
{
    return a != b && is_known(r, b) && same_workload(r, a, b);
}

/* Returns the share of TCH_RESULT_ALPHA for one comparison of a cell with one of its rivals. */
static double level_of(const struct tch_results *r, size_t cell)
{
    size_t rivals = 0;

    for (size_t i = 0; i < r->sweep->cells; i++)
        rivals += is_rival(r, cell, i);
    return TCH_RESULT_ALPHA / (double)((rivals > 0 ? rivals : 1) * r->objective_count);
}

/* Marks the cells that a rival beats: the rival is better in at least one objective and worse in
   none. */
static int drop_beaten(struct tch_results *r, struct duel *duel, tacho_error *err)
{
    for (size_t a = 0; a < r->sweep->cells; a++) {
        double level = level_of(r, a);
        struct score score;

        r->cells[a].best = is_known(r, a) ? TCH_BEST_MAYBE : TCH_BEST_NO;
        for (size_t b = 0; b < r->sweep->cells && r->cells[a].best != TCH_BEST_NO; b++) {
            if (!is_rival(r, a, b))
                continue;
            if (score_of(r, a, b, level, duel, &score, err) < 0)
                return TACHO_ENOMEM;
            if (score.worse > 0 && score.better == 0)
                r->cells[a].best = TCH_BEST_NO;
        }
    }
    return 0;
}

/* Marks the best cells. A remaining cell is best when no other remaining cell can beat it, because
   it is better than each of them in some objective. */
static int find_best(struct tch_results *r, struct duel *duel, tacho_error *err)
{
    for (size_t a = 0; a < r->sweep->cells; a++) {
        double level = level_of(r, a);
        bool best = r->cells[a].best == TCH_BEST_MAYBE;
        struct score score;

        for (size_t b = 0; b < r->sweep->cells && best; b++) {
            if (!is_rival(r, a, b) || r->cells[b].best == TCH_BEST_NO)
                continue;
            if (score_of(r, a, b, level, duel, &score, err) < 0)
                return TACHO_ENOMEM;
            best = score.better > 0;
        }
        if (best)
            r->cells[a].best = TCH_BEST_YES;
    }
    return 0;
}

static int mark_best(struct tch_results *r, tacho_error *err)
{
    size_t rounds = 1;
    struct duel duel;
    int status = TACHO_ENOMEM;

    for (size_t i = 0; i < r->sweep->cells; i++)
        rounds = r->cells[i].runs > rounds ? r->cells[i].runs : rounds;
    duel = (struct duel){.x = malloc(3 * rounds * sizeof *duel.x)};
    if (!duel.x)
        return tch_fail_memory(err);
    duel.y = duel.x + rounds;
    duel.e = duel.y + rounds;
    status = drop_beaten(r, &duel, err);
    if (status == 0)
        status = find_best(r, &duel, err);
    free(duel.x);
    r->best_left = r->best_rounds = 0;
    for (size_t i = 0; i < r->sweep->cells; i++) {
        size_t needed = (size_t)ceil(-log2(level_of(r, i))); /* n pairs reach a p of 2^-n at best */

        r->best_left += r->cells[i].best != TCH_BEST_NO;
        r->best_rounds = needed > r->best_rounds ? needed : r->best_rounds;
    }
    return status;
}

/* Copies the next name of a comma-separated list and moves *at after it. Returns false at the
   end. */
static bool next_name(const char **at, char name[NAME_MOST])
{
    size_t len = *at ? strcspn(*at, ",") : 0;

    if (!*at)
        return false;
    snprintf(name, NAME_MOST, "%.*s", (int)len, *at);
    *at = (*at)[len] ? *at + len + 1 : NULL;
    return true;
}

/* Returns the NAME of "max:NAME", "min:NAME" or "NAME". */
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
            return tch_fail(err, TACHO_EINVAL, 0, "there is no parameter '%.80s' for --best-per",
                            name);
        *ret |= (tch_params)1 << i;
    }
    return 0;
}

static int too_many_objectives(tacho_error *err)
{
    return tch_fail(err, TACHO_EINVAL, 0, "--pareto takes at most %d measures", TCH_OBJECTIVES);
}

int tch_results_best(struct tch_results *r, const struct tch_sweep_asked *asked, tacho_error *err)
{
    const char *at = asked->pareto ? asked->pareto : asked->cost ? asked->cost : "wall_ns";
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
                            "there is no measure '%.80s'; results.csv lists the names",
                            measure_of(name, &more));
        if (r->objective_count == TCH_OBJECTIVES)
            return too_many_objectives(err);
        *o = (struct tch_objective){.measure = (size_t)measure, .more = more};
        r->objective_count++;
    }
    return mark_best(r, err);
}

/*
 * Growth.
 */

/* Returns whether all values are above 0, which a logarithm needs. */
static bool can_grow(const struct tch_param *p)
{
    bool fine = p->numeric && p->count > 1;

    for (size_t i = 0; i < p->count && fine; i++)
        fine = p->number[i] > 0;
    return fine;
}

/* Returns the named parameter or, without a name, the only numeric parameter with more than one
   value, provided it has enough values. Returns -1 if there is none. */
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

/* Returns the relative standard error of a median: from its interval, or from the range if there
   were too few runs for an interval. */
static double error_of(const struct tch_cell_value *v)
{
    return (v->high - v->low) / 2 / v->median / (v->level > 0 ? 1.96 : 1);
}

/* Fits the cells from s->first on that differ only in the one parameter. */
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
    double alpha = TCH_RESULT_ALPHA * (double)grid->param[r->along].count / (double)r->sweep->cells;
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
        return tch_fail(
            err, TACHO_EINVAL, 0,
            "a fit of the cost needs a parameter whose values are all numbers above 0%s",
            asked->along ? "" : "; if there are several, name one by --along NAME");
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
                        "there is no measure '%.80s'; results.csv lists the names", cost);
    r->cost = measure < 0 ? 0 : (size_t)measure;
    if (r->along < 0 || measure < 0)
        return 0;
    status = make_series(r, err);
    for (size_t i = 0; i < r->series_count && asked->expect && status == 0; i++)
        r->unexpected += tch_fit_contradicts(&r->series[i].fit, &r->expect);
    return status;
}

/* Checks before the first run. */

static int check_measure(const struct tch_run_plan *plan, const char *name, tacho_error *err)
{
    char whole[TCH_METRIC_TEXT];
    struct tch_metric q;

    bool recorded = tch_metric_name_complete(name, whole);

    for (size_t i = 0; i < plan->metric_count; i++)
        if (strcmp(plan->metrics[i].name, recorded ? whole : name) == 0)
            return 0;
    if (strcmp(name, "throughput") == 0 && plan->work > 0)
        return 0;
    if (tch_metric_find(name, &q) && tch_metric_is_field(&q))
        return 0;
    return tch_fail(
        err, TACHO_EINVAL, 0,
        "there is no measure '%.80s'; use wall, user, system (cpu is the sum of these two and has "
        "no measure), memory, energy or another of tacho compare, throughput with --work-per-run, "
        "or a "
        "name of --metric",
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
