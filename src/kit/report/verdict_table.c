/* The rows of a judged report as a table: metric, both sides, change, and verdict. */
#include "verdict_table.h"

#include <math.h>

#include "kit/text/xml.h"
#include "verdict_formats.h"

/* How a verdict looks in each form. */
static const struct {
    enum tch_tone tone;
    const char *mark;
    const char *color;
} looks[] = {
    [TCH_NO_VERDICT] = {TCH_TONE_PLAIN, "", "var(--dim)"},
    [TCH_PASS] = {TCH_TONE_GREEN, "✅", "var(--c)"},
    [TCH_INCONCLUSIVE] = {TCH_TONE_YELLOW, "❔", "var(--warn)"},
    [TCH_WARN] = {TCH_TONE_YELLOW, "⚠️", "var(--warn)"},
    [TCH_FAIL] = {TCH_TONE_RED, "❌", "var(--b)"},
};

enum tch_tone tch_verdict_tone(enum tch_verdict verdict)
{
    return looks[verdict].tone;
}

const char *tch_verdict_mark(enum tch_verdict verdict)
{
    return looks[verdict].mark;
}

bool tch_verdict_has_picture(const struct tch_findings *f, size_t row)
{
    return f->rows[row].has_ratio && f->rows[row].ratio.level > 0 &&
           f->about[row].ask != TCH_ASK_MAX;
}

/* Returns a range that shows all intervals: at least 2 %, at most a factor of 2. */
static double plot_range(const struct tch_findings *f)
{
    double range = log(1.02);

    for (size_t i = 0; i < f->count; i++) {
        const struct tch_ratio *ratio = &f->rows[i].ratio;

        if (tch_verdict_has_picture(f, i))
            range = fmax(range, fmax(fabs(log(ratio->low)), fabs(log(ratio->high))));
    }
    return fmin(range, log(2));
}

static bool has_benches(const struct tch_findings *f)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->about[i].bench[0])
            return true;
    return false;
}

void tch_verdict_table_init(struct tch_verdict_table *v, struct tch_buf *b,
                            struct tch_table_form form, const struct tch_findings *f,
                            tch_verdict_plot *plot, const void *ctx)
{
    enum { T = TCH_IN_TEXT, M = TCH_IN_MD, H = TCH_IN_HTML, NOWHERE = 8 };
    bool text = form.in == T;
    bool md = form.in == M;
    const struct tch_table_column columns[] = {
        {.title = "bench", .in = text && has_benches(f) ? T : NOWHERE},
        {.title = text ? "metric" : "", .wrap = true},
        {.title = "", .in = H}, /* the verdict, where a narrow window shows it */
        {.title = md ? "before" : "A", .right = true},
        {.title = md ? "now" : "B", .right = true},
        {.title = "change", .right = true},
        {.title = text ? v->interval : "interval", .keep = TCH_KEEP_IF_ROOM, .in = T | H},
        {.title = text ? "less        0        more" : "less … more", .in = plot ? T | H : NOWHERE},
        {.title = text ? "B > A" : "B\u00a0>\u00a0A",
         .right = true,
         .keep = TCH_KEEP_IF_NAMES_FIT,
         .in = T | H},
        {.title = "runs", .in = H},
        {.title = "p", .in = H},
        {.title = "allowed", .right = true, .in = M},
        {.title = "", .in = T | M},
    };

    v->f = f;
    v->plot = plot;
    v->ctx = ctx;
    v->range = plot_range(f);
    snprintf(v->interval, sizeof v->interval, "%.3g %% interval", 100 * (1 - f->alpha));
    memcpy(v->columns, columns, sizeof columns);
    tch_table_init(&v->t, b, form, v->columns, TCH_VERDICT_COLUMNS);
}

/* Adds the name of the metric, and in some forms what counted it. */
static void add_title(struct tch_table *t, const struct tch_findings *f, size_t i)
{
    const char *counted_by = f->about[i].counted_by;
    struct tch_buf *cell = tch_table_cell(t, TCH_TONE_PLAIN);

    if (t->form.in == TCH_IN_TEXT) { /* the benches have a column */
        tch_add_metric_title(cell, f, i);
        return;
    }
    tch_add_row_title(cell, f, i);
    if (counted_by[0])
        tch_buf_addf(cell, " (counted by %s)", counted_by);
}

/* Adds the verdict of a row, and why. */
static void add_verdict(const struct tch_verdict_table *v, struct tch_buf *cell, size_t i)
{
    const struct tch_verdict_row *r = &v->f->rows[i];
    bool md = v->t.form.in == TCH_IN_MD;

    if (md)
        tch_buf_addf(cell, "%s ", looks[r->verdict].mark);
    tch_buf_adds(cell, tch_row_word(v->f, i));
    if (!md && !v->plot)
        return; /* no room: lines below the table say the rest */
    tch_add_at_most(cell, v->f, i);
    if (r->advised > 0)
        tch_buf_addf(cell, md ? " (%llu runs advised)" : ", %llu runs advised",
                     (unsigned long long)r->advised);
    if (md && r->why[0])
        tch_buf_addf(cell, ": %s", r->why);
}

static void add_html_verdict(struct tch_verdict_table *v, size_t i)
{
    const struct tch_verdict_row *r = &v->f->rows[i];
    struct tch_buf *cell;

    tch_buf_addf(tch_table_attributes(&v->t), "class=\"text words\" style=\"color:%s%s\"",
                 looks[r->verdict].color, r->verdict > TCH_PASS ? ";font-weight:650" : "");
    cell = tch_table_markup(&v->t);
    add_verdict(v, cell, i);
    if (r->why[0]) {
        tch_buf_adds(cell, "<br><small style=\"font-weight:400\">");
        tch_xml_adds(cell, r->why);
        tch_buf_adds(cell, "</small>");
    }
}

static void add_change(struct tch_verdict_table *v, size_t i)
{
    const struct tch_verdict_row *r = &v->f->rows[i];
    bool is_max = v->f->about[i].ask == TCH_ASK_MAX;
    const char *to = v->t.form.in == TCH_IN_TEXT ? " .. " : " … ";
    struct tch_buf *cell;

    if (v->t.form.in == TCH_IN_MD) { /* with the interval */
        cell = tch_table_markup(&v->t);
        if (!is_max)
            tch_add_row_change(cell, r);
        if (!is_max && r->has_ratio) {
            tch_buf_adds(cell, " [");
            tch_add_change_interval(cell, r, to);
            tch_buf_adds(cell, "]");
        }
    } else if (r->has_ratio && !is_max) {
        tch_add_row_change(tch_table_cell(&v->t, looks[r->verdict].tone), r);
    } else {
        tch_table_add(&v->t, TCH_TONE_DIM, "-");
    }
    cell = tch_table_cell(&v->t, r->ratio.level > 0 ? TCH_TONE_PLAIN : TCH_TONE_DIM);
    if (!is_max && (r->has_ratio || r->exact)) /* an exact count of 0 has no ratio */
        tch_add_change_interval(cell, r, to);
}

void tch_verdict_table_add(struct tch_verdict_table *v, size_t i)
{
    const struct tch_findings *f = v->f;
    const struct tch_about *about = &f->about[i];
    const struct tch_verdict_row *r = &f->rows[i];
    bool again = !f->set && i > 0 && strcmp(f->about[i - 1].bench, about->bench) == 0;
    struct tch_buf *cell;

    tch_table_add(&v->t, TCH_TONE_PLAIN, again ? "" : about->bench);
    add_title(&v->t, f, i);
    add_html_verdict(v, i);
    tch_add_row_value(tch_table_cell(&v->t, TCH_TONE_PLAIN), f, i, r->a_median);
    tch_add_row_value(tch_table_cell(&v->t, TCH_TONE_PLAIN), f, i, r->b_median);
    add_change(v, i);
    cell = tch_table_markup(&v->t);
    if (v->plot && tch_verdict_has_picture(f, i))
        v->plot(cell, v->ctx, f, i, v->range);
    cell = tch_table_cell(&v->t, TCH_TONE_PLAIN);
    if (r->has_ratio && about->ask != TCH_ASK_MAX)
        tch_buf_addf(cell, "%.2f", r->ratio.effect);
    cell = tch_table_cell(&v->t, TCH_TONE_PLAIN);
    if (r->paired)
        tch_buf_addf(cell, "%zu pair%s", r->b_count, tch_plural(r->b_count));
    else
        tch_buf_addf(cell, "%zu, %zu", r->a_count, r->b_count);
    cell = tch_table_cell(&v->t, TCH_TONE_PLAIN);
    if (!about->instead)
        tch_buf_addf(cell, "%.2g", r->p_adjusted);
    cell = tch_table_cell(&v->t, TCH_TONE_PLAIN);
    if (about->ask == TCH_ASK_RATIO)
        tch_buf_addf(cell, "%s%g %%", about->budget.equivalent ? "±" : "",
                     100 * about->budget.tolerance);
    cell = tch_table_markup(&v->t);
    v->t.tone = looks[r->verdict].tone;
    add_verdict(v, cell, i);
}
