/*
 * Reads the members of one event of the Chrome format.
 *
 * Nearly all events are plain and lie completely within the part that the JSON reader has marked.
 * These are checked and read in one pass over their marks (base/json_scan.h). All others are
 * checked by the JSON reader first, and then this file walks over valid JSON.
 */

#include "chrome_read_member.h"

#include <math.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/json_plain.h"
#include "base/number.h"
#include "base/utf8.h"
#include "chrome_read_number.h"

/* Texts. */

static int add_text(struct tch_chrome_reader *c, const char *text, size_t len, uint32_t *ret)
{
    *ret = tch_intern_add(&c->r->m->texts, text, len);
    return *ret == TCH_INTERN_NONE ? tch_fail_memory(c->r->err) : 0;
}

int tch_chrome_intern(struct tch_chrome_reader *c, const struct tch_json_value *v, uint32_t *ret)
{
    struct tch_chrome_text text, *known;

    if (v->escaped) {
        tch_buf_clear(&c->text);
        tch_json_unescape(v, &c->text);
        return c->text.failed ? tch_fail_memory(c->r->err)
                              : add_text(c, c->text.data, c->text.len, ret);
    }
    if (v->len > 16)
        return add_text(c, v->text, v->len, ret);
    text.head = tch_chrome_word(v->text, v->len);
    text.tail = tch_chrome_word(v->text + 8, v->len > 8 ? v->len - 8 : 0);
    known = &c->known[(text.head ^ text.tail * 3) * UINT64_C(0x9E3779B97F4A7C15) >>
                      (64 - TCH_CHROME_KNOWN_BITS)];
    if (known->head != text.head || known->tail != text.tail || known->len != v->len) {
        int status = add_text(c, v->text, v->len, &text.number);

        if (status < 0)
            return status;
        text.len = (uint32_t)v->len;
        *known = text;
    }
    *ret = known->number;
    return 0;
}

/* Ids. */

/* Returns the id that connects events: a number, a hexadecimal text, or the hash of any other
   text. */
static uint64_t id_of(const struct tch_json_value *v)
{
    uint64_t id;

    if (tch_parse_hex_n(v->text, v->len, &id) == 0 ||
        tch_parse_u64_n(v->text, v->len, UINT64_MAX, &id) == 0)
        return id;
    return tch_hash(v->text, v->len);
}

/* Reads a pid or tid. */
static int read_id(struct tch_chrome_reader *c, const struct tch_chrome_value *value,
                   uint64_t *number, uint32_t *text)
{
    const struct tch_json_value *v = &value->json;

    if (v->type == TCH_JSON_STRING)
        return tch_chrome_intern(c, v, text);
    if (v->type != TCH_JSON_NUMBER)
        return 0;
    if (value->whole == v->len)
        *number = tch_chrome_digits(v->text, v->len);
    else if (tch_parse_u64_n(v->text, v->len, UINT64_MAX, number) < 0)
        *number = (uint64_t)(int64_t)fmax(-9.2e18, fmin(9.2e18, tch_json_to_f64(v)));
    return 0;
}

/* Walking over valid JSON. */

static const char *skip_blanks(const char *p)
{
    while (tch_is_blank(*p))
        p++;
    return p;
}

/* Returns the closing quote of the string whose first byte is at p. */
static const char *string_end(const char *p, bool *escaped)
{
    for (; *p != '"'; p++)
        if (*p == '\\') {
            *escaped = true;
            p++;
        }
    return p;
}

/* Returns the byte after the array or object that begins at p. */
static const char *container_end(const char *p)
{
    unsigned depth = 0;
    bool unused;

    for (;; p++) {
        if (*p == '"')
            p = string_end(p + 1, &unused);
        else if (*p == '{' || *p == '[')
            depth++;
        else if ((*p == '}' || *p == ']') && --depth == 0)
            return p + 1;
    }
}

/* Reads the value at p; the text of a string excludes its quotes. Returns the byte after the
   value. */
static const char *read_value(const char *p, struct tch_json_value *v)
{
    const char *start = p;

    v->escaped = false;
    switch (*p) {
    case '"':
        v->type = TCH_JSON_STRING;
        p = string_end(++start, &v->escaped);
        v->text = start;
        v->len = (size_t)(p - start);
        return p + 1;
    case '{':
    case '[':
        v->type = *p == '{' ? TCH_JSON_OBJECT : TCH_JSON_ARRAY;
        p = container_end(p);
        break;
    default:
        v->type = tch_json_scalar_type(*p);
        while (*p != ',' && *p != '}' && *p != ']' && *p > ' ')
            p++;
    }
    v->text = start;
    v->len = (size_t)(p - start);
    return p;
}

const char *tch_chrome_next_member(const char *p, struct tch_json_value *key,
                                   struct tch_json_value *v)
{
    p = skip_blanks(p);
    if (*p == ',')
        p = skip_blanks(p + 1);
    if (*p == '}')
        return NULL;
    p = skip_blanks(read_value(p, key));
    return read_value(skip_blanks(p + 1), v);
}

/* Reads {"local": "0x1"} or {"global": "0x1"}. */
static void read_id2(struct tch_chrome_reader *c, const struct tch_json_value *object)
{
    struct tch_json_value key, v;
    const char *p = object->text + 1;

    if (object->type != TCH_JSON_OBJECT)
        return;
    while ((p = tch_chrome_next_member(p, &key, &v))) {
        c->ev.id = id_of(&v);
        c->has_id = true;
        if (key.len == 5 && memcmp(key.text, "local", 5) == 0)
            c->ev.flags |= TCH_EV_LOCAL;
    }
}

/* Members. Their keys have at most eight bytes and are compared as numbers from
   tch_chrome_word(): */

#define WORD4(a, b, c, d) \
    ((uint64_t)(a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16 | (uint64_t)(d) << 24)
#define WORD8(a, b, c, d, e, f, g, h) (WORD4(a, b, c, d) | WORD4(e, f, g, h) << 32)

/* Reads the members that only some events have. */
static void rare_member(struct tch_chrome_reader *c, uint64_t key, const struct tch_json_value *v)
{
    switch (key) {
    case WORD4('i', 'd', '2', 0):
        read_id2(c, v);
        break;
    case WORD4('i', 'd', 0, 0):
        c->ev.id = id_of(v);
        c->has_id = v->type == TCH_JSON_STRING || v->type == TCH_JSON_NUMBER;
        break;
    case WORD8('b', 'i', 'n', 'd', '_', 'i', 'd', 0):
        c->bind_id = id_of(v);
        break;
    case WORD4('b', 'p', 0, 0):
        c->ev.flags = v->len == 1 && v->text[0] == 'e' ? TCH_EV_ENCLOSING : 0;
        break;
    case WORD4('s', 0, 0, 0):
        c->ev.scope = v->len == 1 && strchr("pg", v->text[0]) ? v->text[0] : 't';
        break;
    case WORD8('s', 'c', 'o', 'p', 'e', 0, 0, 0):
        c->id_scope = v->type == TCH_JSON_STRING && v->len > 0 ? tch_hash(v->text, v->len) : 0;
        break;
    case WORD8('f', 'l', 'o', 'w', '_', 'i', 'n', 0):
        c->flow_in = v->type == TCH_JSON_TRUE;
        break;
    case WORD8('f', 'l', 'o', 'w', '_', 'o', 'u', 't'):
        c->flow_out = v->type == TCH_JSON_TRUE;
        break;
    default:
        break;
    }
}

static inline int read_member(struct tch_chrome_reader *c, uint64_t key,
                              const struct tch_chrome_value *value)
{
    const struct tch_json_value *v = &value->json;

    switch (key) {
    case WORD4('n', 'a', 'm', 'e'):
        c->has_name = v->type == TCH_JSON_STRING;
        return c->has_name ? tch_chrome_intern(c, v, &c->ev.name) : 0;
    case WORD4('c', 'a', 't', 0):
        return v->type == TCH_JSON_STRING ? tch_chrome_intern(c, v, &c->ev.category) : 0;
    case WORD4('p', 'h', 0, 0):
        c->phase = v->type == TCH_JSON_STRING && v->len == 1 ? v->text[0] : '?';
        return 0;
    case WORD4('t', 's', 0, 0):
        c->has_ts = tch_chrome_us(value, &c->ev.ts);
        return 0;
    case WORD4('d', 'u', 'r', 0):
        c->has_dur = tch_chrome_us(value, &c->ev.dur);
        return 0;
    case WORD4('p', 'i', 'd', 0):
        return read_id(c, value, &c->pid, &c->pid_text);
    case WORD4('t', 'i', 'd', 0):
        return read_id(c, value, &c->tid, &c->tid_text);
    case WORD4('a', 'r', 'g', 's'):
        c->has_args = v->type == TCH_JSON_OBJECT;
        c->args = v->text;
        c->args_len = v->len;
        return 0;
    default:
        rare_member(c, key, v);
        return 0;
    }
}

/* Reads a member whose key has escapes. No known tool writes such keys, but they are valid JSON. */
static int read_escaped(struct tch_chrome_reader *c, const struct tch_json_value *key,
                        const struct tch_chrome_value *v)
{
    char bytes[8] = {0};

    tch_buf_clear(&c->text);
    tch_json_unescape(key, &c->text);
    if (c->text.failed)
        return tch_fail_memory(c->r->err);
    if (c->text.len > sizeof bytes)
        return 0;
    memcpy(bytes, c->text.data, c->text.len);
    return read_member(c, tch_chrome_word(bytes, sizeof bytes), v);
}

static int through_text(struct tch_chrome_reader *c, const char *p)
{
    struct tch_json_value key;
    struct tch_chrome_value v = {.whole = 0};
    int status = 0;

    for (p++; status == 0 && (p = tch_chrome_next_member(p, &key, &v.json));)
        if (key.escaped)
            status = read_escaped(c, &key, &v);
        else if (key.len <= 8)
            status = read_member(c, tch_chrome_word(key.text, key.len), &v);
    return status;
}

/* Reading plain events by their marks. */

/* Reads the event that begins at m. Returns the mark after it, or NULL if the JSON reader must
   check the event. */
static const uint16_t *through_marks(struct tch_chrome_reader *c,
                                     const struct tch_json_marks *marks, const uint16_t *m,
                                     int *status)
{
    const char *base = marks->base;
    struct tch_chrome_value v;

    if (m == marks->last || base[*m] != '{')
        return NULL;
    do {
        const char *key;
        size_t len;

        if (!tch_json_is_plain_key(marks, ++m))
            return NULL;
        key = base + m[0] + 1;
        len = (size_t)(base + m[1] - key);
        m = tch_json_plain_value(marks, m + 3, &v.json, &v.whole, TCH_JSON_PLAIN_DEPTH);
        if (!m)
            return NULL;
        if (len <= 8)
            *status = read_member(c, tch_chrome_word(key, len), &v);
    } while (*status == 0 && base[*m] == ',');
    return *status == 0 && base[*m] != '}' ? NULL : m + 1;
}

static void forget(struct tch_chrome_reader *c)
{
    c->ev = (struct tch_ev){.scope = 't'};
    c->pid = c->tid = c->bind_id = c->id_scope = 0;
    c->pid_text = c->tid_text = 0;
    c->phase = 0;
    c->has_ts = c->has_dur = c->has_name = c->has_args = c->has_id = false;
    c->flow_in = c->flow_out = false;
}

int tch_chrome_read_members(struct tch_chrome_reader *c, struct tch_json_value *event)
{
    struct tch_json_marks marks;
    const uint16_t *behind, *next;
    int status = 0;

    forget(c);
    next = tch_json_marks(&c->json, &marks);
    behind = through_marks(c, &marks, next, &status);
    if (behind) {
        event->type = TCH_JSON_OBJECT;
        event->text = marks.base + *next;
        tch_json_took(&c->json, behind);
        return status;
    }
    forget(c);
    status = tch_json_read_raw(&c->json, event);
    return status != 0 || event->type != TCH_JSON_OBJECT ? status : through_text(c, event->text);
}
