/* Copies texts into blocks, and reads fields from JSON into them. */
#include "event_block.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/fail.h"
#include "base/json_canon.h"
#include "event_parse.h"

void *tch_event_block_new(struct tch_event_block *block, size_t head, size_t text)
{
    enum { ROOM = 64 }; /* for texts of a document without keys */
    char *start = calloc(1, head + text + ROOM);

    block->at = start ? start + head : NULL;
    block->end = start ? block->at + text + ROOM : NULL;
    return start;
}

static char *copy_bytes(struct tch_event_block *block, const char *text, size_t len)
{
    char *copy = block->at;

    if (len >= (size_t)(block->end - block->at))
        return NULL;
    memcpy(copy, text, len);
    block->at += len + 1;
    return copy;
}

char *tch_event_block_copy(struct tch_event_block *block, const char *text)
{
    return text ? copy_bytes(block, text, strlen(text)) : NULL;
}

char *tch_event_block_raw(struct tch_event_block *block, tacho_raw raw)
{
    return copy_bytes(block, raw.text, raw.len);
}

char *tch_event_block_unescape(struct tch_event_block *block, tacho_raw raw, size_t *ret_len)
{
    char *copy = block->at;
    size_t len;

    if (raw.len == 0 || raw.text[0] != '"')
        return NULL;
    if (tacho_raw_text(raw, copy, (size_t)(block->end - copy), &len, NULL) < 0)
        return NULL;
    block->at += len + 1;
    if (ret_len)
        *ret_len = len;
    return copy;
}

int tch_event_block_text(struct tch_event_block *block, tacho_raw raw, const char *name,
                         const char **ret, tacho_error *err)
{
    size_t len = 0;
    const char *text = tch_event_block_unescape(block, raw, &len);

    if (text && memchr(text, '\0', len))
        return tch_fail(err, TACHO_EPARSE, 0,
                        "%s contains a NUL, which would end it too early; use tacho_event_parse()",
                        name);
    *ret = text;
    return 0;
}

/* Opens a reader inside the object. Returns false for any other value. */
static bool enter_object(struct tch_json_reader *r, tacho_raw json)
{
    struct tch_json_value value;

    tch_json_open(r, json.text, json.len, NULL);
    return tch_json_read(r, &value) == 0 && value.type == TCH_JSON_OBJECT;
}

size_t tch_fields_count(tacho_raw json)
{
    struct tch_json_reader r;
    struct tch_json_value key;
    size_t count = 0;

    if (enter_object(&r, json))
        while (tch_json_member(&r, &key) > 0 && tch_json_skip(&r) == 0)
            count++;
    return count;
}

/* Returns a number as a field. A whole number becomes an i64 if it fits, whatever its sign. */
static tacho_field number_field(const struct tch_json_value *value)
{
    struct tch_json_number number = tch_json_to_number(value);

    if (number.kind == TCH_JSON_F64)
        return tacho_f64(NULL, number.as.f64);
    if (number.kind == TCH_JSON_I64)
        return tacho_i64(NULL, number.as.i64);
    if (number.as.u64 <= INT64_MAX)
        return tacho_i64(NULL, (int64_t)number.as.u64);
    return tacho_u64(NULL, number.as.u64);
}

static tacho_field value_field(struct tch_event_block *block, const struct tch_json_value *value)
{
    tacho_raw raw = {value->text, value->len};
    const char *text;
    size_t len = 0;

    switch (value->type) {
    case TCH_JSON_NUMBER:
        return number_field(value);
    case TCH_JSON_TRUE:
    case TCH_JSON_FALSE:
        return tacho_bool(NULL, value->type == TCH_JSON_TRUE);
    case TCH_JSON_STRING:
        text = tch_event_block_unescape(block, raw, &len);
        return tacho_text_n(NULL, text, len);
    default:
        return tacho_json_n(NULL, tch_event_block_raw(block, raw), raw.len);
    }
}

int tch_fields_read(struct tch_event_block *block, tacho_raw json, tacho_field *fields,
                    tacho_error *err)
{
    struct tch_json_reader r;
    struct tch_json_value key;
    struct tch_json_value value;

    if (!enter_object(&r, json))
        return 0;
    for (; tch_json_member(&r, &key) > 0; fields++) {
        tacho_raw name = {key.text - 1, key.len + 2};
        const char *text = NULL;
        int status = tch_event_block_text(block, name, "a key", &text, err);

        if (status < 0)
            return status;
        if (tch_json_read_raw(&r, &value) < 0)
            return r.status;
        *fields = value_field(block, &value);
        fields->key = text;
        fields->literal = 0;
    }
    return 0;
}

int tacho_fields_from_json(const char *json, size_t len, tacho_field **ret, size_t *ret_count,
                           tacho_error *err)
{
    struct tch_event_block block;
    struct tch_buf canon;
    tacho_field *fields = NULL;
    tacho_raw object;
    size_t count;
    int status;

    tch_buf_init(&canon, (size_t)10 * TCH_EVENT_MAX);
    status = tch_json_canon(&canon, json, len, TCH_CANON_FINITE | TCH_CANON_SORTED, err);
    if (status < 0)
        goto out;
    object = (tacho_raw){canon.data, canon.len};
    count = tch_fields_count(object);
    fields = tch_event_block_new(&block, count * sizeof *fields, canon.len);
    status = fields ? tch_fields_read(&block, object, fields, err) : tch_fail_memory(err);
    if (status == 0) {
        *ret = fields;
        *ret_count = count;
        fields = NULL;
    }
out:
    free(fields);
    tch_buf_release(&canon);
    return status;
}

const tacho_field *tacho_fields_find(tacho_fields fields, const char *key)
{
    for (size_t i = fields.count; i > 0; i--)
        if (fields.data[i - 1].key && strcmp(fields.data[i - 1].key, key) == 0)
            return &fields.data[i - 1];
    return NULL;
}
