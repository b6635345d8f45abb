/* Fields into JSON: sorted without touching the caller's array, and without malloc when few. */
#include "fields.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/json_write.h"
#include "canon.h"

enum { FEW = 32 };

static int put_value(struct tch_buf *b, const tacho_field *f, tacho_error *err)
{
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
        if (tch_json_canon(b, f->as.text.data, f->as.text.len, false, err) == TACHO_EPARSE)
            return tch_fail(err, TACHO_EINVAL, 0, "the value of '%s' is no JSON", f->key);
        return 0;
    }
    return tch_fail(err, TACHO_EINVAL, 0, "the field '%s' is of no known type", f->key);
}

/* Pointers into one array: what comes later lies behind. */
static int by_key(const void *a, const void *b)
{
    const tacho_field *x = *(const tacho_field *const *)a;
    const tacho_field *y = *(const tacho_field *const *)b;
    int order = strcmp(x->key, y->key);

    return order != 0 ? order : x < y ? -1 : x > y;
}

/* Few are sorted by insertion, which leaves those that are in order where they are. */
static void sort(const tacho_field **order, tacho_fields fields)
{
    for (size_t i = 0; i < fields.count; i++)
        order[i] = &fields.data[i];
    if (fields.count > FEW) {
        qsort(order, fields.count, sizeof *order, by_key);
        return;
    }
    for (size_t i = 1; i < fields.count; i++) {
        const tacho_field *f = order[i];
        size_t at = i;

        for (; at > 0 && strcmp(order[at - 1]->key, f->key) > 0; at--)
            order[at] = order[at - 1];
        order[at] = f;
    }
}

int tch_fields_put(struct tch_buf *b, tacho_fields fields, tacho_error *err)
{
    const tacho_field *few[FEW];
    const tacho_field **order = few;
    int status = 0;

    for (size_t i = 0; i < fields.count; i++)
        if (!fields.data[i].key)
            return tch_fail(err, TACHO_EINVAL, 0, "field %zu of an event has no key", i + 1);
    if (fields.count > FEW) {
        order = calloc(fields.count, sizeof *order);
        if (!order)
            return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for %zu fields", fields.count);
    }
    sort(order, fields);
    tch_json_begin_object(b);
    for (size_t i = 0; i < fields.count && status == 0; i++) {
        if (i + 1 < fields.count && strcmp(order[i]->key, order[i + 1]->key) == 0)
            continue;
        tch_json_key(b, order[i]->key);
        status = put_value(b, order[i], err);
    }
    tch_json_end_object(b);
    if (order != few)
        free(order);
    return status;
}
