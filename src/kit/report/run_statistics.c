/* The statistics of a run as a table: one row per metric. */
#include "run_statistics.h"

#include <math.h>

#include "kit/stats/dependence.h"
#include "kit/stats/session.h"
#include "report_text.h"

const char *tch_row_title(const struct tch_result *r, const struct tch_row *row,
                          char text[TCH_ROW_TITLE])
{
    if (strcmp(row->metric.key, "throughput") != 0)
        return row->metric.title;
    snprintf(text, TCH_ROW_TITLE, "%s/s", r->work.unit ? r->work.unit : "");
    return text;
}

/* Returns whether the peak of the tree repeats the peak of the process, because there was only one
   process. */
static bool repeats_process(const struct tch_result *r, const struct tch_row *row)
{
    const struct tch_row *process = tch_result_row(r, tch_field_metric(TCH_MAX_RSS)->key);
    const struct tch_summary *s = &row->summary;

    return process && process->summary.median == s->median && process->summary.min == s->min &&
           process->summary.max == s->max;
}

/* Returns whether a row belongs in the table on the terminal. */
static bool is_shown(const struct tch_result *r, const struct tch_row *row)
{
    static const char *const hidden[] = {
        "minor_faults", "voluntary_switches", "involuntary_switches", "block_reads",
        "block_writes", "branches",           "cache_references",
    };

    if (strcmp(row->metric.key, "major_faults") == 0)
        return row->summary.median > 0;
    if (strcmp(row->metric.key, "tree_rss_bytes") == 0 && repeats_process(r, row))
        return false;
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++)
        if (strcmp(row->metric.key, hidden[i]) == 0)
            return false;
    return true;
}

static void add_row(struct tch_table *t, const struct tch_result *r, const struct tch_row *row)
{
    const struct tch_summary *s = &row->summary;
    enum tch_unit unit = row->metric.unit;
    enum tch_tone sure = s->level > 0 ? TCH_TONE_PLAIN : TCH_TONE_DIM;
    double precision = tch_summary_precision(s);
    bool dependent = s->effective <= (double)s->n / tch_session_inflation(TCH_DEPENDENCE_STRONG);
    char title[TCH_ROW_TITLE];
    struct tch_buf *cell;

    tch_table_add(t, TCH_TONE_PLAIN, tch_row_title(r, row, title));
    tch_table_value(t, TCH_TONE_BOLD, unit, s->median);
    if (isfinite(precision))
        tch_buf_addf(tch_table_cell(t, TCH_TONE_PLAIN), "%.1f %%", 100 * precision);
    else
        tch_table_add(t, sure, "-");
    if (s->level == 0)
        tch_buf_adds(tch_table_attributes(t), "class=\"words\""); /* "(range)" follows */
    cell = tch_table_cell(t, sure);
    tch_add_interval(cell, unit, s->low, s->high, s->level, t->form.to);
    tch_buf_adds(cell, dependent ? " (dependent)" : ""); /* it may be too narrow */
    tch_table_value(t, TCH_TONE_PLAIN, unit, s->mean);
    tch_table_value(t, TCH_TONE_PLAIN, unit, s->stddev);
    tch_table_value(t, TCH_TONE_PLAIN, unit, s->min);
    tch_table_value(t, TCH_TONE_PLAIN, unit, s->p95);
    tch_table_value(t, TCH_TONE_PLAIN, unit, s->max);
    tch_buf_addf(tch_table_cell(t, TCH_TONE_PLAIN), "%llu", (unsigned long long)s->outliers);
}

void tch_statistics_table(struct tch_buf *b, struct tch_table_form form, const struct tch_result *r)
{
    char interval[80] = "interval of the median";
    const struct tch_table_column columns[] = {
        {.title = "", .wrap = true},
        {.title = "median", .right = true},
        {.title = "+-", .right = true, .keep = TCH_KEEP_IF_ROOM, .in = TCH_IN_TEXT},
        {.title = interval, .right = form.in != TCH_IN_TEXT, .keep = TCH_KEEP_IF_ROOM},
        {.title = "mean", .in = TCH_IN_HTML},
        {.title = "sd", .in = TCH_IN_HTML},
        {.title = "min", .right = true, .keep = TCH_KEEP_IF_NAMES_FIT},
        {.title = "p95", .in = TCH_IN_HTML},
        {.title = "max", .right = true, .keep = TCH_KEEP_IF_NAMES_FIT},
        {.title = "outliers", .in = TCH_IN_HTML},
    };
    double level = r->row_count > 0 ? r->rows[0].summary.level : 0;
    struct tch_table t;

    if (form.in == TCH_IN_HTML && level > 0) /* elsewhere a line above the table says it */
        snprintf(interval, sizeof interval, "interval of the median, %.4g %%%s",
                 floor(1000 * level) / 10,
                 r->rows[0].summary.n < TCH_DEPENDENCE_SURE ? " if they are independent" : "");
    tch_table_init(&t, b, form, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < r->row_count; i++)
        if (form.in != TCH_IN_TEXT || is_shown(r, &r->rows[i]))
            add_row(&t, r, &r->rows[i]);
    tch_table_end(&t);
}
