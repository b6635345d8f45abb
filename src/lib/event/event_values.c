/*
 * Reads the values of an event's fields. Nearly all events are as our writers make them: members in
 * the order of the schema, values plain. read_plain() reads these by their marks, the positions of
 * quotes, colons, commas and brackets (base/json_plain.h). The JSON reader reads any other member,
 * one at a time; members that are not fields are skipped.
 */
#include "event_values.h"

#include "base/json_plain.h"

#define FIELD(name)                             \
    {                                           \
        name, "\"" name "\":", sizeof(name) - 1 \
    }

/* A key with its quotes and colon has 8 to 16 bytes: is_key() needs that. */
static const struct {
    const char *name;
    const char *key;
    size_t len; /* length of the name */
} fields[TCH_EVENT_FIELDS] = {
    [TCH_EVENT_EVENT] = FIELD("event"),
    [TCH_EVENT_COMMIT_SHA] = FIELD("commit_sha"),
    [TCH_EVENT_ENV_HASH] = FIELD("env_hash"),
    [TCH_EVENT_MODEL] = FIELD("model"),
    [TCH_EVENT_CONCURRENCY] = FIELD("concurrency"),
    [TCH_EVENT_SHAPE] = FIELD("shape"),
    [TCH_EVENT_STAGE_US] = FIELD("stage_us"),
    [TCH_EVENT_GRAPH_ENABLED] = FIELD("graph_enabled"),
    [TCH_EVENT_RUNTIME_FLAGS] = FIELD("runtime_flags"),
    [TCH_EVENT_SOURCE] = FIELD("source"),
    [TCH_EVENT_SOURCE_LINE] = FIELD("source_line"),
};

const char *tch_event_field_name(enum tch_event_field f)
{
    return fields[f].name;
}

static inline bool is_container(const struct tch_json_value *value)
{
    return value->type == TCH_JSON_ARRAY || value->type == TCH_JSON_OBJECT;
}

/* --- plain members, by their marks --- */

static inline bool same8(const char *a, const char *b)
{
    return memcmp(a, b, 8) == 0;
}

/* Returns whether the field's key is at p, with its quotes and colon. Compares the first and the
   last eight bytes, because the compiler makes two loads of that. */
static inline bool is_key(const char *p, enum tch_event_field f)
{
    const char *key = fields[f].key;
    size_t last = fields[f].len + 3 - 8;

    return same8(p, key) && same8(p + last, key + last);
}

/* Reads plain members in the order of the schema, beginning with `next`. Returns the first field
   that it did not read, or FIELDS. */
static enum tch_event_field read_plain(struct tch_json_reader *r, enum tch_event_field next,
                                       struct tch_json_value values[TCH_EVENT_FIELDS])
{
    struct tch_json_marks marks;
    const uint16_t *m = tch_json_marks(r, &marks);
    bool first = r->fresh;

    for (; next < TCH_EVENT_FIELDS; next++, first = false) {
        const uint16_t *key = m + !first;
        size_t whole;

        if (marks.last - m < 5 || (!first && marks.base[*m] != ',') ||
            marks.base + *key > marks.sixteen || !is_key(marks.base + *key, next))
            break;
        key = tch_json_plain_value(&marks, key + 3, &values[next], &whole, TCH_JSON_PLAIN_DEPTH);
        if (!key || tch_event_is_raw(next) != is_container(&values[next]))
            break; /* read_member() reads the same field again */
        m = key;
    }
    if (!first)
        tch_json_took(r, m);
    return next;
}

/* --- any member, by the JSON reader --- */

/* Returns the field of that name, or FIELDS. */
static enum tch_event_field find_field(const struct tch_json_value *key)
{
    for (enum tch_event_field f = 0; f < TCH_EVENT_FIELDS; f++)
        if ((key->escaped || key->len == fields[f].len) && tch_json_is(key, fields[f].name))
            return f;
    return TCH_EVENT_FIELDS;
}

/* Reads the value of a field. An object is read whole, a string without its quotes. */
static int read_field(struct tch_json_reader *r, enum tch_event_field f, struct tch_json_value *ret)
{
    if (tch_event_is_raw(f))
        return tch_json_read_raw(r, ret);
    if (tch_json_read(r, ret) < 0)
        return r->status;
    return is_container(ret) ? tch_json_leave(r) : 0;
}

/* Reads one member. Returns 1, or 0 at the end of the event, or the reader's status. *next is set
   to the field that usually follows. */
static int read_member(struct tch_json_reader *r, enum tch_event_field *next,
                       struct tch_json_value values[TCH_EVENT_FIELDS])
{
    struct tch_json_value key;
    enum tch_event_field f;
    int more = tch_json_member(r, &key);

    if (more <= 0)
        return more;
    f = find_field(&key);
    if (f == TCH_EVENT_FIELDS) {
        tch_json_skip(r);
    } else {
        read_field(r, f, &values[f]);
        *next = f + 1;
    }
    return 1;
}

int tch_event_read_values(struct tch_json_reader *r, bool plain,
                          struct tch_json_value values[TCH_EVENT_FIELDS], bool *is_object)
{
    enum tch_event_field next = TCH_EVENT_EVENT;
    struct tch_json_value value;

    if (tch_json_read(r, &value) < 0)
        return r->status;
    *is_object = value.type == TCH_JSON_OBJECT;
    if (value.type == TCH_JSON_ARRAY)
        tch_json_leave(r);
    if (*is_object)
        do {
            if (plain)
                next = read_plain(r, next, values);
        } while (read_member(r, &next, values) > 0);
    return tch_json_finish(r);
}
