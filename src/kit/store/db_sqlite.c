/*
 * The back end SQLite: one file, no server. libsqlite3.so.0 is loaded when a store is opened, so
 * the other commands neither need it nor wait for it.
 *
 * The file is in WAL mode with full sync: readers never wait for a writer, and what a commit
 * acknowledged survives a power failure. WAL needs shared memory, which network file systems do not
 * have, so a file on one is refused.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "db.h"

enum {
    WAIT_MS = 30000, /* for another process that writes */
    RETRY_MS = 10,
    KEPT = 64, /* prepared statements */
};

/* The part of SQLite's interface that is used here, the same since version 3.20. */
enum { SQL_OK = 0, SQL_BUSY = 5, SQL_CORRUPT = 11, SQL_FULL = 13, SQL_NOTADB = 26 };
enum { SQL_ROW = 100, SQL_DONE = 101 };
enum { SQL_INTEGER = 1, SQL_FLOAT = 2, SQL_TEXT = 3, SQL_BLOB = 4 };
enum { OPEN_READWRITE = 2, OPEN_CREATE = 4, OPEN_NOMUTEX = 0x8000, PREPARE_PERSISTENT = 1 };

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;

struct library {
    void *handle;
    int (*open_v2)(const char *path, sqlite3 **ret, int flags, const char *vfs);
    int (*close_v2)(sqlite3 *db);
    int (*busy_timeout)(sqlite3 *db, int ms);
    const char *(*errmsg)(sqlite3 *db);
    int (*prepare_v3)(sqlite3 *db, const char *sql, int len, unsigned flags, sqlite3_stmt **ret,
                      const char **tail);
    int (*bind_int64)(sqlite3_stmt *s, int i, long long value);
    int (*bind_double)(sqlite3_stmt *s, int i, double value);
    int (*bind_text)(sqlite3_stmt *s, int i, const char *text, int len, void (*free)(void *));
    int (*bind_blob)(sqlite3_stmt *s, int i, const void *data, int len, void (*free)(void *));
    int (*bind_null)(sqlite3_stmt *s, int i);
    int (*bind_parameter_index)(sqlite3_stmt *s, const char *name);
    int (*clear_bindings)(sqlite3_stmt *s);
    int (*step)(sqlite3_stmt *s);
    int (*reset)(sqlite3_stmt *s);
    int (*finalize)(sqlite3_stmt *s);
    int (*column_count)(sqlite3_stmt *s);
    int (*column_type)(sqlite3_stmt *s, int i);
    long long (*column_int64)(sqlite3_stmt *s, int i);
    double (*column_double)(sqlite3_stmt *s, int i);
    const void *(*column_blob)(sqlite3_stmt *s, int i);
    const unsigned char *(*column_text)(sqlite3_stmt *s, int i);
    int (*column_bytes)(sqlite3_stmt *s, int i);
    const char *(*sql)(sqlite3_stmt *s);
};

struct sqlite {
    struct tch_db db;
    struct library lib;
    sqlite3 *handle;
    char *path;
    sqlite3_stmt *kept[KEPT];
    size_t kept_count;
    struct tch_db_value *row;
    size_t row_room;
};

static int load(struct library *l, tacho_error *err)
{
    const struct {
        void *function; /* address of the pointer */
        const char *name;
    } functions[] = {
        {&l->open_v2, "sqlite3_open_v2"},
        {&l->close_v2, "sqlite3_close_v2"},
        {&l->busy_timeout, "sqlite3_busy_timeout"},
        {&l->errmsg, "sqlite3_errmsg"},
        {&l->prepare_v3, "sqlite3_prepare_v3"},
        {&l->bind_int64, "sqlite3_bind_int64"},
        {&l->bind_double, "sqlite3_bind_double"},
        {&l->bind_text, "sqlite3_bind_text"},
        {&l->bind_blob, "sqlite3_bind_blob"},
        {&l->bind_null, "sqlite3_bind_null"},
        {&l->bind_parameter_index, "sqlite3_bind_parameter_index"},
        {&l->clear_bindings, "sqlite3_clear_bindings"},
        {&l->step, "sqlite3_step"},
        {&l->reset, "sqlite3_reset"},
        {&l->finalize, "sqlite3_finalize"},
        {&l->column_count, "sqlite3_column_count"},
        {&l->column_type, "sqlite3_column_type"},
        {&l->column_int64, "sqlite3_column_int64"},
        {&l->column_double, "sqlite3_column_double"},
        {&l->column_blob, "sqlite3_column_blob"},
        {&l->column_text, "sqlite3_column_text"},
        {&l->column_bytes, "sqlite3_column_bytes"},
        {&l->sql, "sqlite3_sql"},
    };

    l->handle = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!l->handle)
        return tch_fail(err, TACHO_EUNSUPPORTED, 0,
                        "a history needs SQLite, and libsqlite3.so.0 is not installed; install "
                        "the package libsqlite3-0 (Debian, Ubuntu) or sqlite-libs (Fedora)");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(l->handle, functions[i].name);

        if (!function)
            return tch_fail(err, TACHO_EUNSUPPORTED, 0, "libsqlite3.so.0 has no %s; update it",
                            functions[i].name);
        memcpy(functions[i].function, &function, sizeof function);
    }
    return 0;
}

/* Fills err from SQLite's last error. */
static int fail(struct sqlite *s, int code, tacho_error *err)
{
    const char *text = s->lib.errmsg(s->handle);

    switch (code & 0xff) {
    case SQL_BUSY:
        (void)tch_fail(err, TACHO_EIO, 0, "'%s' was locked by another process for %d seconds",
                       s->path, WAIT_MS / 1000);
        if (err)
            err->system_errno = EBUSY;
        return TACHO_EIO;
    case SQL_CORRUPT:
    case SQL_NOTADB:
        return tch_fail(err, TACHO_EPARSE, 0,
                        "'%s' is damaged or not a store (%s); it was left as it is; restore a "
                        "backup, or move it away and add the runs again",
                        s->path, text);
    case SQL_FULL:
        return tch_fail(err, TACHO_EIO, 0, "no space left to write '%s'; nothing was added",
                        s->path);
    default:
        return tch_fail(err, TACHO_EIO, 0, "'%s': %s", s->path, text);
    }
}

/* Refuses a folder on a file system that several machines share. */
static int check_file_system(const char *path, tacho_error *err)
{
    const char *slash = strrchr(path, '/');
    char folder[4096];
    struct statfs fs;

    if (!slash || (size_t)(slash - path) >= sizeof folder)
        return 0;
    memcpy(folder, path, (size_t)(slash - path));
    folder[slash - path] = '\0';
    if (statfs(*folder ? folder : "/", &fs) != 0)
        return 0;
    switch ((unsigned long)fs.f_type) {
    case NFS_SUPER_MAGIC:
    case SMB_SUPER_MAGIC:
    case CIFS_SUPER_MAGIC:
    case SMB2_SUPER_MAGIC:
    case AFS_SUPER_MAGIC:
    case CODA_SUPER_MAGIC:
    case V9FS_MAGIC:
        return tch_fail(err, TACHO_EUNSUPPORTED, 0,
                        "'%s' is on a network file system, where several machines would damage "
                        "it; give a local path by --store, and exchange results by 'tacho history "
                        "pull'",
                        path);
    default:
        return 0;
    }
}

static bool takes(const char *where)
{
    return strstr(where, "://") == NULL;
}

static void close_db(struct tch_db *db)
{
    struct sqlite *s = (struct sqlite *)db;

    for (size_t i = 0; i < s->kept_count; i++)
        s->lib.finalize(s->kept[i]);
    if (s->handle)
        s->lib.close_v2(s->handle);
    if (s->lib.handle)
        dlclose(s->lib.handle);
    free(s->path);
    free(s->row);
    free(s);
}

/* Turns WAL on. While another process does the same to a new file, SQLite fails at once instead of
   waiting, because either could wait for the other. */
static int turn_wal_on(struct sqlite *s, tacho_error *err)
{
    tacho_error own;

    for (int waited = 0;; waited += RETRY_MS) {
        if (tch_db_query(&s->db, "PRAGMA journal_mode = WAL", NULL, 0, NULL, NULL, &own) == 0)
            return 0;
        if (own.system_errno != EBUSY || waited >= WAIT_MS)
            return tch_fail_again(err, &own);
        usleep(RETRY_MS * 1000);
    }
}

static int open_file(struct sqlite *s, bool create, tacho_error *err)
{
    int code;
    int status;

    if (access(s->path, F_OK) != 0 && (!create || errno != ENOENT))
        return tch_fail_errno(err, errno, "cannot open the store '%s'", s->path);
    code = s->lib.open_v2(s->path, &s->handle,
                          OPEN_READWRITE | OPEN_NOMUTEX | (create ? OPEN_CREATE : 0), NULL);
    if (code != SQL_OK)
        return s->handle ? fail(s, code, err) : tch_fail_memory(err);
    s->lib.busy_timeout(s->handle, WAIT_MS);
    status = turn_wal_on(s, err);
    if (status == 0)
        status = tch_db_query(&s->db, "PRAGMA synchronous = FULL", NULL, 0, NULL, NULL, err);
    if (status == 0)
        status = tch_db_query(&s->db, "PRAGMA foreign_keys = ON", NULL, 0, NULL, NULL, err);
    return status;
}

static int open_db(struct tch_db **ret, const char *where, bool create, tacho_error *err)
{
    struct sqlite *s = calloc(1, sizeof *s);
    int status;

    if (!s)
        return tch_fail_memory(err);
    s->db.ops = &tch_db_sqlite;
    s->path = strdup(where);
    if (!s->path) {
        status = tch_fail_memory(err);
        goto out;
    }
    status = check_file_system(where, err);
    if (status == 0)
        status = load(&s->lib, err);
    if (status == 0)
        status = open_file(s, create, err);
out:
    if (status < 0) {
        close_db(&s->db);
        return status;
    }
    *ret = &s->db;
    return 0;
}

/* Finds a statement that is prepared and not in use, or prepares it. *kept: it stays prepared. A
   query inside the callback of the same query gets one of its own. */
static int prepare(struct sqlite *s, const char *sql, bool keep, sqlite3_stmt **ret, bool *kept,
                   tacho_error *err)
{
    int code;

    for (size_t i = 0; i < s->kept_count && keep; i++) {
        if (strcmp(s->lib.sql(s->kept[i]), sql) == 0) {
            *ret = s->kept[i];
            s->kept[i] = s->kept[--s->kept_count];
            *kept = true;
            return 0;
        }
    }
    code = s->lib.prepare_v3(s->handle, sql, -1, keep ? PREPARE_PERSISTENT : 0, ret, NULL);
    *kept = keep;
    return code == SQL_OK ? 0 : fail(s, code, err);
}

static void put_back(struct sqlite *s, sqlite3_stmt *statement, bool kept)
{
    s->lib.reset(statement);
    s->lib.clear_bindings(statement);
    if (kept && s->kept_count < KEPT)
        s->kept[s->kept_count++] = statement;
    else
        s->lib.finalize(statement);
}

/* Binds the value of $number. SQLite numbers parameters by their first use, so it is asked. */
static int bind(struct sqlite *s, sqlite3_stmt *statement, size_t number,
                const struct tch_db_value *v)
{
    char name[24];
    int i;

    snprintf(name, sizeof name, "$%zu", number);
    i = s->lib.bind_parameter_index(statement, name);
    if (i == 0)
        return SQL_OK;
    switch (v->kind) {
    case TCH_DB_INT:
        return s->lib.bind_int64(statement, i, v->i);
    case TCH_DB_REAL:
        return s->lib.bind_double(statement, i, v->f);
    case TCH_DB_TEXT:
        return s->lib.bind_text(statement, i, v->data, (int)v->len, NULL);
    case TCH_DB_BYTES:
        return s->lib.bind_blob(statement, i, v->data, (int)v->len, NULL);
    case TCH_DB_NULL:
        break;
    }
    return s->lib.bind_null(statement, i);
}

static void take_column(struct sqlite *s, sqlite3_stmt *statement, int i, struct tch_db_value *v)
{
    *v = (struct tch_db_value){0};
    switch (s->lib.column_type(statement, i)) {
    case SQL_INTEGER:
        *v = tch_db_int(s->lib.column_int64(statement, i));
        v->f = (double)v->i; /* a whole number in a column of real numbers */
        break;
    case SQL_FLOAT:
        *v = tch_db_real(s->lib.column_double(statement, i));
        break;
    case SQL_TEXT:
        v->kind = TCH_DB_TEXT;
        v->data = s->lib.column_text(statement, i);
        v->len = (size_t)s->lib.column_bytes(statement, i);
        break;
    case SQL_BLOB:
        v->kind = TCH_DB_BYTES;
        v->data = s->lib.column_blob(statement, i);
        v->len = (size_t)s->lib.column_bytes(statement, i);
        break;
    default:
        break;
    }
}

static int give_row(struct sqlite *s, sqlite3_stmt *statement, tch_db_row *row, void *ctx,
                    tacho_error *err)
{
    size_t count = (size_t)s->lib.column_count(statement);

    if (tch_array_reserve(&s->row, &s->row_room, count) < 0)
        return tch_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        take_column(s, statement, (int)i, &s->row[i]);
    return row(ctx, s->row, count, err);
}

static int query(struct tch_db *db, const char *sql, const struct tch_db_value *values,
                 size_t count, tch_db_row *row, void *ctx, tacho_error *err)
{
    struct sqlite *s = (struct sqlite *)db;
    sqlite3_stmt *statement = NULL;
    bool kept = false;
    int code = SQL_OK;
    int status = prepare(s, sql, count > 0, &statement, &kept, err);

    if (status < 0)
        return status;
    for (size_t i = 0; i < count && code == SQL_OK; i++)
        code = bind(s, statement, i + 1, &values[i]);
    if (code == SQL_OK) {
        while (status == 0 && (code = s->lib.step(statement)) == SQL_ROW)
            status = row ? give_row(s, statement, row, ctx, err) : 0;
    }
    if (status == 0 && code != SQL_DONE)
        status = fail(s, code, err);
    put_back(s, statement, kept);
    return status;
}

const struct tch_db_ops tch_db_sqlite = {
    .name = "sqlite",
    .takes = takes,
    .open = open_db,
    .close = close_db,
    .query = query,
    .begin_write = "BEGIN IMMEDIATE",
    .type_id = "INTEGER PRIMARY KEY",
    .type_bytes = "BLOB",
    .by_key = " WITHOUT ROWID",
};
