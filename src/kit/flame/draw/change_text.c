/* Writes the changes of a differential. */
#include "change_text.h"

#include <math.h>

#include "base/json_write.h"
#include "frame_text.h"
#include "kit/flame/stack/frame_kind.h"
#include "kit/text/human_number.h"
#include "kit/text/xml.h"

#define DISPERSION_MOST 2 /* a larger one is worth a warning */

void tch_change_counts(struct tch_buf *b, const struct tch_stacks *stacks,
                       const struct tch_change *change, const char *count_name)
{
    tch_counted_add(b, stacks, change->before, false);
    tch_buf_adds(b, " -> ");
    tch_counted_add(b, stacks, change->now, false);
    if (tch_counted_ns(&stacks->counted) == 0)
        tch_buf_addf(b, " %s", count_name);
}

void tch_change_interval(struct tch_buf *b, const struct tch_stacks *stacks,
                         const struct tch_change *change)
{
    tch_counted_add(b, stacks, change->low, true);
    tch_buf_adds(b, " .. ");
    tch_counted_add(b, stacks, change->high, true);
}

void tch_change_text(struct tch_buf *b, const struct tch_stacks *stacks,
                     const struct tch_change *change)
{
    tch_counted_add(b, stacks, change->now - change->before, true);
    tch_buf_adds(b, " [");
    tch_change_interval(b, stacks, change);
    tch_buf_adds(b, change->sign == 0 ? "], within noise" : "]");
}

void tch_changes_notes(struct tch_buf *b, const struct tch_changes *changes)
{
    tch_buf_adds(b, "The intervals (" TCH_CHANGE_LEVEL ") contain the noise of sampling, not "
                    "differences between runs.");
    if (changes->dispersion > DISPERSION_MOST)
        tch_buf_addf(b,
                     " The typical function varies %.*g times as much as sampling explains: most "
                     "functions changed, or the machine did; repeat both captures.",
                     tch_factor_digits(changes->dispersion), changes->dispersion);
}

/* --- Terminal --- */

enum { CELLS = 5 };

static const char interval[] = TCH_CHANGE_LEVEL " interval";
static const char *const heads[CELLS] = {"before", "now", "change", interval, "total change"};

/* Adds one cell of a row. */
static void add_cell(struct tch_buf *b, const struct tch_stacks *stacks,
                     const struct tch_function_change *f, int cell)
{
    switch (cell) {
    case 0:
        tch_counted_add(b, stacks, f->self.before, false);
        break;
    case 1:
        tch_counted_add(b, stacks, f->self.now, false);
        break;
    case 2:
        tch_counted_add(b, stacks, f->self.now - f->self.before, true);
        break;
    case 3:
        tch_change_interval(b, stacks, &f->self);
        break;
    default:
        tch_counted_add(b, stacks, f->total.now - f->total.before, true);
    }
}

/* Adds a text aligned to the right. */
static void add_right(struct tch_buf *b, const char *text, size_t width)
{
    tch_buf_addf(b, "%*s  ", (int)width, text);
}

static void add_function(struct tch_buf *b, const struct tch_stacks *stacks,
                         const struct tch_function_change *f, size_t columns)
{
    struct tch_span name = tch_span_interned(&stacks->names, f->name);

    tch_plain_name(b, tch_frame_unmarked(name), columns);
    if (tch_frame_mark(name) == 'k')
        tch_buf_adds(b, " [kernel]");
    if (f->self.sign == 0) {
        tch_buf_adds(b, f->total.sign == 0 ? ", within noise" : ", self within noise");
    } else if (f->caller != TCH_INTERN_NONE) {
        tch_buf_adds(b, ", called by ");
        tch_plain_name(b, tch_frame_text(stacks, f->caller), columns);
    }
}

/* Returns the width of a column. cell has room for a cell. */
static size_t width_of(const struct tch_stacks *stacks, const struct tch_changes *changes, int at,
                       struct tch_buf *cell)
{
    size_t width = strlen(heads[at]);

    for (size_t i = 0; i < changes->count; i++) {
        tch_buf_clear(cell);
        add_cell(cell, stacks, changes->list + i, at);
        if (cell->len > width)
            width = cell->len;
    }
    return width;
}

static void add_rows(struct tch_buf *b, const struct tch_stacks *stacks,
                     const struct tch_changes *changes, size_t columns, struct tch_buf *cell)
{
    enum { NAME_LEAST = 20 };
    size_t widths[CELLS];
    size_t used = 0;

    for (int at = 0; at < CELLS; at++) {
        widths[at] = width_of(stacks, changes, at, cell);
        used += widths[at] + 2;
        add_right(b, heads[at], widths[at]);
    }
    tch_buf_adds(b, "function\n");
    columns = columns == 0 ? SIZE_MAX : columns > used + NAME_LEAST ? columns - used : NAME_LEAST;
    for (size_t i = 0; i < changes->count; i++) {
        for (int at = 0; at < CELLS; at++) {
            tch_buf_clear(cell);
            add_cell(cell, stacks, changes->list + i, at);
            add_right(b, cell->data, widths[at]);
        }
        add_function(b, stacks, changes->list + i, columns);
        tch_buf_addc(b, '\n');
    }
}

void tch_changes_text(struct tch_buf *b, const struct tch_stacks *stacks,
                      const struct tch_changes *changes, size_t columns)
{
    struct tch_buf cell;

    tch_buf_init(&cell, 1024);
    tch_buf_adds(b, "compared: ");
    tch_counted_explain(b, stacks);
    tch_buf_addc(b, '\n');
    if (changes->count == 0) {
        tch_buf_adds(b, "no function has more or fewer samples than before\n");
    } else {
        tch_buf_addf(b, "largest changes of self %s, over all stacks:\n",
                     tch_counted_name(&stacks->counted));
        add_rows(b, stacks, changes, columns, &cell);
        tch_changes_notes(b, changes);
        tch_buf_addc(b, '\n');
    }
    b->failed |= cell.failed;
    tch_buf_release(&cell);
}

/* --- HTML --- */

static void add_html_row(struct tch_buf *b, const struct tch_stacks *stacks,
                         const struct tch_function_change *f)
{
    static const char *const colors[] = {"var(--a)", "var(--dim)", "var(--b)"};
    struct tch_span name = tch_span_interned(&stacks->names, f->name);
    struct tch_span text = tch_frame_unmarked(name);

    tch_buf_adds(b, "<tr><td>");
    tch_xml_add_line(b, text.p, text.len);
    if (tch_frame_mark(name) == 'k')
        tch_buf_adds(b, " <small>[kernel]</small>");
    if (f->caller != TCH_INTERN_NONE && f->self.sign != 0) {
        struct tch_span caller = tch_frame_text(stacks, f->caller);

        tch_buf_adds(b, "<br><small>called by ");
        tch_xml_add_line(b, caller.p, caller.len);
        tch_buf_adds(b, "</small>");
    }
    tch_buf_adds(b, "</td>");
    for (int at = 0; at < CELLS; at++) {
        if (at == 2 || at == 4)
            tch_buf_addf(b, "<td style=\"color:%s\">",
                         colors[(at == 2 ? f->self.sign : f->total.sign) + 1]);
        else
            tch_buf_adds(b, "<td>");
        add_cell(b, stacks, f, at);
        if (at == 3 && f->self.sign == 0)
            tch_buf_adds(b, "<br><small>within noise</small>");
        tch_buf_adds(b, "</td>");
    }
    tch_buf_adds(b, "</tr>\n");
}

void tch_changes_html(struct tch_buf *b, const struct tch_stacks *stacks,
                      const struct tch_changes *changes)
{
    struct tch_buf text;

    tch_buf_init(&text, 4096);
    tch_counted_explain(&text, stacks);
    tch_buf_adds(b, "<p class=\"sub\">Compared: ");
    tch_xml_add_line(b, text.data, text.len);
    tch_buf_adds(b, ". Grey frames changed by no more than sampling noise.</p>\n");
    b->failed |= text.failed;
    tch_buf_release(&text);
    if (changes->count == 0)
        return;
    tch_buf_adds(b, "<div class=\"wide\"><table>\n<tr><th>largest changes of self ");
    tch_xml_adds(b, tch_counted_name(&stacks->counted));
    tch_buf_adds(b, "</th>");
    for (int at = 0; at < CELLS; at++)
        tch_buf_addf(b, "<th>%s</th>", heads[at]);
    tch_buf_adds(b, "</tr>\n");
    for (size_t i = 0; i < changes->count; i++)
        add_html_row(b, stacks, changes->list + i);
    tch_buf_adds(b, "</table></div>\n<p class=\"sub\">");
    tch_changes_notes(b, changes);
    tch_buf_adds(b, "</p>\n");
}

/* --- JSON --- */

static void put_change(struct tch_buf *b, const char *key, const struct tch_change *c, double scale)
{
    static const char *const verdicts[] = {"less", "noise", "more"};

    tch_json_key(b, key);
    tch_json_begin_object(b);
    tch_json_put_f64(b, "before", c->before * scale);
    tch_json_put_f64(b, "now", c->now * scale);
    tch_json_put_f64(b, "change", (c->now - c->before) * scale);
    tch_json_put_f64(b, "low", c->low * scale);
    tch_json_put_f64(b, "high", c->high * scale);
    tch_json_put_text(b, "verdict", verdicts[c->sign + 1]);
    tch_json_end_object(b);
}

static void put_function(struct tch_buf *b, const struct tch_stacks *stacks,
                         const struct tch_function_change *f, double scale)
{
    struct tch_span name = tch_span_interned(&stacks->names, f->name);
    struct tch_span text = tch_frame_unmarked(name);

    tch_json_begin_object(b);
    tch_json_key(b, "function");
    tch_json_string(b, text.p, text.len);
    tch_json_put_bool(b, "kernel", tch_frame_mark(name) == 'k');
    tch_json_key(b, "caller");
    if (f->caller != TCH_INTERN_NONE)
        tch_json_string(b, tch_frame_text(stacks, f->caller).p,
                        tch_frame_text(stacks, f->caller).len);
    else
        tch_json_null(b);
    put_change(b, "self", &f->self, scale);
    put_change(b, "total", &f->total, scale);
    tch_json_end_object(b);
}

void tch_changes_json(struct tch_buf *b, const struct tch_stacks *stacks,
                      const struct tch_changes *changes)
{
    uint64_t ns = tch_counted_ns(&stacks->counted);
    double scale = ns > 0 ? (double)ns : 1;
    struct tch_buf text;

    tch_buf_init(&text, 4096);
    tch_counted_explain(&text, stacks);
    tch_json_key(b, "compared");
    tch_json_begin_object(b);
    tch_json_put_text(b, "text", text.data);
    tch_json_put_text(b, "unit", ns > 0 ? "nanoseconds" : tch_counted_name(&stacks->counted));
    tch_json_put_f64(b, "before", tch_stacks_total_before(stacks) * scale);
    tch_json_put_f64(b, "now", (double)tch_stacks_total(stacks) * scale);
    tch_json_put_bool(b, "normalized", stacks->normalized);
    tch_json_put_bool(b, "converted", stacks->converted);
    tch_json_put_f64(b, "level", 0.999);
    if (isnan(changes->dispersion)) {
        tch_json_key(b, "dispersion");
        tch_json_null(b);
    } else {
        tch_json_put_f64(b, "dispersion", changes->dispersion);
    }
    tch_json_end_object(b);
    b->failed |= text.failed;
    tch_buf_release(&text);
    tch_json_key(b, "changes");
    tch_json_begin_array(b);
    for (size_t i = 0; i < changes->count; i++)
        put_function(b, stacks, changes->list + i, scale);
    tch_json_end_array(b);
}
