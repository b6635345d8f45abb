/* Memory and power over time, from the CSV files of a run folder. */
#include <errno.h>
#include <math.h>

#include "base/fail.h"
#include "kit/file/found_file.h"
#include "kit/recorded/recorded.h"
#include "kit/text/xml.h"
#include "lib/measure/csv_columns.h"
#include "lib/measure/csv_read.h"
#include "plot.h"
#include "report_parts.h"
#include "run_overlay.h"

enum {
    MEMORY_LINES = 4, /* columns of memory.csv */
    LINES_MOST = 32,  /* including categories of the program's own */
    LINES_DRAWN = 8,  /* the number of colours */
    APART_MOST = 6,   /* runs that are drawn one after the other; more are laid over each other */
};

/* One line of a chart. A NAN interrupts it between two runs and between two processes. */
struct line {
    char name[64];
    struct tch_values
        x; /* microseconds since 1970, later nanoseconds since the chart's first row */
    struct tch_values y;
    struct tch_values since; /* microseconds since the start of the run */
    double most;
    double last_us;
    size_t run; /* run of the last row */
    uint64_t pid;
};

struct chart {
    const struct tch_result *interrupted; /* its runs interrupt the lines; NULL: no interruption */
    double unix_us;                       /* wall clock at CLOCK_MONOTONIC 0 */
    double first_us, last_us;
    struct line line[LINES_MOST];
    size_t count;
};

/* Returns how many runs had started by that time. */
static size_t runs_started(const struct chart *c, double us)
{
    size_t low = 0;
    size_t high = c->interrupted ? c->interrupted->run_count : 0;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        double start_us = (double)c->interrupted->runs[middle].start_ns / 1e3;

        if (c->unix_us + start_us <= us)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the time since the start of a run; 0 stands for the time before the first run. */
static double since_start(const struct chart *c, size_t run, double us)
{
    return run > 0 ? us - c->unix_us - (double)c->interrupted->runs[run - 1].start_ns / 1e3 : us;
}

static int add_values(struct line *line, double us, double since, double value, tacho_error *err)
{
    int status = tch_values_add(&line->x, us, err);

    if (status == 0)
        status = tch_values_add(&line->since, since, err);
    return status == 0 ? tch_values_add(&line->y, value, err) : status;
}

static int add_point(struct chart *c, struct line *line, double us, uint64_t pid, double value,
                     tacho_error *err)
{
    size_t run = runs_started(c, us);
    int status = 0;

    if (line->x.n > 0 && (run != line->run || us < line->last_us || pid != line->pid))
        status = add_values(line, NAN, NAN, NAN, err);
    if (status == 0)
        status = add_values(line, us, since_start(c, run, us), value, err);
    c->first_us = fmin(c->first_us, us);
    c->last_us = fmax(c->last_us, us);
    line->most = fmax(line->most, value);
    line->last_us = us;
    line->run = run;
    line->pid = pid;
    return status;
}

static int take_memory(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    static const char *const names[MEMORY_LINES] = {"resident", "kv_cache", "activations",
                                                    "temp_buffers"};
    const tacho_csv_memory *m = &row->as.memory;
    double values[MEMORY_LINES] = {(double)m->peak_rss_bytes, (double)m->kv_cache_bytes,
                                   (double)m->activation_bytes, (double)m->temp_buffer_bytes};
    struct chart *c = ctx;
    int status = 0;

    for (int i = 0; i < MEMORY_LINES && status == 0; i++) {
        snprintf(c->line[i].name, sizeof c->line[i].name, "%s", names[i]);
        status = add_point(c, &c->line[i], (double)m->timestamp_us, 0, values[i], err);
    }
    c->count = c->count > MEMORY_LINES ? c->count : MEMORY_LINES;
    return status;
}

/* Adds a row of a category of the program's own, beside the columns of memory.csv. */
static int take_detail(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    const tacho_csv_memory_detail *d = &row->as.memory_detail;
    struct chart *c = ctx;
    size_t i = MEMORY_LINES;

    if (!tch_recorded_is_category(d->key, d->key_len) || d->key_len >= sizeof c->line[0].name)
        return 0;
    while (i < c->count && (strlen(c->line[i].name) != d->key_len ||
                            memcmp(c->line[i].name, d->key, d->key_len) != 0))
        i++;
    if (i == LINES_MOST)
        return 0; /* no tracker has so many; the table still lists this one */
    if (i >= c->count) {
        memcpy(c->line[i].name, d->key, d->key_len);
        c->count = i + 1;
    }
    return add_point(c, &c->line[i], (double)d->timestamp_us, d->pid, (double)d->value, err);
}

static int take_power(const tacho_csv_row *row, void *ctx, tacho_error *err)
{
    struct chart *c = ctx;

    c->count = 1;
    snprintf(c->line[0].name, sizeof c->line[0].name, "%.*s", (int)row->as.power.source_len,
             row->as.power.source);
    return add_point(c, &c->line[0], (double)row->as.power.timestamp_us, 0, row->as.power.watts,
                     err);
}

static tacho_csv_row_fn *const takes[] = {[TACHO_CSV_MEMORY] = take_memory,
                                          [TACHO_CSV_MEMORY_DETAIL] = take_detail,
                                          [TACHO_CSV_POWER] = take_power};

/* Reads the rows of a file. A missing file counts as empty. The page says when a file is
   truncated. */
static int read_rows(struct chart *c, const char *folder, const char *file,
                     enum tacho_csv_kind kind, struct tch_buf *b, tacho_error *err)
{
    tacho_error why = {0};
    int fd = tch_found_open(folder, file, err);
    int status;

    if (fd < 0)
        return errno == ENOENT ? 0 : fd;
    status = tch_csv_read_fd(fd, file, kind, takes[kind], c, &why);
    if (status < 0 && status != TACHO_EPARSE && err)
        *err = why;
    if (status != TACHO_EPARSE)
        return status;
    tch_buf_addf(b, "<p class=\"sub\">Only a part of %s could be read: ", file);
    tch_xml_adds(b, why.message);
    tch_buf_adds(b, "</p>\n");
    return 0;
}

/* Returns whether the chart has at least two points in time. */
static bool is_drawn(const struct chart *c)
{
    return c->last_us > c->first_us;
}

/* Chooses the lines to draw: the first one, then the largest of the others. */
static size_t choose_lines(const struct chart *c, const struct line *drawn[LINES_MOST])
{
    size_t n = 1;

    drawn[0] = &c->line[0];
    for (size_t i = 1; i < c->count; i++) {
        size_t at = n;

        if (!(c->line[i].most > 0))
            continue;
        for (; at > 1 && drawn[at - 1]->most < c->line[i].most; at--)
            drawn[at] = drawn[at - 1];
        drawn[at] = &c->line[i];
        n++;
    }
    return n;
}

static void add_key(struct tch_buf *b, const struct line *const *drawn, size_t n, size_t found)
{
    tch_buf_adds(b, "<p class=\"key\">");
    for (size_t i = 0; i < n; i++) {
        tch_buf_addf(b, "<span><i style=\"background:var(--%c)\"></i>", 'a' + (int)i);
        tch_xml_adds(b, drawn[i]->name);
        tch_buf_adds(b, "</span> ");
    }
    if (found > n)
        tch_buf_addf(b, "<span>and %zu smaller ones, not drawn</span>", found - n);
    tch_buf_adds(b, "</p>");
}

static void plot_memory(struct tch_buf *b, const char *title, const struct chart *c)
{
    const struct line *drawn[LINES_MOST];
    size_t found = choose_lines(c, drawn);
    size_t n = found < LINES_DRAWN ? found : LINES_DRAWN;
    struct tch_plot p = {.b = b,
                         .title = title,
                         .x_name = "time",
                         .y_name = "memory",
                         .x1 = (c->last_us - c->first_us) * 1e3,
                         .xu = TCH_NS,
                         .yu = TCH_BYTES};

    for (size_t i = 0; i < n; i++)
        p.y1 = fmax(p.y1, 1.08 * drawn[i]->most);
    tch_plot_begin(&p);
    for (size_t i = 0; i < n; i++)
        tch_plot_line(&p, (char[]){(char)('a' + i), 0}, drawn[i]->x.v, drawn[i]->y.v, drawn[i]->x.n,
                      i == 0);
    tch_plot_end_picture(&p);
    if (n > 1)
        add_key(b, drawn, n, found);
    tch_buf_adds(b, "</figure>\n");
}

/* Plots the runs over each other, aligned at their start: the median of all, the quartiles as a
   band, and the run with the highest peak. */
static int plot_overlay(struct tch_buf *b, const char *title, const struct chart *c,
                        tacho_error *err)
{
    const struct line *line = &c->line[0];
    struct tch_overlay o;
    char keys[2][64];
    char whole[256];
    const char *const names[] = {keys[0], keys[1]};
    int status = tch_overlay_make(&o, line->since.v, line->y.v, line->y.n, err);
    struct tch_plot p = {.b = b,
                         .title = whole,
                         .x_name = "time since the start of the run",
                         .y_name = "memory",
                         .xu = TCH_NS,
                         .yu = TCH_BYTES,
                         .keys = names,
                         .key_count = 2};

    if (status < 0)
        return status;
    for (size_t i = 0; i < line->since.n; i++)
        line->since.v[i] *= 1e3;
    for (size_t i = 0; i < o.count; i++)
        o.x[i] *= 1e3;
    snprintf(whole, sizeof whole, "%s, %zu runs over each other", title, o.runs);
    snprintf(keys[0], sizeof keys[0], "median; band: half of them");
    snprintf(keys[1], sizeof keys[1], "the run with the highest peak");
    p.x1 = o.longest * 1e3;
    p.y1 = 1.08 * o.peak;
    tch_plot_begin(&p);
    tch_plot_band(&p, o.x, o.low, o.high, o.count);
    tch_plot_line(&p, "b", line->since.v + o.highest, line->y.v + o.highest, o.highest_count,
                  false);
    tch_plot_line(&p, "a", o.x, o.median, o.count, false);
    tch_plot_end(&p);
    return 0;
}

/* Returns whether a chart has too many runs to draw them one after the other. The categories of a
   program are drawn so, because they are several lines. */
static bool is_overlay(const struct chart *c)
{
    const struct line *drawn[LINES_MOST];

    return c->interrupted && choose_lines(c, drawn) == 1 &&
           tch_overlay_runs(c->line[0].y.v, c->line[0].y.n) > APART_MOST;
}

/* Plots power. The title names the source with its domain, and whether it measures or estimates. */
static void plot_power(struct tch_buf *b, const char *title, const struct chart *c)
{
    char whole[256];
    struct tch_plot p = {.b = b,
                         .title = whole,
                         .x_name = "time",
                         .y_name = "watts",
                         .x1 = (c->last_us - c->first_us) * 1e3,
                         .y1 = 1.08 * c->line[0].most,
                         .xu = TCH_NS,
                         .yu = TCH_PLAIN};

    snprintf(whole, sizeof whole, "%s (%s)", title, c->line[0].name);
    tch_plot_begin(&p);
    tch_plot_line(&p, "b", c->line[0].x.v, c->line[0].y.v, c->line[0].x.n, false);
    tch_plot_end(&p);
}

/* The charts, in the order of the page. */
static const struct {
    const char *file;
    enum tacho_csv_kind kind;
    bool server; /* the chart shows the server, which stays up during all runs */
    const char *title;
    const char *detail; /* a file with more lines for the same chart */
} timelines[] = {
    {"memory.csv", TACHO_CSV_MEMORY, false, "Memory of the process tree", NULL},
    {"server-memory.csv", TACHO_CSV_MEMORY, true, "Memory of the server's process tree", NULL},
    {"memory-program.csv", TACHO_CSV_MEMORY, false, "Memory by category, as the program counts it",
     "memory-detail.csv"},
    {"power.csv", TACHO_CSV_POWER, false, "Power during the runs, in watts", NULL},
    {"server-power.csv", TACHO_CSV_POWER, true,
     "Power of the server by its share of CPU time, in watts", NULL},
};

enum { TIMELINES = sizeof timelines / sizeof timelines[0] };

static int draw(struct tch_buf *b, const struct tch_result *r, struct chart list[TIMELINES],
                tacho_error *err)
{
    int status = 0;

    tch_buf_adds(b, "<h2>Over time</h2>\n<p class=\"sub\">");
    tch_report_add_costs(b, r);
    tch_buf_adds(b, "</p>\n<div class=\"plots\">\n");
    for (int i = 0; i < TIMELINES && status == 0; i++) {
        struct chart *c = &list[i];

        for (size_t k = 0; k < c->count; k++)
            for (size_t j = 0; j < c->line[k].x.n; j++)
                c->line[k].x.v[j] = (c->line[k].x.v[j] - c->first_us) * 1e3;
        if (!is_drawn(c))
            continue;
        if (timelines[i].kind == TACHO_CSV_POWER)
            plot_power(b, timelines[i].title, c);
        else if (is_overlay(c))
            status = plot_overlay(b, timelines[i].title, c, err);
        else
            plot_memory(b, timelines[i].title, c);
    }
    tch_buf_adds(b, "</div>\n");
    return status;
}

int tch_charts_timeline(struct tch_buf *b, const struct tch_report_run *run, tacho_error *err)
{
    const struct tch_result *r = &run->result;
    struct chart list[TIMELINES] = {0};
    bool any = false;
    int status = 0;

    for (int i = 0; i < TIMELINES && status == 0; i++) {
        struct chart *c = &list[i];

        c->interrupted = timelines[i].server ? NULL : r;
        c->unix_us = ((double)r->started_unix_ns - (double)r->started_monotonic_ns) / 1e3;
        c->first_us = INFINITY;
        status = read_rows(c, run->folder, timelines[i].file, timelines[i].kind, b, err);
        if (status == 0 && timelines[i].detail)
            status =
                read_rows(c, run->folder, timelines[i].detail, TACHO_CSV_MEMORY_DETAIL, b, err);
        any |= is_drawn(c);
    }
    if (status == 0 && any)
        status = draw(b, r, list, err);
    for (int i = 0; i < TIMELINES; i++)
        for (size_t k = 0; k < LINES_MOST; k++) {
            tch_values_release(&list[i].line[k].x);
            tch_values_release(&list[i].line[k].y);
            tch_values_release(&list[i].line[k].since);
        }
    return status;
}
