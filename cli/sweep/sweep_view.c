/* Sweeps on the terminal. */
#include "sweep_options.h"

#include <math.h>

#include "cli/core/table.h"
#include "kit/report/report_text.h"
#include "kit/text/human_number.h"

enum { SHOWN_MOST = 64, FIXED_COLUMNS = 7, LEVELS_MOST = 8, NOTE_MAX = 1024 };

static void add_value(struct table *t, enum tch_unit unit, double value)
{
    tch_add_value(cli_table_cell(t, isnan(value) ? DIM : PLAIN), unit, value);
}

/* Adds the ratio and its interval, in bold if the ratio differs significantly from 1. */
static void add_ratio(struct table *t, const struct tch_cell_value *v)
{
    const struct tch_ratio *ratio = &v->ratio;
    const char *to = t->term->utf8 ? " \u2026 " : " .. ";

    if (isnan(ratio->estimate)) {
        cli_table_add(t, DIM, "-");
        cli_table_add(t, DIM, "-");
        return;
    }
    cli_table_addf(t, v->p <= TCH_RESULT_ALPHA ? BOLD : PLAIN, "%.4g", ratio->estimate);
    tch_add_ratio_interval(cli_table_cell(t, ratio->level > 0 ? PLAIN : DIM), ratio, to);
}

static void add_mark(struct table *t, const struct tch_cell_result *c, bool cell)
{
    if (strcmp(c->state, "failed") == 0)
        cli_table_add(t, RED, c->failure ? c->failure : "failed");
    else if (strcmp(c->state, "complete") != 0)
        cli_table_add(t, YELLOW, c->state);
    else if (!cell)
        cli_table_add(t, DIM, "baseline");
    else if (c->best != TCH_BEST_NO)
        cli_table_add(t, c->best == TCH_BEST_YES ? GREEN : PLAIN,
                      c->best == TCH_BEST_YES ? "best" : "maybe best");
    else
        cli_table_add(t, PLAIN, "");
}

/* Returns whether an objective has a column beside the cost and the memory, so that the table shows
   why a cell is the best. */
static bool is_reason(const struct tch_results *r, size_t objective, int memory)
{
    size_t measure = r->objective[objective].measure;

    return measure != r->cost && (int)measure != memory;
}

static void add_line(struct table *t, const struct tch_results *r, size_t i, int memory)
{
    const struct tch_sweep *sweep = r->sweep;
    const struct tch_grid *grid = sweep->plan->grid;
    const struct tch_cell_result *c = &r->cells[i];
    const struct tch_cell_value none = {.median = NAN, .ratio = {.estimate = NAN}};
    const struct tch_cell_value *cost = r->measure_count > 0 ? &c->value[r->cost] : &none;
    bool cell = i < sweep->cells;
    size_t at = cell ? i : sweep->baseline_cell[i - sweep->cells];

    for (size_t j = 0; j < grid->count; j++)
        cli_table_add(t, PLAIN,
                      cell || (sweep->baseline_uses >> j & 1) ? tch_grid_text(grid, at, j) : "");
    cli_table_addf(t, PLAIN, "%zu", c->runs);
    add_value(t, r->measure_count > 0 ? r->measures[r->cost].unit : TCH_NS, cost->median);
    if (cost->level > 0 && cost->median > 0)
        cli_table_addf(t, PLAIN, "%.1f %%", 100 * (cost->high - cost->low) / 2 / cost->median);
    else
        cli_table_add(t, DIM, "-");
    if (sweep->baselines > 0)
        add_ratio(t, cost);
    if (memory >= 0)
        add_value(t, r->measures[memory].unit, c->value[memory].median);
    for (size_t j = 0; j < r->objective_count; j++)
        if (is_reason(r, j, memory))
            add_value(t, r->measures[r->objective[j].measure].unit,
                      c->value[r->objective[j].measure].median);
    add_mark(t, c, cell);
}

/* Sets the columns: parameters, runs, cost, memory and remarks. */
static size_t make_columns(struct column *columns, const struct tch_results *r, int memory)
{
    const struct tch_grid *grid = r->sweep->plan->grid;
    size_t n = 0;

    for (size_t i = 0; i < grid->count; i++)
        columns[n++] =
            (struct column){.title = grid->param[i].name, .right = grid->param[i].numeric};
    columns[n++] = (struct column){.title = "runs", .right = true};
    columns[n++] = (struct column){
        .title = r->measure_count > 0 ? r->measures[r->cost].title : "cost", .right = true};
    columns[n++] = (struct column){.title = "+-", .right = true};
    if (r->sweep->baselines > 0) {
        columns[n++] = (struct column){.title = "ratio", .right = true};
        columns[n++] = (struct column){.title = "95 % interval", .right = true};
    }
    if (memory >= 0)
        columns[n++] = (struct column){.title = "peak memory", .right = true};
    for (size_t i = 0; i < r->objective_count; i++)
        if (is_reason(r, i, memory))
            columns[n++] =
                (struct column){.title = r->measures[r->objective[i].measure].title, .right = true};
    columns[n++] = (struct column){.title = "", .fit = FIT_CUT};
    return n;
}

/* Adds how many cells may be best, if several may. */
static void add_undecided(struct tch_buf *b, const struct tch_results *r)
{
    size_t shared = (size_t)tch_parts_shared(&r->sweep->parts);
    size_t maybe = 0;
    size_t rounds = 0;

    for (size_t i = 0; i < r->sweep->cells; i++) {
        maybe += r->cells[i].best == TCH_BEST_MAYBE;
        rounds = r->cells[i].runs > rounds ? r->cells[i].runs : rounds;
    }
    if (maybe < 2)
        return;
    rounds = shared < rounds ? shared : rounds;
    tch_buf_addf(b, "  %zu cells cannot be distinguished from the best; ", maybe);
    if (rounds < r->best_rounds)
        tch_buf_addf(b, "%zu round%s %s too few, use --repeat %zu or more\n", rounds,
                     tch_plural(rounds), rounds == 1 ? "is" : "are",
                     (size_t)r->sweep->parts.repeat + r->best_rounds - shared);
    else
        tch_buf_adds(b, "more rounds (--repeat) may leave fewer\n");
}

/* Adds which comparisons an extended sweep lacks. */
static void add_parts(struct tch_buf *b, const struct term *term, const struct tch_results *r)
{
    struct tch_buf text;

    tch_buf_init(&text, NOTE_MAX);
    tch_results_describe_parts(r, &text);
    if (text.len > 0)
        cli_add_labelled(b, term, PLAIN, "  note: ", text.data);
    tch_buf_release(&text);
}

/* Adds the origin of the energy and the idle power. They are those of all cells, so one is shown.
 */
static void add_energy(struct tch_buf *b, const struct tch_results *r)
{
    for (size_t i = 0; i < r->sweep->cells; i++) {
        const struct tch_power_origin *o = &r->cells[i].power;

        if (!o->status || !o->status[0] || (!o->source[0] && r->sweep->plan->run.idle_ns == 0))
            continue;
        tch_buf_adds(b, "  energy: ");
        tch_power_origin_add(b, o);
        tch_buf_adds(b, o->idle.seconds > 0 ? "; idle power " : "");
        tch_power_idle_add(b, o);
        tch_buf_addc(b, '\n');
        return;
    }
}

void cli_sweep_add_cells(struct tch_buf *b, const struct term *term, const struct tch_results *r)
{
    const struct tch_sweep *sweep = r->sweep;
    struct column columns[TCH_GRID_PARAMS + FIXED_COLUMNS + TCH_OBJECTIVES];
    int memory = tch_results_measure(r, "max_rss_bytes");
    bool all = sweep->cells <= SHOWN_MOST;
    size_t shown = 0;
    struct table t;

    if (memory >= 0 && (size_t)memory == r->cost)
        memory = -1;
    cli_add_painted(b, term, BOLD, sweep->plan->name);
    tch_buf_adds(b, "  ");
    tch_results_describe(r, b);
    tch_buf_addf(b, "  (%.*s)\n", (int)strcspn(sweep->plan->line, "\n"), sweep->plan->line);
    cli_table_init(&t, term, columns, make_columns(columns, r, memory));
    t.indent = 2;
    for (size_t i = sweep->cells; i < sweep->cells + sweep->baselines && all; i++)
        add_line(&t, r, i, memory);
    for (size_t i = 0; i < sweep->cells; i++)
        if (all || (r->cells[i].best != TCH_BEST_NO && shown++ < SHOWN_MOST))
            add_line(&t, r, i, memory);
    cli_table_print(&t, b);
    cli_table_release(&t);
    if (!all)
        tch_buf_addf(b, "  only the best cells; all %zu are in results.csv\n", sweep->cells);
    add_undecided(b, r);
    add_parts(b, term, r);
    add_energy(b, r);
}

/* Adds "1: 0.62x, 2: 1.6x": the cost with each value, relative to the mean over all values. */
static void add_levels(struct tch_buf *b, const struct tch_results *r, size_t param)
{
    const struct tch_param *p = &r->sweep->plan->grid->param[param];

    for (size_t i = 0; i < p->count && i < LEVELS_MOST; i++)
        tch_buf_addf(b, "%s%s: %.3gx", i == 0 ? "" : ", ", p->text[i],
                     tch_effect_ratio(r, param, i));
    if (p->count > LEVELS_MOST)
        tch_buf_adds(b, ", ...");
}

void cli_sweep_add_effects(struct tch_buf *b, const struct term *term, const struct tch_results *r)
{
    static const struct column columns[] = {{.fit = FIT_WHOLE}, {.right = true}, {.fit = FIT_CUT}};
    struct table t;

    if (r->effect_count == 0)
        return;
    tch_buf_addc(b, '\n');
    cli_add_painted(b, term, BOLD, "effects");
    tch_buf_addf(b, "  of the parameters on the %s: share of the variance between cells\n",
                 r->measures[r->cost].title);
    cli_table_init(&t, term, columns, 3);
    t.indent = 2;
    for (size_t k = 0; k < r->effect_count; k++) {
        const struct tch_effect *e = &r->effects[k];
        bool main_effect = (e->which & (e->which - 1)) == 0;
        struct tch_buf *cell;

        tch_effect_name(r, e, cli_table_cell(&t, PLAIN));
        cli_table_addf(&t, PLAIN, "%.1f %%", 100 * e->share);
        cell = cli_table_cell(&t, PLAIN);
        if (e->p > TCH_RESULT_ALPHA / (double)r->effect_count)
            tch_buf_adds(cell, "no more than noise");
        else if (main_effect)
            add_levels(cell, r, (size_t)__builtin_ctz(e->which));
    }
    cli_table_print(&t, b);
    cli_table_release(&t);
}

static void add_models(struct tch_buf *b, const struct tch_fit *fit)
{
    const char *join = "";

    for (int i = 0; i < TCH_GROWTHS; i++)
        if (fit->model[i].open && i != fit->best) {
            tch_buf_addf(b, "%sO(%s)", *join ? join : "; cannot be distinguished from ",
                         tch_growth_names[i]);
            join = ", ";
        }
}

void cli_sweep_add_growth(struct tch_buf *b, const struct term *term, const struct tch_results *r)
{
    const char *along;

    if (r->series_count == 0)
        return;
    along = r->sweep->plan->grid->param[r->along].name;
    tch_buf_addc(b, '\n');
    cli_add_painted(b, term, BOLD, "growth");
    tch_buf_addf(b, "  of the %s with n%s%s\n", r->measures[r->cost].title,
                 strcmp(along, "n") == 0 ? "" : " = ", strcmp(along, "n") == 0 ? "" : along);
    for (size_t i = 0; i < r->series_count; i++) {
        const struct tch_growth_series *s = &r->series[i];
        const struct tch_fit *fit = &s->fit;

        tch_buf_addf(b, "  %s%s", s->name, s->name[0] ? ": " : "");
        if (fit->best < 0) {
            tch_buf_addf(b, "too few values: %d or more are needed\n", TCH_FIT_LEAST);
            continue;
        }
        tch_buf_addf(b, "O(%s), R2 %.4f, error %.2g %%", tch_growth_names[fit->best],
                     fit->model[fit->best].r2, 100 * fit->model[fit->best].rms);
        if (!isnan(fit->exponent))
            tch_buf_addf(b, ", exponent %.2f [%.2f .. %.2f]", fit->exponent, fit->exponent_low,
                         fit->exponent_high);
        add_models(b, fit);
        if (r->expect.text && tch_fit_contradicts(fit, &r->expect))
            cli_add_painted(b, term, RED, "; not as expected");
        tch_buf_addc(b, '\n');
    }
}
