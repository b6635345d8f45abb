/* Adds what the program recorded about itself: its latencies, and the peaks of its memory
   categories. */
#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "base/fail.h"
#include "kit/file/found_file.h"
#include "kit/text/human_number.h"
#include "kit/text/table_forms.h"
#include "lib/measure/csv_columns.h"
#include "lib/measure/csv_read.h"
#include "plot.h"
#include "report_parts.h"

/* --- Latencies --- */

static void add_latency_row(struct tch_table *t, const char *title, const tacho_latency_stats *s,
                            double p50)
{
    const double values[] = {
        (double)s->min, p50,     (double)s->p90, (double)s->p95, (double)s->p99, (double)s->p999,
        (double)s->max, s->mean, s->std};

    tch_table_add(t, TCH_TONE_PLAIN, title);
    tch_add_grouped(tch_table_cell(t, TCH_TONE_PLAIN), s->n);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        tch_table_value(t, TCH_TONE_PLAIN, TCH_NS, values[i]);
}

static void add_latency_table(struct tch_buf *b, const struct tch_latency_summary *s)
{
    static const struct tch_table_column columns[] = {{.title = ""},
                                                      {.title = "n"},
                                                      {.title = "min"},
                                                      {.title = "p50"},
                                                      {.title = "p90"},
                                                      {.title = "p95"},
                                                      {.title = "p99"},
                                                      {.title = "p99.9"},
                                                      {.title = "max"},
                                                      {.title = "mean"},
                                                      {.title = "std (population)"}};
    struct tch_table t;

    tch_table_init(&t, b, tch_table_html, columns, sizeof columns / sizeof columns[0]);
    add_latency_row(&t, "latency", &s->wall, s->wall_p50);
    if (s->kernel.max > 0)
        add_latency_row(&t, "in the kernel", &s->kernel, s->kernel_p50);
    tch_table_end(&t);
}

static int count_row(const tacho_csv_row *row, void *h, tacho_error *err)
{
    (void)err;
    tacho_histogram_record(h, row->as.latency_ns.wall_ns);
    return 0;
}

static int plot_histogram(struct tch_buf *b, const tacho_histogram *h, tacho_error *err)
{
    struct tch_plot p = {.b = b,
                         .title = "Share of latencies of at most this time",
                         .x_name = "latency",
                         .y_name = "share",
                         .y1 = 1.02,
                         .xu = TCH_NS,
                         .yu = TCH_PLAIN};
    struct tch_values x = {0};
    struct tch_values share = {0};
    tacho_histogram_bucket bucket;
    uint64_t below = 0;
    int status = 0;

    for (size_t at = 0; status == 0 && tacho_histogram_next(h, &at, &bucket) > 0;) {
        below += bucket.count;
        status = tch_values_add(&x, fmin((double)bucket.high, (double)tacho_histogram_max(h)), err);
        if (status == 0)
            status = tch_values_add(&share, (double)below / (double)tacho_histogram_count(h), err);
    }
    if (status == 0 && x.n > 1) {
        tch_plot_range_x(&p, x.v[0], x.v[x.n - 1]);
        p.x_log = x.v[0] > 0 && x.v[x.n - 1] > 100 * x.v[0];
        if (p.x_log) {
            p.x0 = x.v[0] * 0.9;
            p.x1 = x.v[x.n - 1] * 1.1;
        }
        tch_plot_begin(&p);
        tch_plot_ecdf(&p, "c", x.v, share.v, x.n);
        tch_plot_end(&p);
    }
    tch_values_release(&x);
    tch_values_release(&share);
    return status;
}

/* Plots all latencies from their file, if that is still there. */
static int plot_latencies(struct tch_buf *b, const char *folder, tacho_error *err)
{
    tacho_histogram *h = NULL;
    int fd = tch_found_open(folder, "latency-ns.csv", err);
    int status;

    if (fd < 0)
        return errno == ENOENT ? 0 : fd;
    status = tacho_histogram_new(&h, err);
    if (status == 0)
        status = tch_csv_read_fd(fd, "latency-ns.csv", TACHO_CSV_LATENCY_NS, count_row, h, err);
    else
        close(fd);
    if (status == 0 || status == TACHO_EPARSE)
        status = plot_histogram(b, h, err);
    tacho_histogram_free(h);
    return status;
}

/* Plots the percentiles of each run, in order. */
static int plot_runs(struct tch_buf *b, const struct tch_result *r, tacho_error *err)
{
    static const char *const keys[] = {"p50", "p95", "p99"};
    static const char *const kinds[] = {"a", "b", "c"};
    int column = tch_result_recorded(r, "latency");
    struct tch_plot p = {.b = b,
                         .title = "Latencies of the runs in order",
                         .x_name = "run",
                         .y_name = "latency",
                         .x_first = 1,
                         .xu = TCH_COUNT,
                         .yu = TCH_NS,
                         .keys = keys,
                         .key_count = 3};
    struct tch_values x = {0};
    struct tch_values y[3] = {0};
    double most = 0;
    double least = INFINITY;
    int status = 0;

    for (size_t i = 0; column >= 0 && i < r->run_count && status == 0; i++) {
        const struct tch_column *c = &r->columns[column];

        if (isnan(c->value[i]))
            continue;
        if (tch_values_add(&x, (double)i + 1, err) < 0 ||
            tch_values_add(&y[0], c->value[i], err) < 0 ||
            tch_values_add(&y[1], c->p95[i], err) < 0 || tch_values_add(&y[2], c->p99[i], err) < 0)
            status = TACHO_ENOMEM;
        most = fmax(most, c->p99[i]);
        least = fmin(least, c->value[i]);
    }
    if (status == 0 && x.n > 1) {
        tch_plot_range_x(&p, 1, (double)r->run_count);
        p.y1 = 1.08 * most;
        p.y_log = least > 0 &&
                  most > 20 * least; /* otherwise p50 and p95 would be one line at the bottom */
        if (p.y_log)
            p.y0 = 0.8 * least;
        tch_plot_begin(&p);
        for (int k = 0; k < 3; k++)
            tch_plot_marks(&p, kinds[k], x.v, y[k].v, x.n);
        tch_plot_end(&p);
    }
    tch_values_release(&x);
    for (int k = 0; k < 3; k++)
        tch_values_release(&y[k]);
    return status;
}

int tch_part_latencies(struct tch_buf *b, const struct tch_report_run *run, tacho_error *err)
{
    const struct tch_latency_summary *s = &run->result.latency;
    int status;

    if (s->wall.n == 0)
        return 0;
    tch_buf_adds(b, "<h2>Latencies</h2>\n<p class=\"sub\">Recorded by the program in all runs. "
                    "Percentiles are ");
    tch_buf_adds(b, s->exact ? "exact" : "within 0.4 %: there are too many to keep them all");
    tch_buf_adds(b, "; sd is that of the population.</p>\n");
    add_latency_table(b, s);
    tch_buf_adds(b, "<div class=\"plots\">\n");
    status = plot_latencies(b, run->folder, err);
    if (status == 0)
        status = plot_runs(b, &run->result, err);
    tch_buf_adds(b, "</div>\n");
    return status;
}

/* --- Memory categories --- */

int tch_part_categories(struct tch_buf *b, const struct tch_report_run *run, tacho_error *err)
{
    static const struct tch_table_column columns[] = {{.title = "category"},
                                                      {.title = "runs"},
                                                      {.title = "median peak"},
                                                      {.title = "min"},
                                                      {.title = "max"}};
    static const char prefix[] = "memory.";
    const struct tch_result *r = &run->result;
    struct tch_table t = {.b = NULL};
    int status = 0;

    for (size_t i = TCH_FIELDS; i < r->column_count && status == 0; i++) {
        const struct tch_column *c = &r->columns[i];
        const char *key = c->metric.key;
        struct tch_summary s;

        if (c->metric.source != TCH_FROM_MEMORY)
            continue;
        status = tch_summary_of(c->value, r->run_count, TCH_RESULT_ALPHA, &s, err);
        if (status < 0)
            break;
        if (!t.b) { /* most programs record no categories */
            tch_buf_adds(b, "<h2>Peaks of the memory categories</h2>\n");
            tch_table_init(&t, b, tch_table_html, columns, 5);
        }
        tch_table_add(&t, TCH_TONE_PLAIN,
                      strncmp(key, prefix, sizeof prefix - 1) == 0 ? key + sizeof prefix - 1 : key);
        tch_buf_addf(tch_table_cell(&t, TCH_TONE_PLAIN), "%llu", (unsigned long long)s.n);
        tch_table_value(&t, TCH_TONE_PLAIN, TCH_BYTES, s.median);
        tch_table_value(&t, TCH_TONE_PLAIN, TCH_BYTES, s.min);
        tch_table_value(&t, TCH_TONE_PLAIN, TCH_BYTES, s.max);
    }
    if (t.b)
        tch_table_end(&t);
    return status < 0 ? TACHO_ENOMEM : 0;
}
