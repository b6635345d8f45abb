/*
 * Tables that fit the terminal: one column may be wrapped or cut, some may be left out, the others
 * are as wide as their widest cell. Failure is sticky, as in the tch_buf they end in.
 *
 *     cli_table_init(&t, &args->out, columns, 2);
 *     cli_table_add(&t, GREEN, "ok");
 *     cli_table_add(&t, PLAIN, name);
 *     cli_table_print(&t, &out);
 *     cli_table_release(&t);
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "base/buf.h"
#include "term.h"

enum { TABLE_MAX_COLUMNS = 32 };

enum fit {
    FIT_WHOLE, /**< never cut */
    FIT_WRAP,  /**< goes on in the next line */
    FIT_CUT,   /**< ends in an ellipsis */
};

/** What happens to a column of a table that is too wide for the terminal. */
enum keep {
    KEEP_ALWAYS,
    KEEP_IF_NAMES_FIT, /**< left out before the flexible column is made narrower; the last first */
    KEEP_IF_ROOM,      /**< left out when that was not enough; the last first */
};

struct column {
    const char *title; /**< or NULL; a table without titles has no head */
    bool right;        /**< aligned to the right, as numbers are */
    enum fit fit;      /**< at most one column is not FIT_WHOLE */
    enum keep keep;
};

struct table {
    const struct term *term;
    const struct column *columns;
    size_t count;
    size_t indent; /**< of every row; may be set before printing */
    struct tch_buf text;
    struct tch_buf cells;
};

/** term and columns are borrowed. */
void cli_table_init(struct table *t, const struct term *term, const struct column *columns,
                    size_t count);
void cli_table_release(struct table *t);

/** The next cell; after the last column a new row begins. text is made safe to show. */
void cli_table_add(struct table *t, enum paint paint, const char *text);
void cli_table_addf(struct table *t, enum paint paint, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/** A row of two cells: a bold name, and a text. */
void cli_table_add_pair(struct table *t, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/** Between rows: a line of its own that begins where the column does (0: at the very left) and is
    never cut or wrapped, so that it can be copied. "" is an empty line. */
void cli_table_line(struct table *t, size_t column, enum paint paint, const char *text);

/** b fails when the table did. */
void cli_table_print(const struct table *t, struct tch_buf *b);

#endif
