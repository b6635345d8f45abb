/* Exact counts in reports of runs. */
#include "run_counts.h"

#include <math.h>

#include "kit/text/human_number.h"
#include "kit/text/xml.h"
#include "report_text.h"

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

void tch_count_add_value(struct tch_buf *b, enum tch_count_kind kind, const struct tch_count *c)
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

void tch_count_add_state(struct tch_buf *b, const struct tch_count *c)
{
    tch_buf_adds(b, c->values.n == 0     ? "not countable"
                    : tch_count_exact(c) ? "exact"
                                         : "differs between runs");
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

void tch_part_counts(struct tch_buf *b, const struct tch_result *r)
{
    struct tch_buf text;

    if (!tch_report_has_counts(r))
        return;
    tch_buf_init_part(&text, b);
    tch_buf_adds(b,
                 "<h2>Counts</h2>\n<p class=\"sub\">Counted in extra runs that are not timed. An "
                 "exact count was equal in all of them.</p>\n<div class=\"wide\"><table><tr>"
                 "<th></th><th>count</th><th></th><th>counted by</th><th>by name</th></tr>\n");
    for (int i = 0; i < TCH_COUNTS; i++) {
        const struct tch_count *c = &r->counts.of[i];

        if (!c->asked)
            continue;
        tch_buf_addf(b, "<tr><td>%s</td><td>", tch_count_metric((enum tch_count_kind)i)->title);
        tch_count_add_value(b, (enum tch_count_kind)i, c);
        tch_buf_adds(b, "</td><td class=\"words\">");
        tch_count_add_state(b, c);
        tch_buf_adds(b, "</td><td class=\"words\">");
        tch_buf_clear(&text);
        tch_count_add_source(&text, c, tch_result_wall(r));
        tch_xml_adds(b, text.data);
        tch_buf_adds(b, "</td><td class=\"words\">");
        tch_buf_clear(&text);
        add_parts(&text, c);
        tch_xml_adds(b, text.data);
        tch_buf_adds(b, "</td></tr>\n");
    }
    tch_buf_adds(b, "</table></div>\n");
    tch_buf_release(&text);
}

void tch_counts_add_md(struct tch_buf *b, const struct tch_result *r)
{
    struct tch_buf text;

    if (!tch_report_has_counts(r))
        return;
    tch_buf_init_part(&text, b);
    tch_buf_adds(b, "| counts | | | counted by |\n| --- | ---: | --- | --- |\n");
    for (int i = 0; i < TCH_COUNTS; i++) {
        const struct tch_count *c = &r->counts.of[i];

        if (!c->asked)
            continue;
        tch_buf_addf(b, "| %s | ", tch_count_metric((enum tch_count_kind)i)->title);
        tch_count_add_value(b, (enum tch_count_kind)i, c);
        tch_buf_adds(b, " | ");
        tch_count_add_state(b, c);
        tch_buf_adds(b, " | ");
        tch_buf_clear(&text);
        tch_count_add_source(&text, c, tch_result_wall(r));
        tch_add_md_text(b, text.data);
        tch_buf_adds(b, " |\n");
    }
    tch_buf_addc(b, '\n');
    tch_buf_release(&text);
}
