/* Writes the page of verdicts: one file, no network. */
#include <math.h>

#include <tacho/version.h>

#include "base/fail.h"
#include "kit/stats/order_stats.h"
#include "kit/text/human_number.h"
#include "kit/text/xml.h"
#include "plot.h"
#include "report_parts.h"
#include "run_flame_diff.h"
#include "verdict_formats.h"
#include "verdict_table.h"

enum { PLOTS_MOST = 12, SVG_MAX = 64 << 20, INTERVAL_WIDTH = 130 };

static void add_open(struct tch_buf *b, const struct tch_findings *f)
{
    const char *judged = tch_findings_word(f);
    const char *word = judged ? judged : "Comparison";

    tch_page_open(b, word);
    tch_buf_addf(b, "<h1>%s</h1>\n", word);
    if (f->a_name && f->b_name) {
        tch_buf_adds(b, "<p class=\"sub key\"><i style=\"background:var(--a)\"></i>A: ");
        tch_xml_adds(b, f->a_name);
        tch_buf_adds(b, "</p>\n<p class=\"sub key\"><i style=\"background:var(--b)\"></i>B: ");
        tch_xml_adds(b, f->b_name);
        tch_buf_adds(b, "</p>\n");
    }
    tch_buf_adds(b, "<p class=\"sub\">");
    tch_add_promise(b, f);
    tch_buf_addf(b, " Intervals have a confidence of %.3g %%%s.</p>\n", 100 * (1 - f->alpha),
                 f->analyses > 1 ? " over all interim analyses together" : "");
    if (f->problem_count + f->note_count == 0)
        return;
    tch_buf_adds(b, "<ul class=\"warnings\">\n");
    for (size_t i = 0; i < f->problem_count + f->note_count; i++) {
        bool is_problem = i < f->problem_count;

        tch_buf_adds(b, is_problem ? "<li><b>Not judged:</b> " : "<li>");
        tch_xml_adds(b, is_problem ? f->problems[i].text : f->notes[i - f->problem_count].text);
        tch_buf_adds(b, "</li>\n");
    }
    tch_buf_adds(b, "</ul>\n");
}

/* --- The table --- */

static double place(double ratio, double range)
{
    double x = (log(ratio) / range + 1) / 2;

    return INTERVAL_WIDTH * fmin(1, fmax(0, x));
}

/* Draws an interval: a bar from low to high, a dot at the estimate, a line in the middle for no
   change, the limit dashed. */
static void add_interval(struct tch_buf *b, const void *ctx, const struct tch_findings *f, size_t i,
                         double range)
{
    const struct tch_verdict_row *r = &f->rows[i];
    const struct tch_budget *budget = &f->about[i].budget;
    const char *color = r->verdict == TCH_FAIL ? "var(--b)" : "var(--a)";
    double bounds[2];

    (void)ctx;
    tch_buf_addf(b,
                 "<svg width=\"%d\" height=\"18\" role=\"img\" aria-label=\"interval\">"
                 "<path d=\"M%d 1V17\" stroke=\"var(--dim)\"/>",
                 INTERVAL_WIDTH, INTERVAL_WIDTH / 2);
    tch_budget_bounds(budget, &bounds[0], &bounds[1]);
    for (size_t k = 0; k < 2; k++)
        if (f->about[i].ask == TCH_ASK_RATIO && budget->tolerance > 0 && !isnan(bounds[k]))
            tch_buf_addf(b, "<path d=\"M%.1f 1V17\" stroke=\"var(--b)\" stroke-dasharray=\"3 2\"/>",
                         place(bounds[k], range));
    tch_buf_addf(b,
                 "<path d=\"M%.1f 9H%.1f\" stroke=\"%s\" stroke-width=\"3\"/>"
                 "<circle cx=\"%.1f\" cy=\"9\" r=\"4.5\" fill=\"%s\"/></svg>",
                 place(r->ratio.low, range), place(r->ratio.high, range), color,
                 place(r->ratio.estimate, range), color);
}

static void add_contradictions(struct tch_buf *b, const struct tch_findings *f)
{
    struct tch_buf text;

    tch_buf_init_part(&text, b);
    tch_add_contradictions(&text, f);
    if (text.len > 0) {
        tch_buf_adds(b, "<p class=\"sub\">");
        tch_xml_adds(b, text.data);
        tch_buf_adds(b, ".</p>\n");
    }
    tch_buf_release(&text);
}

static void add_rows(struct tch_buf *b, const struct tch_findings *f, size_t from, size_t to)
{
    struct tch_verdict_table v;

    tch_verdict_table_init(&v, b, tch_table_html, f, add_interval, NULL);
    for (size_t i = from; i < to; i++)
        tch_verdict_table_add(&v, i);
    tch_table_end(&v.t);
}

static void add_table(struct tch_buf *b, const struct tch_findings *f)
{
    size_t shown = tch_rows_shown(f);

    tch_buf_adds(b, "<h2>Metrics</h2>\n");
    add_rows(b, f, 0, shown);
    if (shown < f->count) {
        tch_buf_addf(b, "<details><summary>%zu more rows</summary>\n", f->count - shown);
        add_rows(b, f, shown, f->count);
        tch_buf_adds(b, "</details>\n");
    }
    tch_buf_adds(b,
                 "\n<p class=\"sub\">B &gt; A: probability that a run of B has a "
                 "larger value than a run of A. p: p-value, adjusted for several budgets.</p>\n");
    add_contradictions(b, f);
}

/* --- Sets --- */

static void add_only(struct tch_buf *b, const char *which, char *const *names, size_t count)
{
    if (count == 0)
        return;
    tch_buf_addf(b, "<details><summary>%zu benchmark%s only in %s</summary><ul>\n", count,
                 tch_plural(count), which);
    for (size_t i = 0; i < count; i++) {
        tch_buf_adds(b, "<li>");
        tch_xml_adds(b, names[i]);
        tch_buf_adds(b, "</li>\n");
    }
    tch_buf_adds(b, "</ul></details>\n");
}

static void add_set(struct tch_buf *b, const struct tch_findings *f)
{
    const struct tch_set_summary *s = f->set;
    struct tch_buf text;

    tch_buf_init_part(&text, b);
    tch_buf_adds(b, "<h2>Benchmarks</h2>\n<p>");
    tch_add_set_summary(b, f);
    tch_buf_adds(b, ".</p>\n<ul>\n");
    for (size_t i = 0; i < s->mean_count; i++) {
        tch_buf_clear(&text);
        tch_add_set_mean(&text, &s->means[i]);
        tch_buf_adds(b, "<li>");
        tch_xml_adds(b, text.data);
        tch_buf_adds(b, "</li>\n");
    }
    tch_buf_adds(b, "</ul>\n");
    tch_buf_release(&text);
    add_only(b, "A", s->only_a, s->only_a_count);
    add_only(b, "B", s->only_b, s->only_b_count);
}

static void add_differences(struct tch_buf *b, const struct tch_findings *f)
{
    if (f->difference_count == 0)
        return;
    tch_buf_adds(b, "<h2>Differences in command, environment and configuration</h2>\n<div "
                    "class=\"wide\"><table class=\"facts\">"
                    "<tr><td></td><td>A</td><td>B</td></tr>\n");
    for (size_t i = 0; i < f->difference_count; i++) {
        const struct tch_difference *d = &f->differences[i];

        tch_buf_adds(b, "<tr><td>");
        tch_xml_adds(b, d->path);
        tch_buf_adds(b, "</td><td>");
        tch_part_code(b, d->a ? d->a : "", d->a ? strlen(d->a) : 0);
        tch_buf_adds(b, "</td><td>");
        tch_part_code(b, d->b ? d->b : "", d->b ? strlen(d->b) : 0);
        tch_buf_adds(b, "</td></tr>\n");
    }
    tch_buf_adds(b, "</table></div>\n");
}

/* --- Distributions --- */

static double *sorted_copy(const double *values, size_t n)
{
    double *x = malloc((n + 1) * sizeof *x);

    if (!x)
        return NULL;
    if (n > 0)
        memcpy(x, values, n * sizeof *x);
    tch_sort(x, n);
    return x;
}

/* Plots both distributions. x and y are sorted and not empty. */
static void plot_curves(struct tch_buf *b, const struct tch_findings *f, size_t i, const double *x,
                        const double *y)
{
    const struct tch_verdict_row *r = &f->rows[i];
    const struct tch_about *about = &f->about[i];
    char title[512];
    struct tch_plot p = {.b = b,
                         .title = title,
                         .x_name = about->metric.title,
                         .y_name = "share",
                         .y1 = 1.02,
                         .xu = about->metric.unit,
                         .yu = TCH_PLAIN};

    snprintf(title, sizeof title, "%.200s%s%.200s: share of runs with at most this value",
             about->bench, about->bench[0] ? ": " : "", about->metric.title);
    tch_plot_range_x(&p, fmin(x[0], y[0]), fmax(x[r->a_count - 1], y[r->b_count - 1]));
    tch_plot_begin(&p);
    tch_plot_ecdf(&p, "a", x, NULL, r->a_count);
    tch_plot_ecdf(&p, "b", y, NULL, r->b_count);
    tch_plot_end(&p);
}

static int plot_both(struct tch_buf *b, const struct tch_findings *f, size_t i, tacho_error *err)
{
    const struct tch_verdict_row *r = &f->rows[i];
    double *x = sorted_copy(r->a, r->a_count);
    double *y = sorted_copy(r->b, r->b_count);
    int status = 0;

    if (x && y)
        plot_curves(b, f, i, x, y);
    else
        status = tch_fail_memory(err);
    free(x);
    free(y);
    return status;
}

/* Returns whether a quantity is drawn: one with a budget, or one that matters to most people; not
   every counter. */
static bool is_drawn(const struct tch_findings *f, size_t i)
{
    return f->rows[i].a_count > 1 && f->rows[i].b_count > 1 && f->about[i].ask != TCH_ASK_MAX &&
           (f->about[i].ask == TCH_ASK_RATIO || f->about[i].metric.gated ||
            f->about[i].metric.unit == TCH_PLAIN);
}

static int add_distributions(struct tch_buf *b, const struct tch_findings *f, tacho_error *err)
{
    size_t left = PLOTS_MOST;
    int status = 0;

    tch_buf_adds(b,
                 "<h2>Distributions</h2>\n<p class=\"key\"><span><i style=\"background:var(--a)\">"
                 "</i>A</span><span><i style=\"background:var(--b)\"></i>B</span></p>\n"
                 "<div class=\"plots\">\n");
    for (size_t i = 0; i < f->count && left > 0 && status == 0; i++)
        if (is_drawn(f, i)) {
            status = plot_both(b, f, i, err);
            left--;
        }
    tch_buf_adds(b, "</div>\n");
    return status;
}

/* --- Flamegraphs --- */

static int add_flame(struct tch_buf *b, const struct tch_verdict_flame *flame, bool *begun,
                     tacho_error *err)
{
    char before[PATH_MAX];
    char now[PATH_MAX];
    struct tch_buf svg;
    struct tch_buf table;
    tacho_error why;
    int status;

    if (!tch_folded_find(flame->before, before) || !tch_folded_find(flame->now, now))
        return 0;
    tch_buf_init_part(&svg, b);
    tch_buf_init_part(&table, b);
    status = tch_flame_diff(&svg, &table, before, now, flame->title, &why);
    if ((status == 0 || status == TACHO_EINVAL) && !*begun)
        tch_buf_adds(b, "<h2>Changes by function: red costs more than before, blue less</h2>\n");
    *begun = true;
    if (status == 0) {
        tch_part_frame(b, flame->title, svg.data, svg.len);
        tch_buf_add(b, table.data, table.len);
    } else if (status == TACHO_EINVAL) { /* the rest of the page is still of use */
        tch_buf_adds(b, "<ul class=\"warnings\"><li>No differential flamegraph: ");
        tch_xml_adds(b, why.message);
        tch_buf_adds(b, "</li></ul>\n");
        status = 0;
    } else if (err) {
        *err = why;
    }
    tch_buf_release(&table);
    tch_buf_release(&svg);
    return status;
}

int tch_verdict_html(struct tch_buf *b, const struct tch_findings *f,
                     const struct tch_verdict_flame *flames, size_t count, tacho_error *err)
{
    bool begun = false;
    int status;

    add_open(b, f);
    add_differences(b, f);
    if (f->set)
        add_set(b, f);
    add_table(b, f);
    status = add_distributions(b, f, err);
    for (size_t i = 0; i < count && status == 0; i++)
        status = add_flame(b, &flames[i], &begun, err);
    tch_buf_adds(b, "<p class=\"sub hint\" id=\"keys\">Charts: point at data, drag to zoom, "
                    "double-click to reset.</p>\n<footer>Made by tacho " TACHO_VERSION
                    ".</footer>\n<script>\n");
    tch_buf_add(b, tch_report_js, tch_report_js_len);
    tch_buf_adds(b, "</script></body></html>\n");
    return status;
}
