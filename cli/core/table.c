/* Tables that fit the terminal. */
#include "table.h"

#include <assert.h>
#include <stdarg.h>

#include "text.h"

enum { GAP = 2, LIMIT = 64 << 20, LEAST_FLEXIBLE = 10 };

static const size_t NO_COLUMN = SIZE_MAX;

struct cell {
    size_t start; /* offset in `text` */
    size_t len;
    size_t width;
    size_t column; /* column of the cell, or the column at which a line begins */
    enum paint paint;
    bool line;
};

void cli_table_init(struct table *t, const struct term *term, const struct column *columns,
                    size_t count)
{
    *t = (struct table){.term = term, .columns = columns, .count = count};
    tch_buf_init(&t->text, LIMIT);
    tch_buf_init(&t->cells, LIMIT);
    tch_buf_init_part(&t->open, &t->text);
}

void cli_table_release(struct table *t)
{
    tch_buf_release(&t->open);
    tch_buf_release(&t->text);
    tch_buf_release(&t->cells);
}

static size_t cell_count(const struct table *t)
{
    return t->cells.len / sizeof(struct cell);
}

static const struct cell *cell_at(const struct table *t, size_t i)
{
    return (const struct cell *)(const void *)t->cells.data + i;
}

static void add_cell(struct table *t, struct cell cell, const char *text)
{
    cell.start = t->text.len;
    cli_add_clean(&t->text, text, t->term->utf8);
    cell.len = t->text.len - cell.start;
    cell.width = cli_text_width(t->text.data + cell.start, cell.len);
    tch_buf_add(&t->cells, &cell, sizeof cell);
}

static void add_next(struct table *t, enum paint paint, const char *text)
{
    size_t n = cell_count(t);
    const struct cell *last = n > 0 && !t->cells.failed ? cell_at(t, n - 1) : NULL;
    size_t column = last && !last->line ? (last->column + 1) % t->count : 0;

    add_cell(t, (struct cell){.paint = paint, .column = column}, text);
}

static void close_cell(struct table *t)
{
    if (!t->is_open)
        return;
    t->is_open = false;
    add_next(t, t->paint, t->open.data);
}

void cli_table_add(struct table *t, enum paint paint, const char *text)
{
    close_cell(t);
    add_next(t, paint, text);
}

struct tch_buf *cli_table_cell(struct table *t, enum paint paint)
{
    close_cell(t);
    tch_buf_clear(&t->open);
    t->is_open = true;
    t->paint = paint;
    return &t->open;
}

static void add_formatted(struct table *t, enum paint paint, const char *fmt, va_list args)
{
    char text[512];

    vsnprintf(text, sizeof text, fmt, args);
    cli_table_add(t, paint, text);
}

void cli_table_addf(struct table *t, enum paint paint, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add_formatted(t, paint, fmt, args);
    va_end(args);
}

void cli_table_add_pair(struct table *t, const char *name, const char *fmt, ...)
{
    va_list args;

    cli_table_add(t, BOLD, name);
    va_start(args, fmt);
    add_formatted(t, PLAIN, fmt, args);
    va_end(args);
}

void cli_table_line(struct table *t, size_t column, enum paint paint, const char *text)
{
    close_cell(t);
    add_cell(t, (struct cell){.paint = paint, .column = column, .line = true}, text);
}

static bool has_titles(const struct table *t)
{
    for (size_t c = 0; c < t->count; c++)
        if (t->columns[c].title)
            return true;
    return false;
}

/* Leaves out columns of a kind, the last ones first, until the table fits. Such a column gets the
   width NO_COLUMN. Returns the table's width. */
static size_t leave_out(const struct table *t, enum keep kind, size_t *widths, size_t total)
{
    for (size_t c = t->count; c-- > 0 && total > t->term->width;)
        if (t->columns[c].keep == kind) {
            total -= widths[c] + GAP;
            widths[c] = NO_COLUMN;
        }
    return total;
}

/* Makes the flexible column narrower if the table is too wide. Returns the table's width. */
static size_t make_narrow(const struct table *t, size_t *widths, size_t total)
{
    for (size_t c = 0; c < t->count && total > t->term->width; c++) {
        size_t too_much = total - t->term->width;
        size_t was = widths[c];

        if (t->columns[c].fit == FIT_WHOLE || was <= LEAST_FLEXIBLE)
            continue;
        widths[c] = was > too_much + LEAST_FLEXIBLE ? was - too_much : LEAST_FLEXIBLE;
        total -= was - widths[c];
        break;
    }
    return total;
}

/* Makes each column as wide as its widest cell, as far as the terminal allows. */
static void find_widths(const struct table *t, size_t *widths)
{
    size_t total = t->indent + GAP * (t->count - 1);

    for (size_t c = 0; c < t->count; c++) {
        const char *title = t->columns[c].title;

        widths[c] = title ? cli_text_width(title, strlen(title)) : 0;
    }
    for (size_t i = 0; i < cell_count(t); i++) {
        const struct cell *cell = cell_at(t, i);

        if (!cell->line && cell->width > widths[cell->column])
            widths[cell->column] = cell->width;
    }
    for (size_t c = 0; c < t->count; c++)
        total += widths[c];
    if (t->term->width == 0)
        return;
    total = leave_out(t, KEEP_IF_NAMES_FIT, widths, total);
    total = make_narrow(t, widths, total);
    leave_out(t, KEEP_IF_ROOM, widths, total);
}

/* Writes a row. Blanks are held back until something follows them, so that no line ends in a
   blank. */
struct pen {
    struct tch_buf *b;
    const struct term *term;
    size_t blanks;
};

static void pen_text(struct pen *pen, enum paint paint, const char *text, size_t len)
{
    char mem[256];
    struct tch_buf piece;

    if (len == 0)
        return;
    cli_add_blanks(pen->b, pen->blanks);
    pen->blanks = 0;
    tch_buf_init_on(&piece, mem, sizeof mem, len);
    tch_buf_add(&piece, text, len);
    cli_add_painted(pen->b, pen->term, paint, piece.data);
    pen->b->failed |= piece.failed;
    tch_buf_release(&piece);
}

/* The unwritten part of each cell of a row. */
struct rest {
    const char *text;
    size_t len;
    enum paint paint;
};

/* Writes one line of one cell, padded to its column's width. */
static void print_piece(struct pen *pen, const struct column *column, size_t width,
                        struct rest *rest)
{
    char mem[512];
    struct tch_buf cut;
    size_t next = rest->len;
    size_t used;

    tch_buf_init_on(&cut, mem, sizeof mem, LIMIT);
    if (column->fit == FIT_WRAP)
        tch_buf_add(&cut, rest->text, cli_text_line(rest->text, rest->len, width, &next));
    else if (column->fit == FIT_CUT)
        cli_add_cut(&cut, rest->text, rest->len, width, pen->term->utf8);
    else
        tch_buf_add(&cut, rest->text, rest->len);
    while (!column->right && cut.len > 0 && cut.data[cut.len - 1] == ' ')
        cut.len--; /* the pen adds blanks at the end, such as those of a bar */
    used = cli_text_width(cut.data, cut.len);
    pen->blanks += column->right && used < width ? width - used : 0;
    pen_text(pen, rest->paint, cut.data, cut.len);
    pen->blanks += (!column->right && used < width ? width - used : 0) + GAP;
    pen->b->failed |= cut.failed;
    tch_buf_release(&cut);
    rest->text += next;
    rest->len -= next;
}

/* Writes a row, in as many lines as its longest cell needs. */
static void print_row(const struct table *t, struct tch_buf *b, const size_t *widths,
                      struct rest *rests)
{
    bool more;

    do {
        struct pen pen = {.b = b, .term = t->term, .blanks = t->indent};

        more = false;
        for (size_t c = 0; c < t->count; c++) {
            if (widths[c] == NO_COLUMN)
                continue;
            print_piece(&pen, &t->columns[c], widths[c], &rests[c]);
            more |= rests[c].len > 0;
        }
        tch_buf_addc(b, '\n');
    } while (more && !b->failed);
}

static void print_line(const struct table *t, struct tch_buf *b, const size_t *widths,
                       const struct cell *cell)
{
    struct pen pen = {.b = b, .term = t->term, .blanks = cell->column > 0 ? t->indent : 0};

    for (size_t c = 0; c < cell->column; c++)
        pen.blanks += widths[c] == NO_COLUMN ? 0 : widths[c] + GAP;
    pen_text(&pen, cell->paint, t->text.data + cell->start, cell->len);
    tch_buf_addc(b, '\n');
}

void cli_table_print(struct table *t, struct tch_buf *b)
{
    size_t widths[TABLE_MAX_COLUMNS];
    struct rest rests[TABLE_MAX_COLUMNS] = {{.text = ""}};

    close_cell(t);
    if (t->text.failed || t->cells.failed || t->count > TABLE_MAX_COLUMNS) {
        b->failed = true;
        return;
    }
    find_widths(t, widths);
    if (has_titles(t)) {
        for (size_t c = 0; c < t->count; c++) {
            const char *title = t->columns[c].title ? t->columns[c].title : "";

            rests[c] = (struct rest){title, strlen(title), BOLD};
        }
        print_row(t, b, widths, rests);
    }
    for (size_t i = 0; i < cell_count(t); i++) {
        const struct cell *cell = cell_at(t, i);

        if (cell->line) {
            print_line(t, b, widths, cell);
            continue;
        }
        rests[cell->column] = (struct rest){t->text.data + cell->start, cell->len, cell->paint};
        if (cell->column + 1 == t->count)
            print_row(t, b, widths, rests);
    }
}

/* --- Tables of the kit --- */

static_assert((int)TCH_TONE_CYAN == CYAN && (int)TCH_KEEP_IF_ROOM == KEEP_IF_ROOM,
              "tones and kinds of columns have the same numbers here");

static bool is_shown(const struct tch_table *t, size_t column)
{
    return column < TABLE_MAX_COLUMNS && tch_table_has(t, column);
}

static void begin_text(struct tch_table *t)
{
    struct cli_text_table *text = t->form.ctx;
    size_t count = 0;

    for (size_t c = 0; c < t->count; c++) {
        const struct tch_table_column *column = &t->columns[c];

        if (is_shown(t, c))
            text->columns[count++] = (struct column){.title = column->title,
                                                     .right = column->right,
                                                     .fit = column->wrap ? FIT_WRAP : FIT_WHOLE,
                                                     .keep = (enum keep)column->keep};
    }
    cli_table_init(&text->table, text->term, text->columns, count);
    text->table.indent = text->indent;
}

static void add_text(struct tch_table *t, const struct tch_table_cell *cell)
{
    struct cli_text_table *text = t->form.ctx;

    if (is_shown(t, cell->column))
        cli_table_add(&text->table, (enum paint)cell->tone, cell->text);
}

static void end_text(struct tch_table *t)
{
    struct cli_text_table *text = t->form.ctx;

    cli_table_print(&text->table, t->b);
    cli_table_release(&text->table);
}

struct tch_table_form cli_text_form(struct cli_text_table *text, const struct term *term,
                                    size_t indent)
{
    text->term = term;
    text->indent = indent;
    return (struct tch_table_form){.in = TCH_IN_TEXT,
                                   .to = term->utf8 ? " \u2026 " : " .. ",
                                   .ctx = text,
                                   .begin = begin_text,
                                   .add = add_text,
                                   .end = end_text};
}
