/* The page that compares several runs: the fastest, a table, charts, and all medians side by
   side. */
#include <math.h>

#include "base/fail.h"
#include "kit/file/found_file.h"
#include "kit/result/run_folder.h"
#include "kit/stats/order_stats.h"
#include "kit/text/table_forms.h"
#include "kit/text/xml.h"
#include "plot.h"
#include "report_parts.h"
#include "report_text.h"
#include "run_comparison.h"

enum { DRAWN_MOST = 8 }; /* commands with a colour of their own */

static const char *const kinds[DRAWN_MOST] = {"a", "b", "c", "d", "e", "f", "g", "h"};

static void add_sentences(struct tch_buf *b, const struct tch_comparison *c)
{
    struct tch_buf text;

    tch_buf_init_part(&text, b);
    tch_comparison_add_fastest(&text, c);
    tch_buf_adds(b, "<h1>Fastest: ");
    tch_xml_adds(b, text.data);
    tch_buf_addf(b,
                 "</h1>\n<p class=\"sub\">%zu commands, compared by wall time%s. Intervals have "
                 "a confidence of 95 %%.</p>\n<ul>\n",
                 c->count, c->paired ? " in pairs of interleaved runs" : "");
    for (size_t i = 0; i < c->count; i++) {
        if (i == c->fastest)
            continue;
        tch_buf_clear(&text);
        tch_comparison_add_sentence(&text, c, i);
        tch_buf_adds(b, "<li>");
        tch_xml_adds(b, text.data);
        tch_buf_adds(b, "</li>\n");
    }
    tch_buf_adds(b, "</ul>\n");
    tch_buf_release(&text);
}

static const struct tch_row *wall_row(const struct tch_result *r)
{
    return r->row_count > 0 && strcmp(r->rows[0].metric.key, "wall_ns") == 0 ? &r->rows[0] : NULL;
}

/* Adds the name of a run, as a link if the page is beside the run's report. */
static void add_name(struct tch_buf *b, const struct tch_result *r, bool linked)
{
    if (linked) {
        tch_buf_adds(b, "<a href=\"../../");
        tch_xml_adds(b, r->name);
        tch_buf_addf(b, "/%s/report.html\">", r->id);
    }
    tch_xml_adds(b, r->name);
    tch_buf_adds(b, linked ? "</a>" : "");
}

static void add_row(struct tch_table *t, const struct tch_comparison *c, size_t i, double slowest,
                    bool linked)
{
    const struct tch_result *r = &c->runs[i].result;
    const struct tch_row *wall = wall_row(r);
    const struct tch_ratio *times = &c->run[i].times;
    double share = wall && slowest > 0 ? wall->summary.median / slowest : 0;
    struct tch_buf *cell = tch_table_markup(t);

    t->row = i == c->fastest ? "best" : NULL;
    add_name(cell, r, linked);
    tch_buf_adds(cell, i == c->fastest ? " (fastest)" : "");
    tch_buf_addf(tch_table_cell(t, TCH_TONE_PLAIN), "%zu", r->run_count);
    tch_table_value(t, TCH_TONE_PLAIN, TCH_NS, wall ? wall->summary.median : NAN);
    cell = tch_table_cell(t, TCH_TONE_PLAIN);
    if (wall)
        tch_add_interval(cell, TCH_NS, wall->summary.low, wall->summary.high, wall->summary.level,
                         t->form.to);
    cell = tch_table_cell(t, TCH_TONE_PLAIN);
    if (i == c->fastest)
        tch_buf_addc(cell, '1');
    else
        tch_comparison_add_times(cell, times);
    cell = tch_table_cell(t, TCH_TONE_PLAIN);
    if (isfinite(times->estimate) && i != c->fastest)
        tch_comparison_add_interval(cell, times);
    tch_buf_addf(tch_table_markup(t), "<span class=\"bar\" style=\"width:%.1fem\"></span>",
                 10 * share);
    cell = tch_table_markup(t);
    tch_buf_adds(cell, "<code>");
    tch_xml_adds(cell, r->command.line);
    tch_buf_adds(cell, "</code>");
}

static void add_ranking(struct tch_buf *b, const struct tch_comparison *c, bool linked)
{
    static const struct tch_table_column columns[] = {{.title = ""},
                                                      {.title = "runs"},
                                                      {.title = "wall time, median"},
                                                      {.title = "interval of the median"},
                                                      {.title = "times the fastest"},
                                                      {.title = "joint 95 % interval"},
                                                      {.title = "", .css = "text"},
                                                      {.title = "command", .css = "text"}};
    double slowest = 0;
    struct tch_table t;

    for (size_t i = 0; i < c->count; i++) {
        const struct tch_row *wall = wall_row(&c->runs[i].result);

        if (wall)
            slowest = fmax(slowest, wall->summary.median);
    }
    tch_table_init(&t, b, tch_table_html, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < c->count; i++)
        add_row(&t, c, i, slowest, linked);
    tch_table_end(&t);
}

static void add_metric(struct tch_table *t, const struct tch_comparison *c,
                       const struct tch_metric *metric)
{
    tch_table_add(t, TCH_TONE_PLAIN, metric->title);
    for (size_t i = 0; i < c->count; i++) {
        const struct tch_row *row = tch_result_row(&c->runs[i].result, metric->key);
        struct tch_buf *cell = tch_table_markup(t);

        tch_add_value(cell, metric->unit, row ? row->summary.median : NAN);
        if (!row)
            continue;
        tch_buf_adds(cell, "<br><small>");
        tch_add_interval(cell, metric->unit, row->summary.low, row->summary.high,
                         row->summary.level, t->form.to);
        tch_buf_adds(cell, "</small>");
    }
}

/* Adds the medians of everything: one row per metric of any run, one column per run. */
static int add_medians(struct tch_buf *b, const struct tch_comparison *c, tacho_error *err)
{
    struct tch_table_column *columns = calloc(c->count + 1, sizeof *columns);
    struct tch_table t;

    if (!columns)
        return tch_fail_memory(err);
    columns[0].title = "";
    for (size_t i = 0; i < c->count; i++)
        columns[1 + i].title = c->runs[i].result.name;
    tch_buf_adds(b, "<h2>Medians side by side</h2>\n<p class=\"sub\">Below each median: its "
                    "interval of 95 % or more.</p>\n");
    tch_table_init(&t, b, tch_table_html, columns, 1 + c->count);
    for (size_t i = 0; i < c->count; i++)
        for (size_t k = 0; k < c->runs[i].result.row_count; k++) {
            const struct tch_metric *metric = &c->runs[i].result.rows[k].metric;
            bool seen = false;

            for (size_t before = 0; before < i && !seen; before++)
                seen = tch_result_row(&c->runs[before].result, metric->key) != NULL;
            if (!seen)
                add_metric(&t, c, metric);
        }
    tch_table_end(&t);
    free(columns);
    return 0;
}

/* The wall times that are drawn, one series per command. */
struct drawn {
    double *wall[DRAWN_MOST]; /* owned */
    size_t n[DRAWN_MOST];
    const char *names[DRAWN_MOST];
    size_t count;
    size_t longest;
};

static int take_series(struct drawn *d, const struct tch_comparison *c, tacho_error *err)
{
    for (size_t i = 0; i < c->count && d->count < DRAWN_MOST; i++) {
        const struct tch_result *r = &c->runs[i].result;
        double *wall = malloc((r->run_count + 1) * sizeof *wall);

        if (!wall)
            return tch_fail_memory(err);
        d->wall[d->count] = wall;
        d->n[d->count] = tch_result_field(r, TCH_WALL, wall);
        d->names[d->count] = c->runs[i].result.name;
        if (d->n[d->count] > d->longest)
            d->longest = d->n[d->count];
        d->count++;
    }
    return 0;
}

/* Plots the runs in order. x and y have room for twice the longest series. */
static void plot_order(struct tch_buf *b, const struct drawn *d, double low, double high, double *x)
{
    struct tch_plot p = {.b = b,
                         .title = "Wall time of the runs in order",
                         .x_name = "run",
                         .y_name = "wall time",
                         .x0 = 0.5,
                         .x1 = (double)d->longest + 0.5,
                         .xu = TCH_COUNT,
                         .yu = TCH_NS,
                         .keys = d->names,
                         .key_count = d->count};
    const double ends[] = {low, high};

    for (size_t i = 0; i < d->longest; i++)
        x[i] = (double)i + 1;
    tch_plot_range_y(&p, ends, 2, false);
    tch_plot_begin(&p);
    for (size_t i = 0; i < d->count; i++)
        tch_plot_marks(&p, kinds[i], x, d->wall[i], d->n[i]);
    tch_plot_end(&p);
}

static void plot_shares(struct tch_buf *b, const struct drawn *d, double low, double high,
                        double *x, double *y)
{
    struct tch_plot p = {.b = b,
                         .title = "Share of runs that took at most this time",
                         .x_name = "wall time",
                         .y_name = "share",
                         .x0 = low,
                         .x1 = high > low ? high : low + 1,
                         .y1 = 1.02,
                         .xu = TCH_NS,
                         .yu = TCH_PLAIN,
                         .keys = d->names,
                         .key_count = d->count};

    tch_plot_begin(&p);
    for (size_t i = 0; i < d->count; i++) {
        tch_sort(d->wall[i], d->n[i]);
        for (size_t k = 0; k < d->n[i]; k++) { /* a step at each run */
            x[2 * k] = x[2 * k + 1] = d->wall[i][k];
            y[2 * k] = (double)k / (double)d->n[i];
            y[2 * k + 1] = (double)(k + 1) / (double)d->n[i];
        }
        tch_plot_line(&p, kinds[i], x, y, 2 * d->n[i], false);
    }
    tch_plot_end(&p);
}

static int add_charts(struct tch_buf *b, const struct tch_comparison *c, tacho_error *err)
{
    struct drawn d = {0};
    double low = INFINITY;
    double high = 0;
    double *room = NULL;
    int status = take_series(&d, c, err);

    for (size_t i = 0; i < d.count; i++)
        for (size_t k = 0; k < d.n[i]; k++) {
            low = fmin(low, d.wall[i][k]);
            high = fmax(high, d.wall[i][k]);
        }
    if (status == 0 && !(room = malloc(4 * (d.longest + 1) * sizeof *room)))
        status = tch_fail_memory(err);
    if (status == 0 && high > 0) {
        tch_buf_adds(b, "<div class=\"plots\">\n");
        plot_order(b, &d, low, high, room);
        plot_shares(b, &d, low, high, room, room + 2 * (d.longest + 1));
        tch_buf_adds(b, "</div>\n");
        if (c->count > DRAWN_MOST)
            tch_buf_addf(b, "<p class=\"sub\">The charts show the first %d commands.</p>\n",
                         DRAWN_MOST);
    }
    for (size_t i = 0; i < d.count; i++)
        free(d.wall[i]);
    free(room);
    return status;
}

static int add_comparison(struct tch_buf *b, const struct tch_comparison *c, bool linked,
                          tacho_error *err)
{
    int status;

    tch_buf_adds(b, "<section>\n");
    add_sentences(b, c);
    add_ranking(b, c, linked);
    status = add_charts(b, c, err);
    if (status == 0)
        status = add_medians(b, c, err);
    tch_buf_adds(b, "</section>\n");
    return status;
}

int tch_comparison_html(struct tch_buf *b, const struct tch_comparison *c, tacho_error *err)
{
    return add_comparison(b, c, false, err);
}

int tch_comparison_save(const struct tch_comparison *c, tacho_error *err)
{
    struct tch_buf b;
    int status;

    tch_buf_init(&b, TCH_REPORT_MAX);
    tch_page_open(&b, "Comparison");
    status = add_comparison(&b, c, true, err);
    tch_page_close(&b, "the run.json of each command");
    if (status == 0 && b.failed)
        status = tch_fail_memory(err);
    if (status == 0)
        status = tch_found_write(c->runs[0].folder, TCH_COMPARISON_FILE, b.data, b.len, false, err);
    tch_buf_release(&b);
    return status;
}
