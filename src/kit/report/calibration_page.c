/* The page of a calibration: the changes that can be detected, as a curve and as a table, and the
   noise. */
#include "calibration_page.h"

#include <math.h>

#include "kit/text/human_number.h"
#include "kit/text/xml.h"
#include "plot.h"
#include "report_parts.h"

enum { POINTS = 121 };

static void add_share(struct tch_buf *b, double share)
{
    if (isnan(share))
        tch_buf_adds(b, "none");
    else
        tch_buf_addf(b, share < 1 ? "%.2g %%" : "%.0f %%", 100 * share);
}

/* Adds a change that can be detected. */
static void add_percent(struct tch_buf *b, double share)
{
    if (share < 0.0005)
        tch_buf_adds(b, "<0.1 %");
    else
        add_share(b, share);
}

static void add_open(struct tch_buf *b, const struct tch_calibration *c,
                     const struct tch_calibration_occasion *o)
{
    tch_page_open(b, c->bench);
    tch_buf_adds(b, "<h1>Calibration of ");
    tch_xml_adds(b, c->bench);
    tch_buf_adds(b, "</h1>\n<p class=\"sub\"><code>");
    tch_xml_adds(b, o->command);
    tch_buf_addf(b, "</code></p>\n<p class=\"sub\">%llu pairs of runs of this same command, ",
                 (unsigned long long)o->pairs);
    tch_add_value(b, TCH_NS, o->pair_seconds * 1e9);
    tch_buf_adds(b, " each, ");
    tch_xml_adds(b, o->at);
    tch_buf_adds(b, ", ");
    tch_xml_adds(b, c->machine_class);
    tch_buf_adds(b, "</p>\n");
}

static void add_heads(struct tch_buf *b, const struct tch_calibration_occasion *o,
                      const struct tch_calibrating *metrics, size_t count)
{
    enum { HEADS = 5, AT = 2 /* index of 40 runs in tch_calibration_sizes */ };
    struct tch_buf text;

    tch_buf_init_part(&text, b);
    tch_buf_adds(b, "<div class=\"heads\">\n");
    for (size_t i = 0; i < count && i < HEADS; i++) {
        tch_buf_adds(b, "<div class=\"head\"><span>");
        tch_xml_adds(b, metrics[i].metric.title);
        tch_buf_adds(b, "</span><b>");
        tch_buf_clear(&text);
        add_percent(&text, o->metrics[i].sees[AT]);
        tch_xml_adds(b, text.data);
        tch_buf_addf(b, "</b><span>change detected with %zu runs, in ", tch_calibration_sizes[AT]);
        tch_add_value(b, TCH_NS, (double)tch_calibration_sizes[AT] * o->pair_seconds * 1e9);
        tch_buf_adds(b, "</span></div>\n");
    }
    tch_buf_adds(b, "</div>\n");
    tch_buf_release(&text);
}

/* Plots the probability that a change is detected, up to the change that 10 runs detect nearly
   always. */
static void plot_curves(struct tch_buf *b, const struct tch_calibrating *m)
{
    static const char *const keys[] = {"10 runs", "20 runs", "40 runs", "80 runs"};
    static const char *const kinds[] = {"a", "b", "c", "d"};
    double most = tch_sight_change(&m->noise, &m->rule[0], 0.98);
    double x[POINTS];
    double y[POINTS];
    char title[TCH_METRIC_TEXT + 64];
    struct tch_plot p = {.b = b,
                         .title = title,
                         .x_name = "change in percent",
                         .y_name = "probability of detection",
                         .y_shown = true,
                         .y1 = 1,
                         .xu = TCH_PLAIN,
                         .yu = TCH_PLAIN,
                         .keys = keys,
                         .key_count = TCH_CALIBRATION_SIZES};

    snprintf(title, sizeof title, "Probability of detecting a change: %s", m->metric.title);
    most = isfinite(most) ? fmax(most, 0.001) : 1;
    p.x1 = 100 * most;
    tch_plot_begin(&p);
    tch_plot_level(&p, TCH_CALIBRATION_POWER);
    for (size_t k = 0; k < TCH_CALIBRATION_SIZES; k++) {
        for (size_t i = 0; i < POINTS; i++) {
            x[i] = 100 * most * (double)i / (POINTS - 1);
            y[i] = tch_sight_share(&m->noise, &m->rule[k], x[i] / 100);
        }
        tch_plot_line(&p, kinds[k], x, y, POINTS, false);
    }
    tch_plot_end(&p);
}

void tch_calibration_sight_table(struct tch_buf *b, struct tch_table_form form,
                                 const struct tch_calibration_occasion *o,
                                 const struct tch_calibrating *metrics, size_t count)
{
    struct tch_table_column *columns = calloc(2 + count, sizeof *columns);
    double pair_ns = o->pair_seconds * 1e9;
    struct tch_table t;

    if (!columns) {
        b->failed = true;
        return;
    }
    columns[0] = (struct tch_table_column){.title = "runs", .right = true};
    columns[1] = (struct tch_table_column){.title = "time", .right = true};
    for (size_t i = 0; i < count; i++)
        columns[2 + i] = (struct tch_table_column){.title = metrics[i].metric.title, .right = true};
    tch_table_init(&t, b, form, columns, 2 + count);
    for (size_t k = 0; k < TCH_CALIBRATION_SIZES; k++) {
        tch_buf_addf(tch_table_cell(&t, TCH_TONE_PLAIN), "%zu", tch_calibration_sizes[k]);
        tch_add_time_like(tch_table_cell(&t, TCH_TONE_PLAIN),
                          (double)tch_calibration_sizes[k] * pair_ns,
                          (double)tch_calibration_sizes[TCH_CALIBRATION_SIZES - 1] * pair_ns);
        for (size_t i = 0; i < count; i++) {
            double change = o->metrics[i].sees[k];

            add_percent(tch_table_cell(&t, isnan(change) ? TCH_TONE_DIM : TCH_TONE_PLAIN), change);
        }
    }
    tch_table_end(&t);
    free(columns);
}

static void add_sight(struct tch_buf *b, const struct tch_calibration_occasion *o,
                      const struct tch_calibrating *metrics, size_t count)
{
    tch_buf_adds(b, "<h2>Smallest change that 9 of 10 gates detect</h2>\n");
    tch_calibration_sight_table(b, tch_table_html, o, metrics, count);
    tch_buf_adds(b,
                 "<p class=\"sub\">Changes are in excess of the tolerance, for a "
                 "gate of these metrics whose screening takes the named runs, followed by a fresh "
                 "block of as many pairs. The time is that of the screening.</p>\n");
}

void tch_calibration_noise_table(struct tch_buf *b, struct tch_table_form form,
                                 const struct tch_calibration_occasion *o,
                                 const struct tch_calibrating *metrics, size_t count)
{
    static const struct tch_table_column columns[] = {
        {.title = "metric", .wrap = true}, {.title = "median", .right = true},
        {.title = "noise", .right = true}, {.title = "lag-1", .right = true},
        {.title = "drift", .right = true}, {.title = "sessions", .right = true}};
    struct tch_table t;

    tch_table_init(&t, b, form, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < count; i++) {
        const struct tch_calibrated *m = &o->metrics[i];

        tch_table_add(&t, TCH_TONE_PLAIN, metrics[i].metric.title);
        tch_table_value(&t, TCH_TONE_PLAIN, metrics[i].metric.unit, m->median);
        add_share(tch_table_cell(&t, TCH_TONE_PLAIN), m->noise);
        tch_buf_addf(tch_table_cell(&t, TCH_TONE_PLAIN), "%.2f", m->lag1);
        tch_buf_addf(tch_table_cell(&t, TCH_TONE_PLAIN), "%+.1f %%", 100 * m->drift);
        add_share(tch_table_cell(&t, TCH_TONE_PLAIN), m->session_spread);
    }
    tch_table_end(&t);
}

static void add_noise(struct tch_buf *b, const struct tch_calibration_occasion *o,
                      const struct tch_calibrating *metrics, size_t count)
{
    tch_buf_adds(b, "<h2>Noise without a change</h2>\n");
    tch_calibration_noise_table(b, tch_table_html, o, metrics, count);
    tch_buf_adds(b, "<p class=\"sub\">Noise: standard deviation of log(b / a) "
                    "within pairs. Lag-1: correlation of a run with the one before it. Drift: "
                    "change from the first third of the runs to the last. Sessions: how much two "
                    "sessions differ, ");
    if (o->occasions > 1)
        tch_buf_addf(b, "estimated from %llu occasions.</p>\n", (unsigned long long)o->occasions);
    else
        tch_buf_adds(b, "assumed, because this is the first occasion.</p>\n");
}

void tch_calibration_page(struct tch_buf *b, const struct tch_calibration *kept,
                          const struct tch_calibrating *metrics, size_t count)
{
    const struct tch_calibration_occasion *o = &kept->occasions[kept->count - 1];

    add_open(b, kept, o);
    add_heads(b, o, metrics, count);
    tch_buf_adds(b, "<div class=\"plots\">\n");
    for (size_t i = 0; i < count; i++)
        plot_curves(b, &metrics[i]);
    tch_buf_adds(b, "</div>\n");
    add_sight(b, o, metrics, count);
    add_noise(b, o, metrics, count);
    tch_page_close(b, "the run.json of both sides");
}
