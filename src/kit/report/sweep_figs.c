/* Chooses and draws the figures of a sweep: heat maps over two parameters, lines along a numeric
   one, and the best cells against the others. */
#include <errno.h>
#include <math.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "kit/file/found_file.h"
#include "kit/result/run_folder.h"
#include "plot.h"
#include "sweep_page.h"

enum {
    FILE_MAX = 64 << 20,
    MAPS_MOST = 8,
    LINES_MOST = 8,
    FIT_POINTS = 60,
    TITLE = 512,
    NAME = 160
};

struct figures {
    const struct tch_results *r;
    const char *folder; /* NULL: no files */
    struct tch_buf *page;
    tacho_error *err;
};

/* Writes the figure that was added to the page after `from` to a file as well. */
static int save_figure(const struct figures *f, size_t from, const char *name, const char *title)
{
    char safe[NAME];
    char file[NAME + sizeof "figs/.svg"];
    struct tch_buf b;
    int status = 0;

    if (!f->folder || f->page->failed)
        return 0;
    tch_folder_name(safe, sizeof safe, name);
    snprintf(file, sizeof file, "figs/%s.svg", safe);
    tch_buf_init(&b, FILE_MAX);
    tch_plot_file(f->page, from, title, &b);
    status = b.failed ? tch_fail_memory(f->err)
                      : tch_found_write(f->folder, file, b.data, b.len, false, f->err);
    tch_buf_release(&b);
    return status;
}

bool tch_sweep_is_shown(const struct tch_results *r, size_t measure)
{
    const struct tch_measure *m = &r->measures[measure];

    for (size_t i = 0; i < r->objective_count; i++)
        if (r->objective[i].measure == measure)
            return true;
    return measure == r->cost || m->unit == TCH_PLAIN || m->unit == TCH_RATE ||
           m->unit == TCH_JOULES || strcmp(m->name, "max_rss_bytes") == 0;
}

static bool has_ratio(const struct tch_results *r, size_t measure)
{
    for (size_t i = 0; i < r->sweep->cells; i++)
        if (!isnan(r->cells[i].value[measure].ratio.estimate))
            return true;
    return false;
}

/*
 * Heat maps.
 */

/* Chooses the first two parameters that vary. The one with more values becomes the columns. */
static void choose_axes(const struct tch_grid *grid, int *row, int *column)
{
    *row = *column = -1;
    for (int i = 0; i < (int)grid->count && *row < 0; i++)
        if (grid->param[i].count > 1) {
            *row = *column;
            *column = i;
        }
    if (*row >= 0 && grid->param[*row].count > grid->param[*column].count) {
        int kept = *row;

        *row = *column;
        *column = kept;
    }
}

static int draw_map(const struct figures *f, size_t measure, enum tch_heat kind, int row,
                    int column, size_t first)
{
    const struct tch_grid *grid = f->r->sweep->plan->grid;
    tch_params axes = 1u << column | (row >= 0 ? 1u << row : 0);
    struct tch_heat_axes at = {.row = row, .column = column, .first = first};
    const char *framed = tch_heat_map_frames(f->r, &at) ? "; framed: the best" : "";
    size_t from = f->page->len;
    char rest[TCH_CELL_NAME];
    char title[TITLE];
    char name[NAME];

    tch_grid_name(grid, first, tch_grid_all(grid) & ~axes, "cell", rest);
    snprintf(title, sizeof title, "%s%s%s%s%s", f->r->measures[measure].title,
             kind == TCH_HEAT_RATIO ? ", ratio to the baseline" : ", median", rest[0] ? ", " : "",
             rest, kind == TCH_HEAT_RATIO ? "; in italics: no difference shown" : framed);
    snprintf(name, sizeof name, "heat-%.60s%s%s%.80s", f->r->measures[measure].name,
             kind == TCH_HEAT_RATIO ? "-ratio" : "", rest[0] ? "-" : "", rest);
    tch_heat_map(f->r, measure, kind, &at, title, f->page);
    return save_figure(f, from, name, title);
}

/* Draws one map per combination of the parameters that are not on an axis. */
static int draw_maps(const struct figures *f, size_t measure, enum tch_heat kind)
{
    const struct tch_grid *grid = f->r->sweep->plan->grid;
    int row;
    int column;
    int status = 0;
    int drawn = 0;

    choose_axes(grid, &row, &column);
    for (size_t i = 0; i < f->r->sweep->cells && status == 0 && column >= 0; i++)
        if (tch_grid_index(grid, i, (size_t)column) == 0 &&
            (row < 0 || tch_grid_index(grid, i, (size_t)row) == 0) && drawn++ < MAPS_MOST)
            status = draw_map(f, measure, kind, row, column, i);
    return status;
}

/*
 * Lines.
 */

struct line {
    double *x, *y, *low, *high;
    size_t n;
};

struct names {
    char text[LINES_MOST][TCH_CELL_NAME + 32];
    const char *key[LINES_MOST];
};

/* Returns the parameter along which lines are drawn: that of the fits, or the last numeric one. */
static int line_param(const struct tch_results *r)
{
    const struct tch_grid *grid = r->sweep->plan->grid;
    int found = r->along;

    for (int i = 0; i < (int)grid->count && r->along < 0; i++)
        if (grid->param[i].numeric && grid->param[i].count > 1)
            found = i;
    return found;
}

static void take_line(const struct tch_results *r, size_t measure, enum tch_heat kind, int along,
                      size_t first, struct line *line)
{
    const struct tch_param *p = &r->sweep->plan->grid->param[along];
    size_t step = tch_grid_step(r->sweep->plan->grid, (size_t)along);

    line->n = 0;
    for (size_t i = 0; i < p->count; i++) {
        const struct tch_cell_value *v = &r->cells[first + i * step].value[measure];
        bool ratio = kind == TCH_HEAT_RATIO;
        double y = ratio ? v->ratio.estimate : v->median;
        bool sure = ratio ? v->ratio.level > 0 : v->level > 0;

        if (isnan(y))
            continue;
        line->x[line->n] = p->number[i];
        line->y[line->n] = y;
        line->low[line->n] = !sure ? y : ratio ? v->ratio.low : v->low;
        line->high[line->n++] = !sure ? y : ratio ? v->ratio.high : v->high;
    }
}

/* Returns whether an axis is logarithmic: all values are above 0 and span more than a decade. */
static bool wants_log(double low, double high)
{
    return low > 0 && high >= 10 * low;
}

/* Extends the range to include a line. */
static void widen_range(struct tch_plot *p, const struct line *line, bool first)
{
    for (size_t i = 0; i < line->n; i++) {
        bool begin = first && i == 0;

        p->x0 = begin ? line->x[i] : fmin(p->x0, line->x[i]);
        p->x1 = begin ? line->x[i] : fmax(p->x1, line->x[i]);
        p->y0 = begin ? line->low[i] : fmin(p->y0, line->low[i]);
        p->y1 = begin ? line->high[i] : fmax(p->y1, line->high[i]);
    }
}

/* Sets the ranges and scales of both axes. x_log allows a logarithmic x axis. */
static void set_range(struct tch_plot *p, bool x_log)
{
    p->x_log = x_log && wants_log(p->x0, p->x1);
    p->y_log = wants_log(p->y0, p->y1);
    if (p->x_log) {
        p->x0 /= pow(p->x1 / p->x0, 0.02);
        p->x1 *= pow(p->x1 / p->x0, 0.02);
    } else {
        double room = 0.03 * (p->x1 - p->x0);

        p->x0 -= room;
        p->x1 += room;
    }
    if (p->y_log) {
        p->y0 /= pow(p->y1 / p->y0, 0.06);
        p->y1 *= pow(p->y1 / p->y0, 0.12);
    } else {
        p->y1 += 0.12 * (p->y1 - p->y0) + (p->y1 > p->y0 ? 0 : 0.1 * fabs(p->y1) + 1e-9);
        p->y0 -= 0.06 * (p->y1 - p->y0);
    }
}

/* Adds the best fit as a dashed line. */
static void add_fit(struct tch_plot *p, const struct tch_results *r,
                    const struct tch_growth_series *s, const char *kind)
{
    const struct tch_param *along = &r->sweep->plan->grid->param[r->along];
    const struct tch_fit *fit = &s->fit;
    double x[FIT_POINTS];
    double y[FIT_POINTS];
    double low = INFINITY;
    double high = 0;

    if (fit->best < 0)
        return;
    for (size_t i = 0; i < along->count; i++) {
        low = fmin(low, along->number[i]);
        high = fmax(high, along->number[i]);
    }
    for (size_t i = 0; i < FIT_POINTS; i++) {
        double share = (double)i / (FIT_POINTS - 1);

        x[i] = p->x_log ? low * pow(high / low, share) : low + share * (high - low);
        y[i] = fit->model[fit->best].a +
               fit->model[fit->best].b * tch_growth_of((enum tch_growth)fit->best, x[i]);
    }
    tch_plot_fit(p, kind, x, y, FIT_POINTS);
}

/* Names the lines; a single line needs no name. */
static void name_lines(const struct tch_results *r, struct tch_plot *p, const size_t *first,
                       size_t n, int along, bool fitted, struct names *names)
{
    const struct tch_grid *grid = r->sweep->plan->grid;
    tch_params others = tch_grid_all(grid) & ~(1u << along);

    for (size_t i = 0; i < n; i++) {
        tch_grid_name(grid, first[i], others, "cell", names->text[i]);
        if (fitted && r->series[i].fit.best >= 0) {
            size_t len = strlen(names->text[i]);

            snprintf(names->text[i] + len, sizeof names->text[i] - len, "%sO(%s)",
                     len > 0 ? ": " : "", tch_growth_names[r->series[i].fit.best]);
        }
        names->key[i] = names->text[i];
    }
    p->keys = names->key;
    p->key_count = names->text[0][0] ? n : 0;
}

/* Draws one chart of the first few lines. */
static void draw_chart(const struct figures *f, struct tch_plot *p, struct line *line,
                       size_t measure, enum tch_heat kind, int along)
{
    static const char *const kinds[LINES_MOST] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    const struct tch_results *r = f->r;
    const struct tch_grid *grid = r->sweep->plan->grid;
    bool fitted =
        r->series_count > 0 && along == r->along && measure == r->cost && kind == TCH_HEAT_MEDIAN;
    const double *values = grid->param[along].number;
    size_t values_count = grid->param[along].count;
    size_t first[LINES_MOST];
    struct names names;
    size_t n = 0;

    for (size_t i = 0; i < r->sweep->cells && n < LINES_MOST; i++)
        if (tch_grid_index(grid, i, (size_t)along) == 0) {
            take_line(r, measure, kind, along, i, line);
            widen_range(p, line, n == 0);
            first[n++] = i;
        }
    /* If values grow by factors rather than by steps, the middle one is far below the last. */
    set_range(p, values[values_count / 2] < 0.3 * values[values_count - 1]);
    name_lines(r, p, first, n, along, fitted, &names);
    tch_plot_begin(p);
    for (size_t i = 0; i < n; i++) {
        take_line(r, measure, kind, along, first[i], line);
        tch_plot_whiskers(p, kinds[i], line->x, line->low, line->high, line->n);
        if (!fitted)
            tch_plot_line(p, kinds[i], line->x, line->y, line->n, false);
        tch_plot_marks(p, kinds[i], line->x, line->y, line->n);
        if (fitted)
            add_fit(p, r, &r->series[i], kinds[i]);
    }
    tch_plot_end(p);
}

static bool is_whole(const struct tch_param *p)
{
    bool whole = true;

    for (size_t i = 0; i < p->count; i++)
        whole = whole && p->number[i] == floor(p->number[i]);
    return whole;
}

static int draw_lines(const struct figures *f, size_t measure, enum tch_heat kind)
{
    const struct tch_results *r = f->r;
    const struct tch_grid *grid = r->sweep->plan->grid;
    int along = line_param(r);
    size_t from = f->page->len;
    bool ratio = kind == TCH_HEAT_RATIO;
    size_t count;
    double *memory;
    struct line line;
    char title[TITLE];
    char name[NAME];
    struct tch_plot p = {.b = f->page, .title = title};

    if (along < 0)
        return 0;
    count = grid->param[along].count;
    memory = malloc(4 * count * sizeof *memory);
    if (!memory)
        return tch_fail_memory(f->err);
    line = (struct line){memory, memory + count, memory + 2 * count, memory + 3 * count, 0};
    snprintf(title, sizeof title, "%s%s, medians and their intervals%s%s",
             r->measures[measure].title, ratio ? ", ratio to the baseline" : "",
             r->sweep->cells / count > LINES_MOST ? "; only the first 8 lines" : "",
             r->series_count > 0 && measure == r->cost && !ratio ? "; dashed: the fit" : "");
    snprintf(name, sizeof name, "line-%.60s%s-by-%s", r->measures[measure].name,
             ratio ? "-ratio" : "", grid->param[along].name);
    p.x_name = grid->param[along].name;
    p.xu = is_whole(&grid->param[along]) ? TCH_COUNT : TCH_PLAIN;
    p.y_name = r->measures[measure].title;
    p.yu = ratio ? TCH_PLAIN : r->measures[measure].unit;
    draw_chart(f, &p, &line, measure, kind, along);
    free(memory);
    return save_figure(f, from, name, title);
}

/*
 * The best cells against the others, in the first two objectives.
 */

/* Returns the parameter that colours the cells: one of the workload or, failing that, the first
   that is not numeric and has a few values. Returns -1 if there is none. */
static int color_param(const struct tch_results *r)
{
    const struct tch_grid *grid = r->sweep->plan->grid;

    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < (int)grid->count; i++) {
            bool wanted = pass == 0 ? r->best_per >> i & 1 : !grid->param[i].numeric;

            if (wanted && grid->param[i].count > 1 && grid->param[i].count <= LINES_MOST)
                return i;
        }
    return -1;
}

/* Takes the cells with a value of the colouring parameter: all of them, or only the best. */
static void take_cells(const struct tch_results *r, int color, size_t value, bool only_best,
                       struct line *line)
{
    line->n = 0;
    for (size_t i = 0; i < r->sweep->cells; i++) {
        const struct tch_cell_value *v = r->cells[i].value;

        line->x[line->n] = v[r->objective[0].measure].median;
        line->y[line->n] = v[r->objective[1].measure].median;
        line->n += !isnan(line->x[line->n]) && !isnan(line->y[line->n]) &&
                   (!only_best || r->cells[i].best == TCH_BEST_YES) &&
                   (color < 0 || tch_grid_index(r->sweep->plan->grid, i, (size_t)color) == value);
    }
}

static void plot_cells(struct tch_plot *p, const struct tch_results *r, int color,
                       struct line *line)
{
    const struct tch_param *param = color < 0 ? NULL : &r->sweep->plan->grid->param[color];
    size_t values = param ? param->count : 1;
    const char *keys[LINES_MOST];

    for (size_t k = 0; param && k < values; k++)
        keys[k] = param->text[k];
    p->keys = keys;
    p->key_count = param ? values : 0;
    for (size_t k = 0; k < values; k++) {
        take_cells(r, color, k, false, line);
        widen_range(p, line, k == 0);
    }
    set_range(p, true);
    tch_plot_begin(p);
    for (size_t k = 0; k < values; k++) {
        take_cells(r, color, k, true, line);
        tch_plot_marks(p, "ring", line->x, line->y, line->n);
        take_cells(r, color, k, false, line);
        tch_plot_marks(p, (char[]){(char)('a' + k), '\0'}, line->x, line->y, line->n);
    }
    tch_plot_end(p);
}

static int draw_best(const struct figures *f)
{
    const struct tch_results *r = f->r;
    const struct tch_measure *mx = &r->measures[r->objective[0].measure];
    const struct tch_measure *my = &r->measures[r->objective[1].measure];
    int color = color_param(r);
    double *x = malloc(2 * (r->sweep->cells + 1) * sizeof *x);
    double *y = x ? x + r->sweep->cells + 1 : NULL;
    struct line line = {.x = x, .y = y, .low = y, .high = y};
    size_t from = f->page->len;
    char title[TITLE];
    struct tch_plot p = {.b = f->page,
                         .title = title,
                         .x_name = mx->title,
                         .y_name = my->title,
                         .y_shown = true,
                         .xu = mx->unit,
                         .yu = my->unit};

    if (!x)
        return tch_fail_memory(f->err);
    snprintf(
        title, sizeof title, "%s and %s of the cells; ringed: the best%s%s", mx->title, my->title,
        color < 0 ? "" : "; colour: ", color < 0 ? "" : r->sweep->plan->grid->param[color].name);
    plot_cells(&p, r, color, &line);
    free(x);
    return save_figure(f, from, "pareto", title);
}

int tch_sweep_figures(const struct tch_results *r, const char *folder, struct tch_buf *page,
                      tacho_error *err)
{
    struct figures f = {.r = r, .folder = folder, .page = page, .err = err};
    int status = folder ? tch_found_mkdir(folder, "figs", err) : 0;

    tch_buf_adds(page, "<div class=\"plots\">\n");
    for (int lines = 1; lines >= 0; lines--)
        for (size_t i = 0; i < r->measure_count && status == 0; i++) {
            bool ratio = tch_sweep_is_shown(r, i) && has_ratio(r, i);
            int (*draw)(const struct figures *f, size_t measure, enum tch_heat kind) =
                lines ? draw_lines : draw_maps;

            if (tch_sweep_is_shown(r, i))
                status = draw(&f, i, TCH_HEAT_MEDIAN);
            if (ratio && status == 0)
                status = draw(&f, i, TCH_HEAT_RATIO);
        }
    if (status == 0 && r->objective_count > 1)
        status = draw_best(&f);
    tch_buf_adds(page, "</div>\n");
    return status;
}
