/* The charts of a run. */
#include "report_parts.h"

#include <math.h>
#include <unistd.h>

#include <tacho/csv.h>

#include "base/fail.h"
#include "base/xml.h"
#include "kit/stats/order_stats.h"
#include "plot.h"

enum { BINS_MOST = 60, MEMORY_SERIES = 4 };

/* Runs in order. */

static void plot_order(struct tch_buf *b, const char *title, const char *name, enum tch_unit unit,
                       const double *values, size_t n, const struct tch_run_summary *s)
{
    struct tch_plot p = {.b = b,
                         .title = title,
                         .x_name = "run",
                         .y_name = name,
                         .x0 = 0,
                         .x1 = (double)n + 1,
                         .xu = TCH_COUNT,
                         .yu = unit};
    double *x = malloc((n + 1) * sizeof *x);

    if (!x) {
        b->failed = true;
        return;
    }
    for (size_t i = 0; i < n; i++)
        x[i] = (double)i + 1;
    tch_plot_range_y(&p, values, n, false);
    tch_plot_begin(&p);
    if (s->level > 0)
        tch_plot_strip(&p, s->low, s->high);
    tch_plot_level(&p, s->median);
    tch_plot_dots(&p, x, values, n);
    tch_plot_end(&p);
    free(x);
}

/* As wide as Freedman and Diaconis say: 2 (q3 - q1) / n^(1/3). */
static size_t bin_count(const double *sorted, size_t n, const struct tch_run_summary *s)
{
    double width = 2 * (s->q3 - s->q1) / cbrt((double)n);
    double count = width > 0 ? ceil((sorted[n - 1] - sorted[0]) / width) : 1;

    return count < 1 ? 1 : count > BINS_MOST ? BINS_MOST : (size_t)count;
}

static void plot_histogram(struct tch_buf *b, const double *sorted, size_t n,
                           const struct tch_run_summary *s)
{
    double edge[BINS_MOST + 1];
    double height[BINS_MOST] = {0};
    size_t bins = bin_count(sorted, n, s);
    double low = sorted[0];
    double width = (sorted[n - 1] - low) / (double)bins;
    struct tch_plot p = {.b = b,
                         .title = "How often: wall time",
                         .x_name = "wall time",
                         .y_name = "runs",
                         .xu = TCH_NS,
                         .yu = TCH_COUNT};

    if (!(width > 0))
        width = low > 0 ? low / 100 : 1;
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

static void plot_cumulative(struct tch_buf *b, const double *sorted, double *share, size_t n)
{
    struct tch_plot p = {.b = b,
                         .title = "Share of runs that took at most so long",
                         .x_name = "wall time",
                         .y_name = "share",
                         .x0 = sorted[0],
                         .x1 = sorted[n - 1],
                         .y1 = 1.02,
                         .xu = TCH_NS,
                         .yu = TCH_PLAIN};

    for (size_t i = 0; i < n; i++)
        share[i] = (double)(i + 1) / (double)n;
    tch_plot_begin(&p);
    tch_plot_line(&p, "c", sorted, share, n, false);
    tch_plot_end(&p);
}

static const struct tch_run_summary *summary_of(const struct tch_receipt *r, const char *name)
{
    for (size_t i = 0; i < r->rows.count; i++)
        if (strcmp(r->rows.row[i].name, name) == 0)
            return &r->rows.row[i].summary;
    return NULL;
}

static int plot_metrics(struct tch_buf *b, const struct tch_receipt *r, tacho_error *err)
{
    int status = 0;

    for (size_t i = 0; i < r->samples.metric_count && status == 0; i++) {
        const struct tch_run_summary *s = summary_of(r, r->samples.metrics[i].name);
        struct tch_values values = {0};

        status = tch_run_samples_metric(&r->samples, i, &values, err);
        if (status == 0 && s)
            plot_order(b, r->samples.metrics[i].name, r->samples.metrics[i].name, TCH_PLAIN,
                       values.v, values.n, s);
        tch_values_release(&values);
    }
    return status;
}

int tch_charts_runs(struct tch_buf *b, const struct tch_receipt *r, tacho_error *err)
{
    const struct tch_run_summary *wall = summary_of(r, "wall_ns");
    const struct tch_run_summary *rss = summary_of(r, "max_rss_bytes");
    double *values = malloc(2 * (r->samples.count + 1) * sizeof *values);
    size_t n;

    if (!values)
        return tch_fail_memory(err);
    tch_buf_adds(b, "<div class=\"plots\">\n");
    n = tch_run_samples_field(&r->samples, TCH_WALL, values);
    if (wall && n > 0) {
        plot_order(b, "Wall time of the runs in order, the median and its interval", "wall time",
                   TCH_NS, values, n, wall);
        tch_sort(values, n);
        plot_histogram(b, values, n, wall);
        plot_cumulative(b, values, values + r->samples.count + 1, n);
    }
    n = tch_run_samples_field(&r->samples, TCH_MAX_RSS, values);
    if (rss && n > 0)
        plot_order(b, "Peak memory of the runs in order", "peak memory", TCH_BYTES, values, n, rss);
    free(values);
    if (plot_metrics(b, r, err) < 0)
        return TACHO_ENOMEM;
    tch_buf_adds(b, "</div>\n");
    return 0;
}

/* Over time. */

struct series {
    struct tch_values x; /* seconds from the first row, in nanoseconds */
    struct tch_values y[MEMORY_SERIES];
    uint64_t first_us;
};

static int add_time(struct series *s, uint64_t timestamp_us, tacho_error *err)
{
    if (s->x.n == 0)
        s->first_us = timestamp_us;
    return tch_values_add(&s->x, ((double)timestamp_us - (double)s->first_us) * 1e3, err);
}

static int take_memory(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    const tacho_csv_memory *m = &row->as.memory;
    double values[MEMORY_SERIES] = {(double)m->peak_rss_bytes, (double)m->kv_cache_bytes,
                                    (double)m->activation_bytes, (double)m->temp_buffer_bytes};
    struct series *s = ctx;
    int status = add_time(s, m->timestamp_us, err);

    for (int i = 0; i < MEMORY_SERIES && status == 0; i++)
        status = tch_values_add(&s->y[i], values[i], err);
    return status;
}

static int take_power(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    struct series *s = ctx;
    int status = add_time(s, row->as.power.timestamp_us, err);

    return status < 0 ? status : tch_values_add(&s->y[0], row->as.power.watts, err);
}

/* Reads the rows of a file. A missing file has none; of a truncated one the page says so. */
static int read_series(struct series *s, const char *folder, const char *file, int kind,
                       struct tch_buf *b, tacho_error *err)
{
    char path[PATH_MAX];
    tacho_error why = {0};
    int status = tch_folder_at(path, folder, file, err);

    if (status < 0 || access(path, F_OK) < 0)
        return status;
    status =
        tacho_csv_read(path, kind, kind == TACHO_CSV_POWER ? take_power : take_memory, s, &why);
    if (status < 0 && status != TACHO_EPARSE && err)
        *err = why;
    if (status != TACHO_EPARSE)
        return status;
    tch_buf_addf(b, "<p class=\"sub\">%s could be read in part only: ", file);
    tch_xml_adds(b, why.message);
    tch_buf_adds(b, "</p>\n");
    return 0;
}

static double largest(const struct tch_values *values)
{
    double most = 0;

    for (size_t i = 0; i < values->n; i++)
        most = fmax(most, values->v[i]);
    return most;
}

static void plot_memory(struct tch_buf *b, const char *title, const struct series *s)
{
    static const char *const kinds[MEMORY_SERIES] = {"a", "b", "c", "d"};
    static const char *const names[MEMORY_SERIES] = {"resident", "kv_cache", "activations",
                                                     "temp_buffers"};
    struct tch_plot p = {.b = b,
                         .title = title,
                         .x_name = "time",
                         .y_name = "memory",
                         .xu = TCH_NS,
                         .yu = TCH_BYTES};
    bool several = false;

    if (s->x.n < 2)
        return;
    p.x1 = s->x.v[s->x.n - 1];
    tch_plot_range_y(&p, s->y[0].v, s->y[0].n, true);
    for (int i = 1; i < MEMORY_SERIES; i++) {
        p.y1 = fmax(p.y1, 1.08 * largest(&s->y[i]));
        several |= largest(&s->y[i]) > 0;
    }
    tch_plot_begin(&p);
    for (int i = 0; i < MEMORY_SERIES; i++)
        if (i == 0 || largest(&s->y[i]) > 0)
            tch_plot_line(&p, kinds[i], s->x.v, s->y[i].v, s->x.n, i == 0);
    tch_plot_end_picture(&p);
    if (several)
        tch_buf_adds(b, "<p class=\"key\">");
    for (int i = 0; several && i < MEMORY_SERIES; i++)
        if (i == 0 || largest(&s->y[i]) > 0)
            tch_buf_addf(b, "<span><i style=\"background:var(--%s)\"></i>%s</span> ", kinds[i],
                         names[i]);
    tch_buf_adds(b, several ? "</p></figure>\n" : "</figure>\n");
}

static void plot_power(struct tch_buf *b, const char *title, const struct series *s)
{
    struct tch_plot p = {
        .b = b, .title = title, .x_name = "time", .y_name = "watts", .xu = TCH_NS, .yu = TCH_PLAIN};

    if (s->x.n < 2)
        return;
    p.x1 = s->x.v[s->x.n - 1];
    tch_plot_range_y(&p, s->y[0].v, s->y[0].n, true);
    tch_plot_begin(&p);
    tch_plot_line(&p, "b", s->x.v, s->y[0].v, s->x.n, false);
    tch_plot_end(&p);
}

/* In the order of the page. */
static const struct {
    const char *file;
    int kind;
    const char *title;
} timelines[] = {
    {"memory.csv", TACHO_CSV_MEMORY, "Memory of the process tree, all runs one after the other"},
    {"server-memory.csv", TACHO_CSV_MEMORY, "Memory of the server's process tree"},
    {"memory-program.csv", TACHO_CSV_MEMORY, "Memory by category, as the program counts it"},
    {"power.csv", TACHO_CSV_POWER, "Power while it ran, in watts"},
    {"server-power.csv", TACHO_CSV_POWER, "Power of the server by its share of CPU time, in watts"},
};

enum { TIMELINES = sizeof timelines / sizeof timelines[0] };

int tch_charts_timeline(struct tch_buf *b, const struct tch_report_run *run, tacho_error *err)
{
    struct series list[TIMELINES] = {0};
    bool any = false;
    int status = 0;

    for (int i = 0; i < TIMELINES && status == 0; i++) {
        status = read_series(&list[i], run->folder, timelines[i].file, timelines[i].kind, b, err);
        any |= list[i].x.n > 1;
    }
    if (status == 0 && any) {
        tch_buf_adds(b, "<h2>Over time</h2>\n<p class=\"sub\">");
        tch_report_add_costs(b, &run->receipt);
        tch_buf_adds(b, "</p>\n<div class=\"plots\">\n");
        for (int i = 0; i < TIMELINES; i++)
            if (timelines[i].kind == TACHO_CSV_POWER)
                plot_power(b, timelines[i].title, &list[i]);
            else
                plot_memory(b, timelines[i].title, &list[i]);
        tch_buf_adds(b, "</div>\n");
    }
    for (int i = 0; i < TIMELINES; i++) {
        tch_values_release(&list[i].x);
        for (int k = 0; k < MEMORY_SERIES; k++)
            tch_values_release(&list[i].y[k]);
    }
    return status;
}
