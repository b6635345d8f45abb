/*
 * Tables in several forms: on a terminal, in Markdown, in HTML. Their columns and cells are the
 * same. The form escapes, aligns and frames them.
 *
 *     tch_table_init(&t, &out, tch_table_html, columns, 2);
 *     tch_table_add(&t, TCH_TONE_GREEN, "ok");
 *     tch_add_value(tch_table_cell(&t, TCH_TONE_PLAIN), TCH_NS, time);
 *     tch_table_end(&t);
 *
 * Every buffer of a table is a part of its output (base/buf.h). If one of them fails, the output
 * fails, so a table that lacks a cell cannot be printed.
 */
#ifndef TCH_TABLE_FORMS_H
#define TCH_TABLE_FORMS_H

#include "base/buf.h"
#include "human_number.h"

enum tch_tone {
    TCH_TONE_PLAIN,
    TCH_TONE_BOLD,
    TCH_TONE_DIM,
    TCH_TONE_RED,
    TCH_TONE_GREEN,
    TCH_TONE_YELLOW,
    TCH_TONE_CYAN,
};

/** Says when a column is left out of a table that is too wide for the terminal. */
enum tch_table_keep {
    TCH_KEEP_ALWAYS,
    TCH_KEEP_IF_NAMES_FIT, /**< left out before the column that wraps is made narrower */
    TCH_KEEP_IF_ROOM,      /**< left out if that was not enough */
};

/** Forms, as a set. */
enum { TCH_IN_TEXT = 1, TCH_IN_MD = 2, TCH_IN_HTML = 4 };

struct tch_table_column {
    const char *title;
    bool right; /**< aligned to the right, as numbers are; the style sheet does that in HTML */
    bool wrap;  /**< on a narrow terminal, continues in the next line; at most one column does */
    enum tch_table_keep keep;
    unsigned in;     /**< forms that have the column; 0: all */
    const char *css; /**< class of its cells in HTML, or NULL */
};

/** A cell that is complete. */
struct tch_table_cell {
    const char *text;
    size_t len;
    size_t column;
    enum tch_tone tone;
    bool markup;            /**< in the language of the form: not escaped */
    const char *attributes; /**< in HTML, instead of the class of the column; "": none */
};

struct tch_table;

/** A way to write tables. cli/core/table.h has the one for terminals. */
struct tch_table_form {
    unsigned in;    /**< as in a column */
    const char *to; /**< separates the ends of an interval: " … ", " .. " */
    void *ctx;      /**< for the functions */
    void (*begin)(struct tch_table *t);
    void (*add)(struct tch_table *t, const struct tch_table_cell *cell);
    void (*end)(struct tch_table *t);
};

extern const struct tch_table_form tch_table_md;
extern const struct tch_table_form tch_table_html;

struct tch_table {
    struct tch_buf *b;
    struct tch_table_form form;
    const struct tch_table_column *columns;
    size_t count;
    size_t next;     /* column of the next cell */
    const char *row; /**< class of the next row in HTML, or NULL */
    bool is_open;    /* a cell is */
    bool is_markup;
    enum tch_tone tone;
    struct tch_buf open;       /* text of the open cell */
    struct tch_buf attributes; /* those of the open cell */
};

/** Begins a table in b. columns are borrowed. */
void tch_table_init(struct tch_table *t, struct tch_buf *b, struct tch_table_form form,
                    const struct tch_table_column *columns, size_t count);

/** Completes the table and frees its memory. */
void tch_table_end(struct tch_table *t);

/** Returns whether the form of the table has a column. */
bool tch_table_has(const struct tch_table *t, size_t column);

/** Begins the next cell. Returns the buffer to add its text to, until the next cell begins. After
    the last column a new row begins. A form that does not have the column drops the cell. */
struct tch_buf *tch_table_cell(struct tch_table *t, enum tch_tone tone);

/** Begins a cell like tch_table_cell(). Its text is not escaped. */
struct tch_buf *tch_table_markup(struct tch_table *t);

/** Add a cell. */
void tch_table_add(struct tch_table *t, enum tch_tone tone, const char *text);
void tch_table_value(struct tch_table *t, enum tch_tone tone, enum tch_unit unit, double value);

/** Returns the buffer for the HTML attributes of the next cell. */
struct tch_buf *tch_table_attributes(struct tch_table *t);

#endif
