/*
 * The few things that a store needs of a database. Each back end is one file, db_NAME.c, and one
 * row of the table in db.c.
 *
 * Statements are SQL that all back ends understand. Parameters are $1, $2, … Dialects differ in
 * three words of a schema, which a script has as %ID%, %BLOB% and %NR%: the type of a generated
 * key, the type of bytes, and what follows a table whose rows are kept in the order of its key.
 */
#ifndef TCH_DB_H
#define TCH_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

enum tch_db_kind { TCH_DB_NULL, TCH_DB_INT, TCH_DB_REAL, TCH_DB_TEXT, TCH_DB_BYTES };

/** A parameter, or a column of a row. Bytes and text are borrowed; a text of a row ends in a NUL.
 */
struct tch_db_value {
    enum tch_db_kind kind;
    int64_t i;
    double f;
    const void *data;
    size_t len;
};

static inline struct tch_db_value tch_db_int(int64_t i)
{
    return (struct tch_db_value){.kind = TCH_DB_INT, .i = i};
}

/** NAN is stored as NULL. */
static inline struct tch_db_value tch_db_real(double f)
{
    return (struct tch_db_value){.kind = f == f ? TCH_DB_REAL : TCH_DB_NULL, .f = f};
}

struct tch_db_value tch_db_text(const char *text); /**< NULL is stored as NULL */

static inline struct tch_db_value tch_db_bytes(const void *data, size_t len)
{
    return (struct tch_db_value){.kind = TCH_DB_BYTES, .data = data, .len = len};
}

/** Receives a row. A negative result ends the query, which returns it. */
typedef int tch_db_row(void *ctx, const struct tch_db_value *columns, size_t count,
                       tacho_error *err);

struct tch_db;

struct tch_db_ops {
    const char *name;
    bool (*takes)(const char *where); /**< returns whether a place is meant for this back end */
    /** create: make the database if it is missing. Otherwise a missing one fails with TACHO_EIO and
        system_errno ENOENT. */
    int (*open)(struct tch_db **ret, const char *where, bool create, tacho_error *err);
    void (*close)(struct tch_db *db);
    /** Runs one statement. row may be NULL. */
    int (*query)(struct tch_db *db, const char *sql, const struct tch_db_value *values,
                 size_t count, tch_db_row *row, void *ctx, tacho_error *err);
    const char *begin_write; /**< statement that begins a transaction that writes */
    const char *type_id;     /**< for %ID% */
    const char *type_bytes;  /**< for %BLOB% */
    const char *by_key;      /**< for %NR% */
};

/** The first member of every back end's struct. */
struct tch_db {
    const struct tch_db_ops *ops;
};

/** The back ends. */
extern const struct tch_db_ops tch_db_sqlite;

/** Opens the database at a place, a path or a URL. */
int tch_db_open(struct tch_db **ret, const char *where, bool create, tacho_error *err);

/** Accepts NULL. */
void tch_db_close(struct tch_db *db);

/** Runs one statement. Back ends keep statements with parameters prepared. */
int tch_db_query(struct tch_db *db, const char *sql, const struct tch_db_value *values,
                 size_t count, tch_db_row *row, void *ctx, tacho_error *err);

/** Runs a statement that returns at most one row with one whole number. Without a row, *ret keeps
    its value. */
int tch_db_number(struct tch_db *db, const char *sql, const struct tch_db_value *values,
                  size_t count, int64_t *ret, tacho_error *err);

/** Runs statements that end in ";\n", with the words of the dialect filled in. */
int tch_db_script(struct tch_db *db, const char *script, tacho_error *err);

/** Begins and ends a transaction that writes. A failed one leaves everything as it was. */
int tch_db_begin(struct tch_db *db, tacho_error *err);
int tch_db_commit(struct tch_db *db, tacho_error *err);
void tch_db_rollback(struct tch_db *db);

#define TCH_DB_VALUES(...)                      \
    (const struct tch_db_value[]){__VA_ARGS__}, \
        sizeof((const struct tch_db_value[]){__VA_ARGS__}) / sizeof(struct tch_db_value)

#endif
