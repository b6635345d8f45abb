/*
 * The members of one event of the Chrome format.
 *
 * The reader has checked the whole event, so this walks sound JSON: from mark to mark where the
 * marks of the check are still there, which is nearly always, else through the text once more.
 * Texts and numbers are taken eight bytes at a time, because loops over bytes end where no CPU
 * guesses them to; TCH_JSON_SPARE bytes behind the window may be read for that.
 */
#include "chrome_member.h"

#include <endian.h>
#include <math.h>

#include "base/error.h"
#include "base/number.h"

static uint64_t load8(const char *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof word);
    return le64toh(word);
}

/* The first len (0 to 8) bytes at p as a number, the first as the lowest. */
static uint64_t word_of(const char *p, size_t len)
{
    return len >= 8 ? load8(p) : load8(p) & ((UINT64_C(1) << 8 * len) - 1);
}

/* Numbers. */

/* The value of 1 to 8 decimal digits; false: there is something else among them. */
static inline bool few_digits(const char *p, size_t len, uint64_t *ret)
{
    const uint64_t zeros = 0x3030303030303030u, high = 0xF0F0F0F0F0F0F0F0u;
    uint64_t v = load8(p) << 8 * (8 - len) | zeros >> 8 * (len - 1) >> 8;

    if ((v & high) != zeros || ((v + 0x0606060606060606u) & high) != zeros)
        return false;
    v -= zeros;
    v = v * 10 + (v >> 8); /* pairs, then four, then eight */
    v = ((v & 0x000000FF000000FFu) * 0x000F424000000064u +
         (v >> 16 & 0x000000FF000000FFu) * 0x0000271000000001u) >>
        32;
    *ret = v & 0xFFFFFFFFu;
    return true;
}

/* Up to 16 digits. */
static bool digits(const char *p, size_t len, uint64_t *ret)
{
    uint64_t first;

    if (len <= 8)
        return len > 0 && few_digits(p, len, ret);
    if (len > 16 || !few_digits(p, len - 8, &first) || !few_digits(p + len - 8, 8, ret))
        return false;
    *ret += first * 100000000;
    return true;
}

/* Where the point is in a number, or len. */
static size_t whole_digits(const char *p, size_t len)
{
    const uint64_t ones = 0x0101010101010101u;
    uint64_t points = load8(p) ^ ones * '.';
    size_t at = 8;

    points = (points - ones) & ~points & ones << 7;
    if (points != 0)
        at = (size_t)__builtin_ctzll(points) / 8;
    else
        while (at < len && p[at] != '.')
            at++;
    return at < len ? at : len;
}

/* A number that is negative, long, or has an exponent or more digits than nanoseconds. */
static bool rare_us(const char *text, size_t len, int64_t *ret)
{
    double us;

    if (tch_parse_f64_n(text, len, &us) < 0)
        return false;
    us = round(us * 1000);
    if (!(us > -9.2e18 && us < 9.2e18))
        return false;
    *ret = (int64_t)us;
    return true;
}

/* Microseconds as written to nanoseconds, rounded; false: neither a number nor a text of one. */
static bool read_us(const struct tch_json_value *v, int64_t *ret)
{
    static const unsigned scale[] = {0, 100, 10, 1};
    size_t whole, behind;
    uint64_t us, ns = 0;

    if (v->type != TCH_JSON_NUMBER && v->type != TCH_JSON_STRING)
        return false;
    whole = whole_digits(v->text, v->len);
    behind = v->len > whole ? v->len - whole - 1 : 0;
    if (whole > 15 || behind > 3 || !digits(v->text, whole, &us) ||
        (behind > 0 && !few_digits(v->text + whole + 1, behind, &ns)) ||
        (behind == 0 && whole < v->len))
        return rare_us(v->text, v->len, ret);
    *ret = (int64_t)(us * 1000 + ns * scale[behind]);
    return true;
}

/* Texts. */

static int no_memory(struct tch_chrome_reader *c)
{
    return tch_fail(c->r->err, TACHO_ENOMEM, 0, "out of memory to read a trace");
}

static int add_text(struct tch_chrome_reader *c, const char *text, size_t len, uint32_t *ret)
{
    *ret = tch_texts_add(&c->r->m->texts, text, len);
    return *ret == TCH_NO_TEXT ? no_memory(c) : 0;
}

int tch_chrome_intern(struct tch_chrome_reader *c, const struct tch_json_value *v, uint32_t *ret)
{
    struct tch_chrome_text text, *known;

    if (v->escaped) {
        tch_buf_clear(&c->text);
        tch_json_unescape(v, &c->text);
        return c->text.failed ? no_memory(c) : add_text(c, c->text.data, c->text.len, ret);
    }
    if (v->len > 16)
        return add_text(c, v->text, v->len, ret);
    text.head = word_of(v->text, v->len);
    text.tail = word_of(v->text + 8, v->len > 8 ? v->len - 8 : 0);
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

static uint64_t hash_text(const char *text, size_t len)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return hash;
}

/* What belongs together: a number, a hexadecimal text, or any other text by its hash. */
static uint64_t id_of(const struct tch_json_value *v)
{
    uint64_t id;

    if (tch_parse_hex_n(v->text, v->len, &id) == 0 ||
        tch_parse_u64_n(v->text, v->len, UINT64_MAX, &id) == 0)
        return id;
    return hash_text(v->text, v->len);
}

/* A pid or tid. */
static int read_id(struct tch_chrome_reader *c, const struct tch_json_value *v, uint64_t *number,
                   uint32_t *text)
{
    if (v->type == TCH_JSON_STRING)
        return tch_chrome_intern(c, v, text);
    if (v->type == TCH_JSON_NUMBER && !digits(v->text, v->len, number) &&
        tch_parse_u64_n(v->text, v->len, UINT64_MAX, number) < 0)
        *number = (uint64_t)(int64_t)fmax(-9.2e18, fmin(9.2e18, tch_json_to_f64(v)));
    return 0;
}

static enum tch_json_type scalar_type(char first)
{
    return first == 't'   ? TCH_JSON_TRUE
           : first == 'f' ? TCH_JSON_FALSE
           : first == 'n' ? TCH_JSON_NULL
                          : TCH_JSON_NUMBER;
}

/* Through the text. */

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')
        p++;
    return p;
}

/* The closing quote of the string whose first byte is at p. */
static const char *string_end(const char *p, bool *escaped)
{
    for (; *p != '"'; p++)
        if (*p == '\\') {
            *escaped = true;
            p++;
        }
    return p;
}

/* The byte behind the array or object that begins at p. */
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

/* The value at p; the text of a string is without its quotes. Returns the byte behind it. */
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
        v->type = scalar_type(*p);
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

/* {"local": "0x1"} or {"global": "0x1"}. */
static void read_id2(struct tch_chrome_reader *c, const struct tch_json_value *object)
{
    struct tch_json_value key, v;
    const char *p = object->text + 1;

    if (object->type != TCH_JSON_OBJECT)
        return;
    while ((p = tch_chrome_next_member(p, &key, &v))) {
        c->ev.id = id_of(&v);
        c->has_id = true;
    }
}

/* Members. Their keys, none longer than eight bytes, as word_of() gives them: */

#define WORD4(a, b, c, d) \
    ((uint64_t)(a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16 | (uint64_t)(d) << 24)
#define WORD8(a, b, c, d, e, f, g, h) (WORD4(a, b, c, d) | WORD4(e, f, g, h) << 32)

/* The members that only some events have. */
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

static int take_member(struct tch_chrome_reader *c, uint64_t key, const struct tch_json_value *v)
{
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
        c->has_ts = read_us(v, &c->ev.ts);
        return 0;
    case WORD4('d', 'u', 'r', 0):
        c->has_dur = read_us(v, &c->ev.dur);
        return 0;
    case WORD4('p', 'i', 'd', 0):
        return read_id(c, v, &c->pid, &c->pid_text);
    case WORD4('t', 'i', 'd', 0):
        return read_id(c, v, &c->tid, &c->tid_text);
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

static int through_text(struct tch_chrome_reader *c, const char *p)
{
    struct tch_json_value key, v;
    int status = 0;

    for (p++; status == 0 && (p = tch_chrome_next_member(p, &key, &v));)
        if (key.len <= 8)
            status = take_member(c, word_of(key.text, key.len), &v);
    return status;
}

/* From mark to mark. */

/* The value whose first mark is at m, as read_value() has it. Returns the mark behind it. */
static inline const uint16_t *value_at(const char *base, const uint16_t *m,
                                       struct tch_json_value *v)
{
    const char *p = base + *m, *end;
    int depth = 0;

    v->escaped = false;
    if (*p == '"') {
        for (m++; base[*m] != '"'; m++)
            v->escaped |= base[*m] == '\\';
        v->type = TCH_JSON_STRING;
        v->text = p + 1;
        v->len = (size_t)(base + *m - v->text);
        return m + 1;
    }
    v->text = p;
    if (*p == '{' || *p == '[') {
        v->type = *p == '{' ? TCH_JSON_OBJECT : TCH_JSON_ARRAY;
        do
            depth += (base[*m] == '{') + (base[*m] == '[') - (base[*m] == '}') - (base[*m] == ']');
        while (m++, depth > 0);
        v->len = (size_t)(base + m[-1] + 1 - p);
        return m;
    }
    for (end = base + *++m; (unsigned char)end[-1] <= ' ';)
        end--;
    v->type = scalar_type(*p);
    v->len = (size_t)(end - p);
    return m;
}

static int through_marks(struct tch_chrome_reader *c, const char *base, const uint16_t *m)
{
    struct tch_json_value key, v;
    int status = 0;

    if (base[*++m] == '}')
        return 0;
    for (;; m++) {
        m = value_at(base, m, &key);
        m = value_at(base, m + 1, &v);
        if (key.len <= 8)
            status = take_member(c, word_of(key.text, key.len), &v);
        if (status != 0 || base[*m] == '}')
            return status;
    }
}

int tch_chrome_read_members(struct tch_chrome_reader *c, const char *text)
{
    const char *base;
    const uint16_t *marks = tch_json_raw_marks(&c->json, &base);

    c->pid = c->tid = c->bind_id = 0;
    c->pid_text = c->tid_text = 0;
    c->phase = 0;
    c->has_ts = c->has_dur = c->has_name = c->has_args = c->has_id = false;
    c->flow_in = c->flow_out = false;
    return marks ? through_marks(c, base, marks) : through_text(c, text);
}
