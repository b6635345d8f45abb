/* Chooses a back end, and does what all of them do alike. */
#include "db.h"

#include <string.h>

#include "base/buf.h"
#include "base/fail.h"

enum { SCRIPT_MAX = 1 << 16 };

/* The last one takes every place. */
static const struct tch_db_ops *const backends[] = {&tch_db_sqlite};

struct tch_db_value tch_db_text(const char *text)
{
    return (struct tch_db_value){
        .kind = text ? TCH_DB_TEXT : TCH_DB_NULL, .data = text, .len = text ? strlen(text) : 0};
}

int tch_db_open(struct tch_db **ret, const char *where, bool create, tacho_error *err)
{
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
        if (backends[i]->takes(where))
            return backends[i]->open(ret, where, create, err);
    return tch_fail(err, TACHO_EINVAL, 0, "'%s' is not the place of a store", where);
}

void tch_db_close(struct tch_db *db)
{
    if (db)
        db->ops->close(db);
}

int tch_db_query(struct tch_db *db, const char *sql, const struct tch_db_value *values,
                 size_t count, tch_db_row *row, void *ctx, tacho_error *err)
{
    return db->ops->query(db, sql, values, count, row, ctx, err);
}

static int take_number(void *ctx, const struct tch_db_value *columns, size_t count,
                       tacho_error *err)
{
    int64_t *ret = ctx;

    (void)err;
    if (count > 0 && columns[0].kind == TCH_DB_INT)
        *ret = columns[0].i;
    return 0;
}

int tch_db_number(struct tch_db *db, const char *sql, const struct tch_db_value *values,
                  size_t count, int64_t *ret, tacho_error *err)
{
    return tch_db_query(db, sql, values, count, take_number, ret, err);
}

static void add_replaced(struct tch_buf *b, const struct tch_db_ops *ops, const char *text,
                         size_t len)
{
    const struct {
        const char *word;
        const char *by;
    } words[] = {{"%ID%", ops->type_id}, {"%BLOB%", ops->type_bytes}, {"%NR%", ops->by_key}};

    for (size_t i = 0, step; i < len; i += step) {
        step = 0;
        for (size_t w = 0; w < sizeof words / sizeof *words && step == 0; w++) {
            size_t size = strlen(words[w].word);

            if (len - i >= size && memcmp(text + i, words[w].word, size) == 0) {
                tch_buf_adds(b, words[w].by);
                step = size;
            }
        }
        if (step == 0) {
            tch_buf_addc(b, text[i]);
            step = 1;
        }
    }
}

int tch_db_script(struct tch_db *db, const char *script, tacho_error *err)
{
    struct tch_buf b;
    int status = 0;

    tch_buf_init(&b, SCRIPT_MAX);
    for (const char *end; status == 0 && (end = strstr(script, ";\n")) != NULL; script = end + 2) {
        tch_buf_clear(&b);
        add_replaced(&b, db->ops, script, (size_t)(end - script));
        status =
            b.failed ? tch_fail_memory(err) : db->ops->query(db, b.data, NULL, 0, NULL, NULL, err);
    }
    tch_buf_release(&b);
    return status;
}

int tch_db_begin(struct tch_db *db, tacho_error *err)
{
    return tch_db_query(db, db->ops->begin_write, NULL, 0, NULL, NULL, err);
}

int tch_db_commit(struct tch_db *db, tacho_error *err)
{
    return tch_db_query(db, "COMMIT", NULL, 0, NULL, NULL, err);
}

void tch_db_rollback(struct tch_db *db)
{
    (void)tch_db_query(db, "ROLLBACK", NULL, 0, NULL, NULL, NULL);
}
