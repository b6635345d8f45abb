/*
 * Tables that fit the terminal. One column may be wrapped or truncated, some may be left out, and
 * the others are as wide as their widest cell. Failure is sticky, as in the tch_buf that they are
 * printed to.
 *
 *     cli_table_init(&t, &args->out, columns, 2);
 *     cli_table_add(&t, GREEN, "ok");
 *     tch_add_value(cli_table_cell(&t, PLAIN), TCH_NS, time);
 *     cli_table_print(&t, &out);
 *     cli_table_release(&t);
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "base/buf.h"
#include "kit/text/table_forms.h"
#include "term.h"

enum { TABLE_MAX_COLUMNS = 32 };

enum fit {
    FIT_WHOLE, /**< never truncated */
    FIT_WRAP,  /**< continues in the next line */
    FIT_CUT,   /**< ends in an ellipsis */
};

/** Says when a column is left out of a table that is too wide for the terminal. The same as enum
    tch_table_keep. */
enum keep {
    KEEP_ALWAYS,
    KEEP_IF_NAMES_FIT, /**< left out before the flexible column is made narrower; the last column
                          first */
    KEEP_IF_ROOM,      /**< left out if that was not enough; the last column first */
};

struct column {
    const char *title; /**< or NULL; a table without titles has no head row */
    bool right;        /**< aligned to the right, as numbers are */
    enum fit fit;      /**< at most one column is not FIT_WHOLE */
    enum keep keep;
};

struct table {
    const struct term *term;
    const struct column *columns;
    size_t count;
    size_t indent; /**< blanks before every row; may be set before printing */
    struct tch_buf text;
    struct tch_buf cells;
    struct tch_buf open; /**< text of the cell that cli_table_cell() began */
    enum paint paint;    /**< of that cell */
    bool is_open;
};

/** Initialises a table. term and columns are borrowed. */
void cli_table_init(struct table *t, const struct term *term, const struct column *columns,
                    size_t count);
void cli_table_release(struct table *t);

/** Adds the next cell. After the last column a new row begins. text is made safe to display. */
void cli_table_add(struct table *t, enum paint paint, const char *text);
void cli_table_addf(struct table *t, enum paint paint, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/** Begins the next cell. Returns the buffer to add its text to, until the next cell begins. If that
    fails, the table fails. */
struct tch_buf *cli_table_cell(struct table *t, enum paint paint);

/** Adds a row of two cells: a bold name and a text. */
void cli_table_add_pair(struct table *t, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/** Adds a line between rows. It begins at the given column (0: at the left edge) and is never
    truncated or wrapped, so that it can be copied. "" is an empty line. */
void cli_table_line(struct table *t, size_t column, enum paint paint, const char *text);

/** Prints the table to b. b fails if the table failed. */
void cli_table_print(struct table *t, struct tch_buf *b);

/** A table of the kit on a terminal. The caller keeps it until the table ends. */
struct cli_text_table {
    struct table table;
    struct column columns[TABLE_MAX_COLUMNS];
    const struct term *term;
    size_t indent;
};

/** Returns the form that writes tables of the kit for this terminal. Columns above
    TABLE_MAX_COLUMNS are left out. */
struct tch_table_form cli_text_form(struct cli_text_table *text, const struct term *term,
                                    size_t indent);

#endif
