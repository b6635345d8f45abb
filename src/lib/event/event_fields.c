/* Writes fields as JSON, sorted by key. The caller's array is not changed, and few fields are
   sorted without malloc. */
#include "event_fields.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/float_text.h"
#include "base/json_canon.h"
#include "base/json_write.h"
#include "base/utf8.h"

enum { FEW = 32, PLAIN_MAX = 64 };
_Static_assert(PLAIN_MAX + 8 + TCH_FLOAT_TEXT <= TCH_FIELD_MAX, "a plain field fits");

static int put_value(struct tch_buf *b, const tacho_field *f, tacho_error *err)
{
    bool has_text = f->type == TACHO_FIELD_TEXT || f->type == TACHO_FIELD_JSON;

    if (has_text && f->as.text.len > b->limit - b->len)
        return tch_fail(err, TACHO_ELIMIT, 0, "the value of '%s' is too long (%zu bytes)", f->key,
                        f->as.text.len);
    switch (f->type) {
    case TACHO_FIELD_U64:
        tch_json_u64(b, f->as.u64);
        return 0;
    case TACHO_FIELD_I64:
        tch_json_i64(b, f->as.i64);
        return 0;
    case TACHO_FIELD_F64:
        tch_json_f64(b, f->as.f64);
        return 0;
    case TACHO_FIELD_BOOL:
        tch_json_bool(b, f->as.yes);
        return 0;
    case TACHO_FIELD_TEXT:
        tch_json_string(b, f->as.text.data, f->as.text.len);
        return 0;
    case TACHO_FIELD_JSON:
        if (tch_json_canon(b, f->as.text.data, f->as.text.len, TCH_CANON_FINITE, err) ==
            TACHO_EPARSE)
            return tch_fail(err, TACHO_EINVAL, 0, "the value of '%s' is not valid JSON", f->key);
        return 0;
    }
    return tch_fail(err, TACHO_EINVAL, 0, "the field '%s' has an unknown type", f->key);
}

/* Returns whether a JSON string can contain this byte unescaped. Most bytes of most names pass
   the first test. */
static inline bool is_plain(unsigned char c)
{
    return (unsigned char)(c - ('\\' + 1)) < 0x80 - ('\\' + 1) ||
           (c >= 0x20 && c < '\\' && c != '"');
}

static inline char *put_plain(char *out, const char *text)
{
    const char *most = text + PLAIN_MAX;

    *out++ = '"';
    while (is_plain((unsigned char)*text) && text < most)
        *out++ = *text++;
    *out++ = '"';
    return *text == '\0' ? out : NULL;
}

char *tch_plain_put(char *out, const char *name)
{
    return put_plain(out, name);
}

/* Writes a plain key and a number. Returns the end, or NULL for any other field. */
static inline char *put_number(char *out, const tacho_field *f)
{
    char *p;

    if (f->type != TACHO_FIELD_U64 && f->type != TACHO_FIELD_F64)
        return NULL;
    p = put_plain(out, f->key);
    if (!p)
        return NULL;
    *p++ = ':';
    return p +
           (f->type == TACHO_FIELD_U64 ? tch_u64_text(p, f->as.u64) : tch_f64_json(p, f->as.f64));
}

/* Compares like strcmp(). The first byte usually decides. */
static inline int compare_keys(const char *a, const char *b)
{
    int first = (unsigned char)*a - (unsigned char)*b;

    return first != 0 ? first : strcmp(a, b);
}

/* Orders fields by key. The pointers are into one array, so of two fields with the same key the
   later one is larger. */
static int by_key(const void *a, const void *b)
{
    const tacho_field *x = *(const tacho_field *const *)a;
    const tacho_field *y = *(const tacho_field *const *)b;
    int order = strcmp(x->key, y->key);

    return order != 0 ? order : x < y ? -1 : x > y;
}

/* Keeps the last field of each key. Returns the number of fields that are left. */
static size_t drop_repeated(const tacho_field **order, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && strcmp(order[kept - 1]->key, order[i]->key) == 0)
            kept--;
        order[kept++] = order[i];
    }
    return kept;
}

/* Sorts the fields, drops repeated keys and returns how many fields are left. A few fields are
   sorted by insertion: fields that are already in order, the common case, take one comparison
   each. */
static size_t sort_fields(const tacho_field **order, tacho_fields fields)
{
    bool repeated = false;

    if (fields.count > FEW) {
        for (size_t i = 0; i < fields.count; i++)
            order[i] = &fields.data[i];
        qsort(order, fields.count, sizeof(void *), by_key);
        return drop_repeated(order, fields.count);
    }
    for (size_t i = 0; i < fields.count; i++) {
        const tacho_field *f = &fields.data[i];
        size_t at = i;
        int above = -1;

        while (at > 0 && (above = compare_keys(order[at - 1]->key, f->key)) > 0) {
            order[at] = order[at - 1];
            at--;
        }
        repeated |= at > 0 && above == 0;
        order[at] = f;
    }
    return repeated ? drop_repeated(order, fields.count) : fields.count;
}

/* Sorts the members written from `start` on again. Invalid UTF-8 in keys was replaced when they
   were written, so their order may have changed. */
static int sort_again(struct tch_buf *b, size_t start, tacho_error *err)
{
    struct tch_buf copy;
    int status;

    tch_buf_init(&copy, b->limit);
    tch_buf_add(&copy, b->data + start - 1, b->len - start + 1);
    tch_buf_addc(&copy, '}');
    b->failed |= copy.failed;
    tch_json_rewind(b, start - 1, false);
    status = tch_json_canon(b, copy.data, copy.len, TCH_CANON_FINITE | TCH_CANON_SORTED, err);
    if (!b->failed)
        b->len--; /* the caller writes the closing brace */
    tch_buf_release(&copy);
    return status;
}

int tch_members_put(struct tch_buf *b, tacho_fields fields, tacho_error *err)
{
    const tacho_field *few[FEW];
    const tacho_field **order = few;
    size_t start = b->len;
    bool changed = false;
    size_t count;
    int status = 0;

    for (size_t i = 0; i < fields.count; i++)
        if (__builtin_expect(!fields.data[i].key, 0))
            return tch_fail(err, TACHO_EINVAL, 0, "field %zu of an event has no key", i + 1);
    if (fields.count > FEW) {
        order = calloc(fields.count, sizeof(void *));
        if (!order)
            return tch_fail_memory(err);
    }
    count = sort_fields(order, fields);
    for (size_t i = 0; i < count && status == 0; i++) {
        size_t len = strlen(order[i]->key);

        changed |= tch_utf8_valid(order[i]->key, len) != len;
        tch_json_key(b, order[i]->key);
        status = put_value(b, order[i], err);
    }
    if (order != few)
        free(order);
    return status == 0 && changed && !b->failed ? sort_again(b, start, err) : status;
}

int tch_fields_put(struct tch_buf *b, tacho_fields fields, tacho_error *err)
{
    int status;

    tch_json_begin_object(b);
    status = tch_members_put(b, fields, err);
    tch_json_end_object(b);
    return status;
}

char *tch_numbers_put(char *out, tacho_fields fields)
{
    const tacho_field *order[FEW];
    size_t count;

    if (fields.count > FEW)
        return NULL;
    for (size_t i = 0; i < fields.count; i++)
        if (!fields.data[i].key)
            return NULL;
    count = sort_fields(order, fields);
    for (size_t i = 0; i < count && out; i++) {
        if (i > 0)
            *out++ = ',';
        out = put_number(out, order[i]);
    }
    return out;
}
