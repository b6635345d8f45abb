/* Tables, and the forms of them that are written as they are filled: Markdown and HTML. */
#include "table_forms.h"

#include "markdown.h"
#include "xml.h"

void tch_table_init(struct tch_table *t, struct tch_buf *b, struct tch_table_form form,
                    const struct tch_table_column *columns, size_t count)
{
    *t = (struct tch_table){.b = b, .form = form, .columns = columns, .count = count};
    tch_buf_init_part(&t->open, b);
    tch_buf_init_part(&t->attributes, b);
    form.begin(t);
}

bool tch_table_has(const struct tch_table *t, size_t column)
{
    return !t->columns[column].in || t->columns[column].in & t->form.in;
}

static void close_cell(struct tch_table *t)
{
    struct tch_table_cell cell = {.text = t->open.data,
                                  .len = t->open.len,
                                  .column = t->next,
                                  .tone = t->tone,
                                  .markup = t->is_markup,
                                  .attributes = t->attributes.data};

    if (!t->is_open)
        return;
    t->is_open = false;
    t->form.add(t, &cell);
    tch_buf_clear(&t->attributes);
    t->next = (t->next + 1) % t->count;
}

void tch_table_end(struct tch_table *t)
{
    close_cell(t);
    t->form.end(t);
    tch_buf_release(&t->open);
    tch_buf_release(&t->attributes);
}

struct tch_buf *tch_table_cell(struct tch_table *t, enum tch_tone tone)
{
    close_cell(t);
    tch_buf_clear(&t->open);
    t->is_open = true;
    t->is_markup = false;
    t->tone = tone;
    return &t->open;
}

struct tch_buf *tch_table_markup(struct tch_table *t)
{
    struct tch_buf *cell = tch_table_cell(t, TCH_TONE_PLAIN);

    t->is_markup = true;
    return cell;
}

void tch_table_add(struct tch_table *t, enum tch_tone tone, const char *text)
{
    tch_buf_adds(tch_table_cell(t, tone), text);
}

void tch_table_value(struct tch_table *t, enum tch_tone tone, enum tch_unit unit, double value)
{
    tch_add_value(tch_table_cell(t, tone), unit, value);
}

struct tch_buf *tch_table_attributes(struct tch_table *t)
{
    close_cell(t);
    return &t->attributes;
}

/* --- Markdown --- */

static void begin_md(struct tch_table *t)
{
    for (size_t c = 0; c < t->count; c++)
        if (tch_table_has(t, c))
            tch_buf_addf(t->b, "|%s%s ", *t->columns[c].title ? " " : "", t->columns[c].title);
    tch_buf_adds(t->b, "|\n");
    for (size_t c = 0; c < t->count; c++)
        if (tch_table_has(t, c))
            tch_buf_adds(t->b, t->columns[c].right ? "| ---: " : "| --- ");
    tch_buf_adds(t->b, "|\n");
}

static void add_md(struct tch_table *t, const struct tch_table_cell *cell)
{
    if (tch_table_has(t, cell->column)) {
        tch_buf_adds(t->b, "| ");
        if (cell->markup)
            tch_buf_add(t->b, cell->text, cell->len);
        else
            tch_add_md_text(t->b, cell->text);
        tch_buf_addc(t->b, ' ');
    }
    if (cell->column + 1 == t->count)
        tch_buf_adds(t->b, "|\n");
}

static void end_md(struct tch_table *t)
{
    (void)t;
}

const struct tch_table_form tch_table_md = {
    .in = TCH_IN_MD, .to = " … ", .begin = begin_md, .add = add_md, .end = end_md};

/* --- HTML --- */

static void add_class(struct tch_buf *b, const char *css)
{
    if (css)
        tch_buf_addf(b, " class=\"%s\"", css);
}

static void begin_html(struct tch_table *t)
{
    tch_buf_adds(t->b, "<div class=\"wide\"><table><tr>");
    for (size_t c = 0; c < t->count; c++) {
        if (!tch_table_has(t, c))
            continue;
        tch_buf_adds(t->b, "<th");
        add_class(t->b, t->columns[c].css);
        tch_buf_addc(t->b, '>');
        tch_xml_adds(t->b, t->columns[c].title);
        tch_buf_adds(t->b, "</th>");
    }
    tch_buf_adds(t->b, "</tr>\n");
}

static void add_html(struct tch_table *t, const struct tch_table_cell *cell)
{
    if (cell->column == 0) {
        tch_buf_adds(t->b, "<tr");
        add_class(t->b, t->row);
        tch_buf_addc(t->b, '>');
        t->row = NULL;
    }
    if (tch_table_has(t, cell->column)) {
        tch_buf_adds(t->b, "<td");
        if (*cell->attributes)
            tch_buf_addf(t->b, " %s", cell->attributes);
        else
            add_class(t->b, t->columns[cell->column].css);
        tch_buf_addc(t->b, '>');
        if (cell->markup)
            tch_buf_add(t->b, cell->text, cell->len);
        else
            tch_xml_add(t->b, cell->text, cell->len);
        tch_buf_adds(t->b, "</td>");
    }
    if (cell->column + 1 == t->count)
        tch_buf_adds(t->b, "</tr>\n");
}

static void end_html(struct tch_table *t)
{
    tch_buf_adds(t->b, "</table></div>\n");
}

const struct tch_table_form tch_table_html = {
    .in = TCH_IN_HTML, .to = " … ", .begin = begin_html, .add = add_html, .end = end_html};
