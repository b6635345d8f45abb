/* Writes report.html of a sweep: its outcome, the figures, every cell. */
#include <math.h>
#include <unistd.h>

#include <tacho/version.h>

#include "base/fail.h"
#include "kit/file/found_file.h"
#include "kit/text/human_number.h"
#include "kit/text/xml.h"
#include "plot.h"
#include "report.h"
#include "report_parts.h"
#include "report_text.h"
#include "sweep_page.h"

static void add_open(struct tch_buf *b, const struct tch_results *r)
{
    const struct tch_sweep *sweep = r->sweep;

    tch_page_open(b, sweep->plan->name);
    tch_buf_adds(b, "<h1>");
    tch_xml_adds(b, sweep->plan->name);
    tch_buf_adds(b, "</h1>\n<p class=\"sub\"><code>");
    tch_xml_adds(b, sweep->plan->line);
    tch_buf_adds(b, "</code></p>\n");
    if (sweep->plan->baseline) {
        tch_buf_adds(b, "<p class=\"sub\">baseline: <code>");
        tch_xml_adds(b, sweep->plan->baseline);
        tch_buf_adds(b, "</code></p>\n");
    }
    tch_buf_adds(b, "<p class=\"sub\">");
    tch_results_describe(r, b);
    tch_buf_adds(b, ", ");
    tch_xml_adds(b, sweep->started_at);
    tch_buf_addf(b, ", seed %llu, ", (unsigned long long)sweep->plan->seed);
    tch_xml_adds(b, sweep->surroundings.machine_class);
    tch_buf_adds(b, "</p>\n");
}

static void add_warnings(struct tch_buf *b, const struct tch_results *r)
{
    if (r->failed + r->pending + r->unexpected == 0)
        return;
    tch_buf_adds(b, "<ul class=\"warnings\">\n");
    if (r->failed > 0)
        tch_buf_addf(
            b,
            "<li>%zu of %zu cells failed<span>see the table below, and failure.txt in their "
            "folders</span></li>\n",
            r->failed, r->sweep->cells);
    if (r->pending > 0)
        tch_buf_addf(b,
                     "<li>%zu of %zu cells are incomplete<span>run the same command line again to "
                     "continue</span></li>\n",
                     r->pending, r->sweep->cells);
    if (r->unexpected > 0) {
        tch_buf_adds(b, "<li>the cost does not grow as expected: O(");
        tch_xml_adds(b, r->expect.text);
        tch_buf_adds(b, ")</li>\n");
    }
    tch_buf_adds(b, "</ul>\n");
}

/* Adds the other measures that the cell was chosen by. */
static void add_reasons(struct tch_buf *b, const struct tch_results *r,
                        const struct tch_cell_result *c)
{
    bool first = isnan(c->value[r->cost].ratio.estimate);

    for (size_t i = 0; i < r->objective_count; i++) {
        size_t measure = r->objective[i].measure;

        if (measure == r->cost)
            continue;
        tch_buf_adds(b, first ? "" : "<br>");
        first = false;
        tch_xml_adds(b, r->measures[measure].title);
        tch_buf_addc(b, ' ');
        tch_add_value(b, r->measures[measure].unit, c->value[measure].median);
    }
}

/* Adds the first few of the best cells in large type, and how they were chosen. */
static void add_heads(struct tch_buf *b, const struct tch_results *r)
{
    enum { HEADS = 6 };
    size_t shown = 0;

    for (size_t i = 0; i < r->sweep->cells && shown < HEADS; i++) {
        const struct tch_cell_result *c = &r->cells[i];
        const struct tch_cell_value *v = &c->value[r->cost];

        if (c->best != TCH_BEST_YES)
            continue;
        tch_buf_adds(b, shown++ == 0 ? "<div class=\"heads\">\n" : "");
        tch_buf_adds(b, "<div class=\"head\"><span>best: ");
        tch_xml_adds(b, c->name);
        tch_buf_adds(b, "</span><b>");
        tch_add_value(b, r->measures[r->cost].unit, v->median);
        tch_buf_adds(b, "</b><span>");
        if (!isnan(v->ratio.estimate))
            tch_buf_addf(b, "%.4g × the baseline", v->ratio.estimate);
        if (v->ratio.level > 0)
            tch_buf_addf(b, " (%.4g … %.4g)", v->ratio.low, v->ratio.high);
        add_reasons(b, r, c);
        tch_buf_adds(b, "</span></div>\n");
    }
    tch_buf_adds(b, shown > 0 ? "</div>\n<p class=\"sub\">" : "<p class=\"sub\">");
    if (shown == 0 && r->best_left > 1)
        tch_buf_addf(b, "%zu cells cannot be distinguished from the best. ", r->best_left);
    tch_buf_adds(b, "Best: no other cell ");
    for (size_t i = 0; r->best_per >> i; i++)
        if (r->best_per >> i & 1) {
            tch_buf_adds(b, r->best_per & (((tch_params)1 << i) - 1) ? ", " : "with the same ");
            tch_xml_adds(b, r->sweep->plan->grid->param[i].name);
        }
    tch_buf_adds(b, r->best_per ? " " : "");
    tch_buf_adds(b, r->objective_count == 1 ? "is as good in " : "is as good in all of ");
    for (size_t i = 0; i < r->objective_count; i++) {
        tch_buf_adds(b, i == 0 ? "" : ", ");
        tch_xml_adds(b, r->measures[r->objective[i].measure].title);
        tch_buf_adds(b, r->objective[i].more ? " (more is better)" : "");
    }
    tch_buf_adds(b, r->objective_count == 1 ? "." : " and better in one.");
    tch_buf_adds(b,
                 " Cells are compared round by round. The probability that the truly best cell is "
                 "left out is at most 5 % (Hsu, 1984). ");
    tch_results_describe_parts(r, b);
    tch_buf_adds(b, "</p>\n");
}

static void add_fit(struct tch_buf *b, const struct tch_results *r,
                    const struct tch_growth_series *s)
{
    const struct tch_fit *fit = &s->fit;

    tch_buf_adds(b, "<tr><td>");
    tch_xml_adds(b, s->name[0] ? s->name : "all");
    if (fit->best < 0) {
        tch_buf_addf(b, "</td><td class=\"text\" colspan=\"7\">too few values: %d are needed",
                     TCH_FIT_LEAST);
        tch_buf_adds(b, "</td></tr>\n");
        return;
    }
    tch_buf_adds(b, "</td>");
    for (int i = 0; i < TCH_GROWTHS; i++) {
        const struct tch_fit_model *m = &fit->model[i];

        tch_buf_addf(b, "<td title=\"R² %.4f\"%s>%s%.*f %%%s<br><small>%+.1f</small></td>", m->r2,
                     m->open ? "" : " style=\"color:var(--dim)\"", i == fit->best ? "<b>" : "",
                     m->rms < 0.1 ? 1 : 0, 100 * m->rms, i == fit->best ? "</b>" : "",
                     m->bic - fit->model[fit->best].bic);
    }
    if (isnan(fit->exponent))
        tch_buf_adds(b, "<td>-</td>");
    else
        tch_buf_addf(b, "<td>%.2f (%.2f … %.2f)</td>", fit->exponent, fit->exponent_low,
                     fit->exponent_high);
    if (r->expect.text)
        tch_buf_adds(b, tch_fit_contradicts(fit, &r->expect) ? "<td>no</td>" : "<td>yes</td>");
    tch_buf_adds(b, "</tr>\n");
}

static void add_growth(struct tch_buf *b, const struct tch_results *r)
{
    const char *along;

    if (r->series_count == 0)
        return;
    along = r->sweep->plan->grid->param[r->along].name;
    tch_buf_adds(b, "<h2>How the ");
    tch_xml_adds(b, r->measures[r->cost].title);
    tch_buf_addf(b, " grows with n%s%s</h2>\n", strcmp(along, "n") == 0 ? "" : " = ",
                 strcmp(along, "n") == 0 ? "" : along);
    tch_buf_adds(b, "<div class=\"wide\"><table><tr><th></th>");
    for (int i = 0; i < TCH_GROWTHS; i++)
        tch_buf_addf(b, "<th>O(%s)</th>", tch_growth_names[i]);
    tch_buf_adds(b, "<th>exponent, 95 %</th>");
    if (r->expect.text) {
        tch_buf_adds(b, "<th>as expected: ");
        tch_xml_adds(b, r->expect.text);
        tch_buf_adds(b, "</th>");
    }
    tch_buf_adds(b, "</tr>\n");
    for (size_t i = 0; i < r->series_count; i++)
        add_fit(b, r, &r->series[i]);
    tch_buf_adds(
        b, "</table></div>\n<p class=\"sub\">Relative error of the fit of a + b f(n) for "
           "each f(n), and below it its BIC (Schwarz, 1978) relative to that in bold. Bold: the "
           "smallest BIC, but O(1) unless another is 6 smaller, that is 20 times as "
           "likely. Dimmed: ruled out by the measurements.</p>\n");
}

/* Adds a number as a table cell. The page's script sorts by data-v. */
static void add_number(struct tch_buf *b, enum tch_unit unit, double value)
{
    if (isnan(value)) {
        tch_buf_adds(b, "<td data-v=\"\">-</td>");
        return;
    }
    tch_buf_addf(b, "<td data-v=\"%.9g\">", value);
    tch_add_value(b, unit, value);
    tch_buf_adds(b, "</td>");
}

/* Adds the cost: its median, its interval, and its ratio to the baseline's. */
static void add_cost(struct tch_buf *b, const struct tch_results *r, const struct tch_cell_value *v)
{
    enum tch_unit unit = r->measures[r->cost].unit;

    add_number(b, unit, v->median);
    tch_buf_adds(b, "<td data-v=\"\">");
    if (isnan(v->median))
        tch_buf_adds(b, "-");
    else
        tch_add_interval(b, unit, v->low, v->high, v->level, " … ");
    tch_buf_adds(b, "</td>");
    if (r->sweep->baselines == 0)
        return;
    if (isnan(v->ratio.estimate)) {
        tch_buf_adds(b, "<td data-v=\"\">-</td>");
        return;
    }
    tch_buf_addf(b, "<td data-v=\"%.9g\" title=\"p %.2g\">%.4g", v->ratio.estimate, v->p,
                 v->ratio.estimate);
    tch_buf_adds(b, " (");
    tch_add_ratio_interval(b, &v->ratio, " … ");
    tch_buf_adds(b, ")</td>");
}

/* Returns whether a measure gets a column beside the cost. */
static bool is_column(const struct tch_results *r, size_t i)
{
    return i != r->cost && tch_sweep_is_shown(r, i);
}

/* Adds the name of a cell, as a link to its own report, or to run.json if there is no report. */
static void add_link(struct tch_buf *b, const struct tch_results *r,
                     const struct tch_cell_result *c)
{
    char path[PATH_MAX];
    int len = snprintf(path, sizeof path, "%s/%s/report.html", r->sweep->folder, c->folder);
    bool reported = len < PATH_MAX && access(path, F_OK) == 0;

    if (!c->folder[0]) {
        tch_xml_adds(b, c->name);
        return;
    }
    tch_buf_adds(b, "<a href=\"");
    tch_xml_adds(b, c->folder);
    tch_buf_addf(b, "/%s\">", reported ? "report.html" : "run.json");
    tch_xml_adds(b, c->name);
    tch_buf_adds(b, "</a>");
}

/* Adds the parameters. A baseline has only those that its command uses. */
static void add_params(struct tch_buf *b, const struct tch_sweep *sweep, size_t unit)
{
    const struct tch_grid *grid = sweep->plan->grid;
    bool baseline = unit >= sweep->cells;
    size_t cell = baseline ? sweep->baseline_cell[unit - sweep->cells] : unit;

    for (size_t i = 0; i < grid->count; i++) {
        const struct tch_param *p = &grid->param[i];
        bool shown = !baseline || (sweep->baseline_uses >> i & 1);

        if (p->numeric && shown)
            tch_buf_addf(b, "<td data-v=\"%.9g\">", p->number[tch_grid_index(grid, cell, i)]);
        else
            tch_buf_adds(b, "<td>");
        tch_xml_adds(b, shown ? tch_grid_text(grid, cell, i) : "");
        tch_buf_adds(b, "</td>");
    }
}

/* Adds the row of a cell or a baseline. */
static void add_row(struct tch_buf *b, const struct tch_results *r, size_t unit)
{
    static const char *const words[] = {
        [TCH_BEST_NO] = "", [TCH_BEST_MAYBE] = "maybe best", [TCH_BEST_YES] = "best"};
    const struct tch_cell_result *c = &r->cells[unit];
    enum tch_best best = unit < r->sweep->cells ? c->best : TCH_BEST_NO;

    tch_buf_adds(b, best == TCH_BEST_YES ? "<tr class=\"best\"><td>" : "<tr><td>");
    add_link(b, r, c);
    tch_buf_adds(b, "</td>");
    add_params(b, r->sweep, unit);
    tch_buf_addf(b, "<td data-v=\"%zu\">%zu</td>", c->runs, c->runs);
    add_cost(b, r, &c->value[r->cost]);
    for (size_t j = 0; j < r->measure_count; j++)
        if (is_column(r, j))
            add_number(b, r->measures[j].unit, c->value[j].median);
    if (strcmp(c->state, "complete") == 0) {
        tch_buf_addf(b, "<td class=\"text\">%s</td>", words[best]);
    } else {
        tch_buf_adds(b, "<td class=\"bad\">");
        tch_xml_adds(b, c->failure ? c->failure : c->state);
        tch_buf_adds(b, "</td>");
    }
    tch_buf_adds(b, "</tr>\n");
}

static void add_cells(struct tch_buf *b, const struct tch_results *r)
{
    const struct tch_sweep *sweep = r->sweep;
    const struct tch_grid *grid = sweep->plan->grid;

    tch_buf_adds(b, "<h2>Cells</h2>\n<div class=\"wide\"><table class=\"sort\"><tr><th>cell</th>");
    for (size_t i = 0; i < grid->count; i++)
        tch_buf_addf(b, "<th>%s</th>", grid->param[i].name);
    tch_buf_adds(b, "<th>runs</th><th>");
    tch_xml_adds(b, r->measures[r->cost].title);
    tch_buf_adds(b, "</th><th>95 % interval</th>");
    if (sweep->baselines > 0)
        tch_buf_adds(b, "<th>ratio to baseline, 95 %</th>");
    for (size_t i = 0; i < r->measure_count; i++)
        if (is_column(r, i)) {
            tch_buf_adds(b, "<th>");
            tch_xml_adds(b, r->measures[i].title);
            tch_buf_adds(b, "</th>");
        }
    tch_buf_adds(b, "<th></th></tr>\n");
    for (size_t i = sweep->cells; i < sweep->cells + sweep->baselines; i++)
        add_row(b, r, i);
    for (size_t i = 0; i < sweep->cells; i++)
        add_row(b, r, i);
    tch_buf_adds(b, "</table></div>\n<p class=\"sub\">Click on a heading to sort. All measures are "
                    "in <a href=\"results.csv\">results.csv</a> and <a "
                    "href=\"sweep.json\">sweep.json</a>.</p>\n");
}

static void add_effects(struct tch_buf *b, const struct tch_results *r)
{
    struct tch_buf name;

    if (r->effect_count == 0)
        return;
    tch_buf_adds(b, "<h2>What the ");
    tch_xml_adds(b, r->measures[r->cost].title);
    tch_buf_adds(b, " depends on</h2>\n<div class=\"wide\"><table><tr><th></th><th>share</th>"
                    "<th class=\"text\">cost with each value, relative to the mean</th></tr>\n");
    for (size_t k = 0; k < r->effect_count; k++) {
        const struct tch_effect *e = &r->effects[k];
        bool noise = e->p > TCH_RESULT_ALPHA / (double)r->effect_count;
        size_t param = (size_t)__builtin_ctz(e->which);
        const struct tch_param *p = &r->sweep->plan->grid->param[param];

        tch_buf_init_part(&name, b);
        tch_effect_name(r, e, &name);
        tch_buf_adds(b, noise ? "<tr style=\"color:var(--dim)\"><td>" : "<tr><td>");
        tch_xml_adds(b, name.data);
        tch_buf_addf(b, "</td><td>%.1f %%</td><td class=\"text\">", 100 * e->share);
        for (size_t i = 0; !noise && e->which == (tch_params)1 << param && i < p->count; i++) {
            tch_buf_adds(b, i == 0 ? "" : ", ");
            tch_xml_adds(b, p->text[i]);
            tch_buf_addf(b, ": %.3g×", tch_effect_ratio(r, param, i));
        }
        tch_buf_adds(b, noise ? "no more than noise</td></tr>\n" : "</td></tr>\n");
        tch_buf_release(&name);
    }
    tch_buf_adds(
        b, "</table></div>\n<p class=\"sub\">Shares of the variance between the cells, by an "
           "analysis of variance of the logarithms of their medians. \"a x b\": the effect of the "
           "two together beyond the effect of each alone.</p>\n");
}

int tch_sweep_report(const struct tch_results *r, tacho_error *err)
{
    struct tch_buf b;
    int status = 0;

    tch_buf_init(&b, TCH_REPORT_MAX);
    add_open(&b, r);
    add_warnings(&b, r);
    if (r->measure_count > 0) {
        add_heads(&b, r);
        add_effects(&b, r);
        add_growth(&b, r);
        status = tch_sweep_figures(r, r->sweep->folder, &b, err);
        add_cells(&b, r);
    }
    tch_page_close(&b, "sweep.json and the run folders in cells/");
    if (status == 0 && b.failed)
        status = tch_fail_memory(err);
    if (status == 0)
        status = tch_found_write(r->sweep->folder, "report.html", b.data, b.len, false, err);
    tch_buf_release(&b);
    return status;
}
