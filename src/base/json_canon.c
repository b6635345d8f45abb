/*
 * Writes canonical JSON in one pass: values are written as they are read. The places of an object's
 * members in the output are kept until it ends. If two have the same key, or the order changes, the
 * object is written again from its pieces.
 */
#include "json_canon.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "array.h"
#include "fail.h"
#include "float_text.h"
#include "json_read.h"
#include "json_write.h"
#include "number.h"

/* The place of a member in the output. */
struct member {
    size_t key;     /* its opening quote */
    size_t key_end; /* after the colon */
    size_t value;
    size_t end;
    size_t place; /* its index among the members of its object, in the order of the document */
};

enum { FIRST_MEMBERS = 64 };

struct canon {
    struct tch_json_reader reader;
    struct tch_buf *out;
    struct member *members; /* members of all open objects, outermost first */
    size_t count;
    size_t room;
    /* Per level: number of members before it; ARRAY in an array. */
    size_t opened[TCH_JSON_DEPTH + 1];
    unsigned depth;
    unsigned flags;
    tacho_error *err;
    bool no_memory;
    struct member first[FIRST_MEMBERS];
};

#define ARRAY SIZE_MAX

/* Returns the next byte of a canonical string, unescaped; *p moves past it. */
static unsigned next_byte(const char **p)
{
    static const char plain[] = {
        ['b'] = '\b', ['f'] = '\f', ['n'] = '\n', ['r'] = '\r', ['t'] = '\t'};
    const char *at = *p;
    unsigned char c;

    if (*at != '\\') {
        *p = at + 1;
        return (unsigned char)*at;
    }
    c = (unsigned char)at[1];
    if (c == 'u') { /* always \u00XX */
        *p = at + 6;
        return (unsigned)(at[4] - '0') * 16 +
               (unsigned)(at[5] <= '9' ? at[5] - '0' : at[5] - 'a' + 10);
    }
    *p = at + 2;
    return c == '"' || c == '\\' ? c : (unsigned char)plain[c];
}

/* Compares canonical keys, from after the opening quote, by their unescaped bytes. */
static int compare_keys(const char *a, const char *b)
{
    for (;;) {
        bool a_ends = *a == '"';
        bool b_ends = *b == '"';
        unsigned x;
        unsigned y;

        if (a_ends || b_ends)
            return (int)b_ends - (int)a_ends;
        x = next_byte(&a);
        y = next_byte(&b);
        if (x != y)
            return x < y ? -1 : 1;
    }
}

static int by_key(const void *a, const void *b, void *data)
{
    const struct member *x = a;
    const struct member *y = b;
    int order = compare_keys((const char *)data + x->key + 1, (const char *)data + y->key + 1);

    if (order != 0)
        return order;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int by_place(const void *a, const void *b)
{
    const struct member *x = a;
    const struct member *y = b;

    return x->place < y->place ? -1 : x->place > y->place;
}

/* Returns a member whose key another one has, or NULL. The members are sorted by key. */
static const struct member *find_repeated(const struct member *m, size_t count, const char *data)
{
    for (size_t i = 1; i < count; i++)
        if (compare_keys(data + m[i - 1].key + 1, data + m[i].key + 1) == 0)
            return &m[i];
    return NULL;
}

/* Keeps one member per key: the first, with the value of the last. The members are sorted by key
   before and after. Returns the number of members left. */
static size_t drop_repeated(struct member *m, size_t count, const char *data)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && compare_keys(data + m[kept - 1].key + 1, data + m[i].key + 1) == 0) {
            m[kept - 1].value = m[i].value;
            m[kept - 1].end = m[i].end;
        } else {
            m[kept++] = m[i];
        }
    }
    return kept;
}

/* Writes the members again in their new order, instead of what follows `from`. */
static void rewrite_members(struct canon *c, const struct member *m, size_t count, size_t from)
{
    struct tch_buf copy;
    const char *data;

    tch_buf_init(&copy, c->out->limit);
    tch_buf_add(&copy, c->out->data + from, c->out->len - from);
    c->no_memory |= copy.failed;
    data = copy.data;
    c->out->len = from;
    for (size_t i = 0; i < count && !copy.failed; i++) {
        if (i > 0)
            tch_buf_addc(c->out, ',');
        tch_buf_add(c->out, data + (m[i].key - from), m[i].key_end - m[i].key);
        tch_buf_add(c->out, data + (m[i].value - from), m[i].end - m[i].value);
    }
    tch_buf_release(&copy);
}

static bool in_order(const struct member *m, size_t count, const char *data)
{
    for (size_t i = 1; i < count; i++)
        if (compare_keys(data + m[i - 1].key + 1, data + m[i].key + 1) >= 0)
            return false;
    return true;
}

/* Drops or refuses repeated members and sorts the others, before the closing brace is written. */
static int finish_members(struct canon *c, size_t first)
{
    bool sorted = c->flags & TCH_CANON_SORTED && c->depth == 1;
    struct member *m = c->members + first;
    size_t count = c->count - first;
    char *data = c->out->data;
    size_t from;
    size_t kept;

    c->count = first;
    if (c->out->failed || in_order(m, count, data))
        return 0;
    from = m[0].key;
    qsort_r(m, count, sizeof *m, by_key, data);
    if (c->flags & TCH_CANON_UNIQUE) {
        const struct member *repeated = find_repeated(m, count, data);

        if (repeated)
            return tch_fail(c->err, TACHO_EPARSE, 0, "the key %.*s comes twice in an object",
                            (int)(repeated->key_end - repeated->key < 80
                                      ? repeated->key_end - repeated->key - 1
                                      : 80),
                            data + repeated->key);
    }
    kept = drop_repeated(m, count, data);
    if (!sorted && kept == count)
        return 0;
    if (!sorted)
        qsort(m, kept, sizeof *m, by_place);
    rewrite_members(c, m, kept, from);
    return 0;
}

/* Unescapes a string or key and passes it to `put`, which escapes it in the canonical way. */
static void put_string(struct tch_buf *out, const struct tch_json_value *string,
                       void (*put)(struct tch_buf *out, const char *text, size_t len))
{
    char mem[256];
    struct tch_buf b;

    if (!string->escaped) {
        put(out, string->text, string->len);
        return;
    }
    tch_buf_init_on(&b, mem, sizeof mem, string->len);
    tch_json_unescape(string, &b);
    put(out, b.data, b.len);
    out->failed |= b.failed;
    tch_buf_release(&b);
}

/* A JSON number as digits * 10^exponent. The text of the digits may contain a decimal point. The
   first and the last digit are not 0. The number zero has no digits. */
struct decimal {
    const char *digits;
    const char *end;
    int64_t exponent; /* power of ten of the last digit */
    bool negative;
};

enum { EXPONENT_MAX = 1 << 30 };

/* Returns false for an exponent beyond EXPONENT_MAX, which no double has. */
static bool parse_decimal(const char *text, size_t len, struct decimal *ret)
{
    const char *end = text + len;
    const char *mantissa_end = text;
    const char *point;

    *ret = (struct decimal){.negative = *text == '-'};
    while (mantissa_end < end && *mantissa_end != 'e' && *mantissa_end != 'E')
        mantissa_end++;
    if (mantissa_end < end) {
        const char *exponent = mantissa_end + 1 + (mantissa_end[1] == '+');

        if (tch_parse_i64_n(exponent, (size_t)(end - exponent), &ret->exponent) < 0 ||
            ret->exponent > EXPONENT_MAX || ret->exponent < -EXPONENT_MAX)
            return false;
    }
    ret->digits = text + ret->negative;
    ret->end = mantissa_end;
    while (ret->digits < ret->end && (*ret->digits == '0' || *ret->digits == '.'))
        ret->digits++;
    while (ret->end > ret->digits && (ret->end[-1] == '0' || ret->end[-1] == '.'))
        ret->end--;
    point = memchr(text, '.', (size_t)(mantissa_end - text));
    if (!point)
        point = mantissa_end;
    ret->exponent += ret->end > point ? point + 1 - ret->end : point - ret->end;
    return true;
}

/* Returns whether two numbers are equal, whatever their notation. */
static bool same_number(const char *a, size_t a_len, const char *b, size_t b_len)
{
    struct decimal x;
    struct decimal y;

    if (!parse_decimal(a, a_len, &x) || !parse_decimal(b, b_len, &y) || x.negative != y.negative)
        return false;
    if (x.digits == x.end || y.digits == y.end)
        return x.digits == x.end && y.digits == y.end;
    while (x.digits < x.end && y.digits < y.end) {
        x.digits += *x.digits == '.';
        y.digits += *y.digits == '.';
        if (*x.digits++ != *y.digits++)
            return false;
    }
    return x.digits == x.end && y.digits == y.end && x.exponent == y.exponent;
}

/* Writes the shortest text of the double, or the text of the document when that is another number
   and no double was asked for. */
static void put_f64(const struct canon *c, const struct tch_json_value *value, double number)
{
    char text[TCH_FLOAT_TEXT];
    size_t len = tch_f64_json(text, number);

    if (c->flags & TCH_CANON_FINITE ||
        (isfinite(number) && same_number(value->text, value->len, text, len)))
        tch_json_raw(c->out, text, len);
    else
        tch_json_raw(c->out, value->text, value->len);
}

static void put_number(const struct canon *c, const struct tch_json_value *value)
{
    struct tch_json_number number = tch_json_to_number(value);

    if (number.kind == TCH_JSON_U64)
        tch_json_u64(c->out, number.as.u64);
    else if (number.kind == TCH_JSON_I64)
        tch_json_i64(c->out, number.as.i64);
    else
        put_f64(c, value, number.as.f64);
}

static bool in_array(const struct canon *c)
{
    return c->opened[c->depth] == ARRAY;
}

static void end_value(struct canon *c)
{
    if (c->depth > 0 && !in_array(c))
        c->members[c->count - 1].end = c->out->len;
}

/* Writes the next value, or the start of an object or array. */
static int put_value(struct canon *c)
{
    struct tch_json_value value;

    if (tch_json_read(&c->reader, &value) < 0)
        return c->reader.status;
    switch (value.type) {
    case TCH_JSON_OBJECT:
        tch_json_begin_object(c->out);
        c->opened[++c->depth] = c->count;
        return 0;
    case TCH_JSON_ARRAY:
        tch_json_begin_array(c->out);
        c->opened[++c->depth] = ARRAY;
        return 0;
    case TCH_JSON_STRING:
        put_string(c->out, &value, tch_json_string);
        break;
    case TCH_JSON_NUMBER:
        put_number(c, &value);
        break;
    case TCH_JSON_NULL:
        tch_json_null(c->out);
        break;
    case TCH_JSON_TRUE:
    case TCH_JSON_FALSE:
        tch_json_bool(c->out, value.type == TCH_JSON_TRUE);
        break;
    }
    end_value(c);
    return 0;
}

static int put_key(struct canon *c, const struct tch_json_value *key)
{
    size_t before = c->out->len;

    put_string(c->out, key, tch_json_key_n);
    if (c->out->failed)
        return TACHO_ENOMEM;
    if (c->count == c->room) {
        bool on_heap = c->members != c->first;
        struct member *members = on_heap ? c->members : NULL;
        size_t room = on_heap ? c->room : 0;

        if (tch_array_reserve(&members, &room, c->count + 1) < 0) {
            c->no_memory = true;
            return TACHO_ENOMEM;
        }
        if (!on_heap)
            memcpy(members, c->first, sizeof c->first);
        c->members = members;
        c->room = room;
    }
    c->members[c->count] = (struct member){
        .key = before + (c->out->data[before] == ','),
        .key_end = c->out->len,
        .value = c->out->len,
        .place = c->count,
    };
    c->count++;
    return 0;
}

static int close_container(struct canon *c)
{
    int status = 0;

    if (in_array(c)) {
        tch_json_end_array(c->out);
    } else {
        status = finish_members(c, c->opened[c->depth]);
        tch_json_end_object(c->out);
    }
    c->depth--;
    end_value(c);
    return status;
}

static int put_all(struct canon *c)
{
    int status = put_value(c);

    while (status >= 0 && c->depth > 0 && !c->no_memory && !c->out->failed) {
        struct tch_json_value key;
        bool array = in_array(c);
        int more = array ? tch_json_element(&c->reader) : tch_json_member(&c->reader, &key);

        if (more == 0)
            status = close_container(c);
        else if (more > 0)
            status = array ? 0 : put_key(c, &key);
        else
            status = more;
        if (more > 0 && status >= 0)
            status = put_value(c);
    }
    return status < 0 || c->depth > 0 ? status : tch_json_finish(&c->reader);
}

int tch_json_canon(struct tch_buf *b, const char *json, size_t len, unsigned flags,
                   tacho_error *err)
{
    struct canon c;
    int status;

    tch_json_open(&c.reader, json, len, err);
    c.reader.finite = flags & TCH_CANON_FINITE;
    c.out = b;
    c.members = c.first;
    c.count = 0;
    c.room = FIRST_MEMBERS;
    c.depth = 0;
    c.opened[0] = ARRAY;
    c.flags = flags;
    c.err = err;
    c.no_memory = false;
    status = put_all(&c);
    b->failed |= c.no_memory;
    if (c.members != c.first)
        free(c.members);
    if (b->failed)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory, or JSON above %zu bytes", b->limit);
    return status;
}
