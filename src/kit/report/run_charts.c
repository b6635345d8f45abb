/* The charts of a run: its samples in order, and the distribution of the wall times. */
#include "report_parts.h"

#include <math.h>

#include "base/fail.h"
#include "kit/stats/order_stats.h"
#include "plot.h"

enum { BINS_MOST = 60 };

/* Plots values in order. A single value gets no chart, because the page shows it as a number. */
static void plot_order(struct tch_buf *b, const char *title, const char *x_name, const char *name,
                       enum tch_unit unit, const double *values, size_t n,
                       const struct tch_summary *s)
{
    struct tch_plot p = {.b = b,
                         .title = title,
                         .x_name = x_name,
                         .y_name = name,
                         .x_first = 1,
                         .xu = TCH_COUNT,
                         .yu = unit};
    double *x;

    if (n < 2)
        return;
    x = malloc(n * sizeof *x);
    if (!x) {
        b->failed = true;
        return;
    }
    for (size_t i = 0; i < n; i++)
        x[i] = (double)i + 1;
    tch_plot_range_x(&p, 1, (double)n);
    tch_plot_range_y(&p, values, n, false);
    tch_plot_begin(&p);
    if (s->level > 0)
        tch_plot_strip(&p, s->low, s->high);
    tch_plot_level(&p, s->median);
    tch_plot_dots(&p, x, values, n);
    tch_plot_end(&p);
    free(x);
}

/* Returns the larger result of two rules: bins as wide as 2 (q3 - q1) / n^(1/3) (Freedman and
   Diaconis, 1981), and log2(n) + 1 bins (Sturges, 1926), which keeps a few values from becoming one
   bar. */
static size_t bin_count(const double *sorted, size_t n, const struct tch_summary *s)
{
    double width = 2 * (s->q3 - s->q1) / cbrt((double)n);
    double count = width > 0 ? ceil((sorted[n - 1] - sorted[0]) / width) : 1;

    return (size_t)fmin(fmax(count, ceil(log2((double)n)) + 1), BINS_MOST);
}

static void plot_histogram(struct tch_buf *b, const double *sorted, size_t n,
                           const struct tch_summary *s)
{
    double edge[BINS_MOST + 1];
    double height[BINS_MOST] = {0};
    size_t bins = bin_count(sorted, n, s);
    double low = sorted[0];
    double width = (sorted[n - 1] - low) / (double)bins;
    struct tch_plot p = {.b = b,
                         .title = "Histogram of the wall time",
                         .x_name = "wall time",
                         .y_name = "runs",
                         .xu = TCH_NS,
                         .yu = TCH_COUNT};

    for (size_t i = 0; i <= bins; i++)
        edge[i] = low + width * (double)i;
    for (size_t i = 0; i < n; i++) {
        size_t bin = (size_t)((sorted[i] - low) / width);

        height[bin < bins ? bin : bins - 1]++;
    }
    p.x0 = edge[0];
    p.x1 = edge[bins];
    tch_plot_range_y(&p, height, bins, true);
    tch_plot_begin(&p);
    tch_plot_bars(&p, edge, height, bins);
    tch_plot_end(&p);
}

static void plot_cumulative(struct tch_buf *b, const double *sorted, size_t n)
{
    struct tch_plot p = {.b = b,
                         .title = "Share of runs that took at most this time",
                         .x_name = "wall time",
                         .y_name = "share",
                         .y1 = 1.02,
                         .xu = TCH_NS,
                         .yu = TCH_PLAIN};

    tch_plot_range_x(&p, sorted[0], sorted[n - 1]);
    tch_plot_begin(&p);
    tch_plot_ecdf(&p, "c", sorted, NULL, n);
    tch_plot_end(&p);
}

static int plot_metrics(struct tch_buf *b, const struct tch_result *r, tacho_error *err)
{
    int status = 0;

    for (size_t i = TCH_FIELDS; i < r->column_count && status == 0; i++) {
        const struct tch_metric *m = &r->columns[i].metric;
        const struct tch_row *row = m->asked ? tch_result_row(r, m->key) : NULL;
        struct tch_values values = {0};

        if (!row)
            continue;
        status = tch_column_values(r, &r->columns[i], &values, err);
        if (status == 0)
            plot_order(b, m->name, m->several ? "value" : "run", m->name, m->unit, values.v,
                       values.n, &row->summary);
        tch_values_release(&values);
    }
    return status;
}

int tch_charts_runs(struct tch_buf *b, const struct tch_result *r, tacho_error *err)
{
    const struct tch_row *wall = tch_result_row(r, "wall_ns");
    const struct tch_row *rss = tch_result_row(r, "max_rss_bytes");
    double *values = malloc((r->run_count + 1) * sizeof *values);
    size_t n;

    if (!values)
        return tch_fail_memory(err);
    tch_buf_adds(b, "<div class=\"plots\">\n");
    n = tch_result_field(r, TCH_WALL, values);
    if (wall && n > 0) {
        plot_order(b, "Wall time of the runs in order, the median and its interval", "run",
                   "wall time", TCH_NS, values, n, &wall->summary);
        tch_sort(values, n);
        if (values[0] < values[n - 1]) { /* equal values have no distribution to draw */
            plot_histogram(b, values, n, &wall->summary);
            plot_cumulative(b, values, n);
        }
    }
    n = tch_result_field(r, TCH_MAX_RSS, values);
    if (rss && n > 0)
        plot_order(b, "Peak memory of the runs in order", "run", "peak memory", TCH_BYTES, values,
                   n, &rss->summary);
    free(values);
    if (plot_metrics(b, r, err) < 0)
        return TACHO_ENOMEM;
    tch_buf_adds(b, "</div>\n");
    return 0;
}
