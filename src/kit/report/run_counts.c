/* Exact counts in reports of runs. */
#include "run_counts.h"

#include <math.h>

#include "kit/text/human_number.h"

enum { PARTS_SHOWN = 12 };

double tch_count_median(const struct tch_count *c)
{
    struct tch_summary s;

    if (c->values.n == 0 || tch_summary_of(c->values.v, c->values.n, 0.05, &s, NULL) < 0)
        return NAN;
    return s.median;
}

bool tch_report_has_counts(const struct tch_result *r)
{
    for (int i = 0; i < TCH_COUNTS; i++)
        if (r->counts.of[i].asked)
            return true;
    return false;
}

/* Adds the value with all digits: "1,234,567", "513,596 B". Adds a range if runs differ, and "-" if
   the value cannot be counted. */
static void add_value(struct tch_buf *b, enum tch_count_kind kind, const struct tch_count *c)
{
    double low = INFINITY;
    double high = 0;

    for (size_t i = 0; i < c->values.n; i++) {
        low = fmin(low, c->values.v[i]);
        high = fmax(high, c->values.v[i]);
    }
    if (c->values.n == 0 || high >= 0x1p63) {
        tch_buf_addc(b, '-');
        return;
    }
    tch_add_grouped(b, (uint64_t)low);
    if (high > low) {
        tch_buf_adds(b, " to ");
        tch_add_grouped(b, (uint64_t)high);
    }
    tch_buf_adds(b, tch_count_metric((enum tch_count_kind)kind)->unit == TCH_BYTES ? " B" : "");
}

/* Adds the calls by name, the most frequent first. */
static void add_parts(struct tch_buf *b, const struct tch_count *c)
{
    double below = INFINITY;
    size_t shown = 0;

    while (shown < PARTS_SHOWN && shown < c->part_count) {
        double next = 0;

        for (size_t i = 0; i < c->part_count; i++)
            if (c->parts[i].value < below && c->parts[i].value > next)
                next = c->parts[i].value;
        for (size_t i = 0; i < c->part_count && shown < PARTS_SHOWN; i++)
            if (c->parts[i].value == next)
                tch_buf_addf(b, "%s%s %.0f", shown++ > 0 ? ", " : "", c->parts[i].name, next);
        below = next;
        if (next == 0)
            break;
    }
    if (c->part_count > shown)
        tch_buf_addf(b, " and %zu more", c->part_count - shown);
}

void tch_counts_table(struct tch_buf *b, struct tch_table_form form, const struct tch_result *r)
{
    static const struct tch_table_column columns[] = {
        {.title = "counts"},
        {.title = "", .right = true},
        {.title = "", .css = "words"},
        {.title = "counted by", .wrap = true, .css = "words"},
        {.title = "by name", .in = TCH_IN_HTML, .css = "words"},
    };
    struct tch_table t;

    if (!tch_report_has_counts(r))
        return;
    tch_table_init(&t, b, form, columns, sizeof columns / sizeof columns[0]);
    for (int i = 0; i < TCH_COUNTS; i++) {
        const struct tch_count *c = &r->counts.of[i];
        bool exact = tch_count_exact(c);

        if (!c->asked)
            continue;
        tch_table_add(&t, TCH_TONE_PLAIN, tch_count_metric((enum tch_count_kind)i)->title);
        add_value(tch_table_cell(&t, TCH_TONE_BOLD), (enum tch_count_kind)i, c);
        tch_table_add(&t, exact ? TCH_TONE_GREEN : TCH_TONE_YELLOW,
                      c->values.n == 0 ? "not countable"
                      : exact          ? "exact"
                                       : "differs between runs");
        tch_count_add_source(tch_table_cell(&t, TCH_TONE_PLAIN), c, tch_result_wall(r));
        add_parts(tch_table_cell(&t, TCH_TONE_PLAIN), c);
    }
    tch_table_end(&t);
}

void tch_part_counts(struct tch_buf *b, const struct tch_result *r)
{
    if (!tch_report_has_counts(r))
        return;
    tch_buf_adds(b,
                 "<h2>Counts</h2>\n<p class=\"sub\">Counted in extra runs that are not timed. An "
                 "exact count was equal in all of them.</p>\n");
    tch_counts_table(b, tch_table_html, r);
}
