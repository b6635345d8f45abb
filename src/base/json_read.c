/*
 * The JSON reader's second pass: walks from mark to mark (json_scan.h) and checks the grammar.
 * json_value.c converts the text of values.
 */
#include "json_read.h"

#include <math.h>
#include <stdarg.h>

#include "fail.h"
#include "json_lex.h"
#include "utf8.h"

/*
 * The compiler finds pass() too large to inline the functions it loops over, which costs a fifth of
 * its speed.
 */
#define ALWAYS_INLINE inline __attribute__((always_inline))

void tch_json_open(struct tch_json_reader *r, const char *data, size_t len, tacho_error *err)
{
    static tch_json_scan_fn *best; /* every thread finds the same one */
    tch_json_scan_fn *scanner = __atomic_load_n(&best, __ATOMIC_RELAXED);

    if (!scanner) {
        scanner = tch_json_scan_best();
        __atomic_store_n(&best, scanner, __ATOMIC_RELAXED);
    }
    if (!data) /* an empty buffer may have no memory */
        data = "";
    r->err = err;
    r->status = 0;
    r->max_depth = TCH_JSON_DEPTH;
    r->finite = false;
    r->data = r->scanned = r->checked = r->batch = data;
    r->end = data + len;
    r->hold = NULL;
    r->next = r->last = r->marks;
    r->depth = 0;
    r->closing[0] = '\0';
    r->fresh = false;
    r->scan = (struct tch_json_scan){0};
    r->scanner = scanner;
    r->source = NULL;
    r->ended = true;
    r->before = r->lines = r->line_start = 0;
}

static int fail(struct tch_json_reader *r, const char *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4), cold, noinline));

/* Fails at a place; NULL is the end of the document. The first failure is kept. */
static int fail(struct tch_json_reader *r, const char *at, const char *fmt, ...)
{
    char message[sizeof((tacho_error *)NULL)->message];
    va_list args;

    if (r->status < 0)
        return r->status;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    r->status = tch_fail(r->err, TACHO_EPARSE, 0, "%s", message);
    if (r->err)
        tch_json_locate(r, at ? at : r->end, r->err);
    return r->status;
}

static int found_instead(struct tch_json_reader *r, const char *at, const char *wanted)
{
    unsigned char c = at ? (unsigned char)*at : 0;

    if (!at)
        return fail(r, NULL, "expected %s, found the end of the text", wanted);
    if (c > 0x20 && c < 0x7F)
        return fail(r, at, "expected %s, found '%c'", wanted, c);
    return fail(r, at, "expected %s, found byte 0x%02x", wanted, c);
}

/* Marks more of the text. Returns false at its end, and on failure. */
static bool scan_more(struct tch_json_reader *r)
{
    for (;;) {
        size_t usable = r->source ? tch_json_usable_stream(r) : (size_t)(r->end - r->scanned);
        size_t blocks = usable / TCH_JSON_BLOCK;
        size_t count = 0;

        if (usable == 0)
            return false;
        if (blocks > TCH_JSON_BATCH / TCH_JSON_BLOCK)
            blocks = TCH_JSON_BATCH / TCH_JSON_BLOCK;
        r->batch = r->scanned;
        if (blocks > 0) {
            count = r->scanner(&r->scan, r->scanned, blocks, 0, r->marks);
            r->scanned += blocks * TCH_JSON_BLOCK;
            usable -= blocks * TCH_JSON_BLOCK;
        }
        if (usable > 0 && usable < TCH_JSON_BLOCK && blocks < TCH_JSON_BATCH / TCH_JSON_BLOCK) {
            char rest[TCH_JSON_BLOCK];

            memset(rest, ' ', sizeof rest);
            memcpy(rest, r->scanned, usable);
            count +=
                r->scanner(&r->scan, rest, 1, (unsigned)(r->scanned - r->batch), r->marks + count);
            r->scanned += usable;
        }
        r->next = r->marks;
        r->last = r->marks + count;
        if (count > 0)
            return true;
    }
}

/* Returns the next mark without taking it; NULL at the end. */
static inline const char *peek_mark(struct tch_json_reader *r)
{
    if (r->next == r->last && !scan_more(r))
        return NULL;
    return r->batch + *r->next;
}

static inline const char *next_mark(struct tch_json_reader *r)
{
    const char *mark = peek_mark(r);

    if (mark)
        r->next++;
    return mark;
}

/* --- scalars --- */

/* Returns whether a number is too large for a double. Such a number has an exponent of three digits
   or is very long. */
static bool past_every_double(const char *p, const char *end)
{
    struct tch_json_value number = {.text = p, .len = (size_t)(end - p)};

    if (number.len < 5 || !tch_json_is_digit(end[-2]) || !tch_json_is_digit(end[-3]))
        return false;
    if (number.len < 100 && !memchr(p, 'e', number.len) && !memchr(p, 'E', number.len))
        return false;
    return isinf(tch_json_to_f64(&number));
}

/* Skips the number at *start, which a stream may move while it searches for the end. */
static const char *pass_number(struct tch_json_reader *r, const char **start)
{
    const char *p = *start;
    bool ok;

    /* Usually the number extends to the next mark. */
    if (r->next < r->last && r->end - p >= 16) {
        size_t len = (size_t)(r->batch + *r->next - p);

        if (len <= 16 && tch_json_short_number(p, len) > 0)
            return p + len;
    }
    ok = tch_json_number(&p, r->end);

    /* At the end of the window it is not known yet whether the number continues. */
    while (p == r->end && !r->ended) {
        if (!tch_json_refill(r, start))
            return NULL;
        p = *start;
        ok = tch_json_number(&p, r->end);
    }
    if (ok && !(r->finite && past_every_double(*start, p)))
        return p;
    if (ok)
        fail(r, *start, "number is out of range");
    else
        fail(r, p < r->end ? p : NULL, "malformed number");
    return NULL;
}

static const char *pass_literal(struct tch_json_reader *r, const char *p)
{
    const char *word = *p == 't' ? "true" : *p == 'f' ? "false" : "null";
    size_t len = strlen(word);

    if ((size_t)(r->end - p) < len || memcmp(p, word, len) != 0 ||
        (p + len < r->end && !tch_json_ends_word(p[len]))) {
        found_instead(r, p, "a value");
        return NULL;
    }
    return p + len;
}

/* --- strings --- */

/* Checks the escape whose backslash is at p. A surrogate pair takes the mark of the second one,
   too. */
static bool check_escape(struct tch_json_reader *r, const char *p)
{
    size_t left = (size_t)(r->end - p);
    int unit;

    if (left < 2 || !memchr("\"\\/bfnrtu", p[1], 9)) {
        fail(r, p, "unknown escape in a string");
        return false;
    }
    if (p[1] != 'u')
        return true;
    unit = left >= 6 ? tch_json_hex4(p + 2) : -1;
    if (unit < 0) {
        fail(r, p, "\\u needs four hexadecimal digits");
        return false;
    }
    if (unit < 0xD800 || unit > 0xDFFF)
        return true;
    if (unit <= 0xDBFF && left >= 12 && p[6] == '\\' && p[7] == 'u') {
        int low = tch_json_hex4(p + 8);

        if (low >= 0xDC00 && low <= 0xDFFF)
            return next_mark(r) != NULL;
    }
    fail(r, p, "half of a surrogate pair in a string");
    return false;
}

/* Checks a mark inside a string. What it starts is checked as far as the text is marked. */
static bool check_special(struct tch_json_reader *r, const char *p)
{
    unsigned char c = (unsigned char)*p;

    if (c == '\\')
        return check_escape(r, p);
    if (c < 0x20) {
        fail(r, p, "control byte 0x%02x in a string: it must be escaped", c);
        return false;
    }
    if (r->checked > p)
        p = r->checked;
    while (p < r->scanned && (unsigned char)*p >= 0x80) {
        size_t step = tch_utf8_step(p, (size_t)(r->end - p));

        if (step == 0) {
            fail(r, p, "invalid UTF-8 in a string (byte 0x%02x)", (unsigned char)*p);
            return false;
        }
        p += step;
    }
    r->checked = p;
    return true;
}

/* Skips from the mark after an opening quote to the closing quote. The rare part of
   pass_string(). */
static const char *pass_specials(struct tch_json_reader *r, const char *open, const char *mark)
{
    while (mark && *mark != '"') {
        if (!check_special(r, mark))
            return NULL;
        mark = next_mark(r);
    }
    if (!mark)
        fail(r, r->source ? NULL : open, "string is not closed");
    return mark;
}

/* Returns the closing quote of the string whose opening quote at p has been taken. */
static inline const char *pass_string(struct tch_json_reader *r, const char *p)
{
    const char *mark = next_mark(r);

    return mark && *mark == '"' ? mark : pass_specials(r, p, mark);
}

/* --- nesting --- */

static inline char closing(const struct tch_json_reader *r)
{
    return r->closing[r->depth];
}

static inline bool in_object(const struct tch_json_reader *r)
{
    return closing(r) == '}';
}

static inline bool enter(struct tch_json_reader *r, const char *p)
{
    if (r->depth >= r->max_depth) {
        fail(r, p, "nested deeper than %u levels", r->max_depth);
        return false;
    }
    r->closing[++r->depth] = *p == '{' ? '}' : ']';
    return true;
}

/* Skips a scalar at its first mark, which has been taken and is not a bracket. Returns the byte
   after it. */
static ALWAYS_INLINE const char *pass_scalar(struct tch_json_reader *r, const char *p)
{
    const char *close;

    switch (p ? *p : '\0') {
    case '"':
        close = pass_string(r, p);
        return close ? close + 1 : NULL;
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        return pass_number(r, &p);
    case 't':
    case 'f':
    case 'n':
        return pass_literal(r, p);
    default:
        found_instead(r, p, "a value");
        return NULL;
    }
}

static bool expect_colon(struct tch_json_reader *r)
{
    const char *p = next_mark(r);

    if (p && *p == ':')
        return true;
    found_instead(r, p, "':'");
    return false;
}

static const char *expect_key(struct tch_json_reader *r)
{
    const char *p = next_mark(r);

    if (p && *p == '"')
        return p;
    found_instead(r, p, "a key in quotes");
    return NULL;
}

static ALWAYS_INLINE bool pass_key(struct tch_json_reader *r)
{
    const uint16_t *m = r->next;
    const char *p;

    /* The usual case: two quotes and a colon, all three in this batch. */
    if (r->last - m >= 3 && r->batch[m[0]] == '"' && r->batch[m[1]] == '"' &&
        r->batch[m[2]] == ':') {
        r->next = m + 3;
        return true;
    }
    p = expect_key(r);
    return p && pass_string(r, p) && expect_colon(r);
}

static int found_no_end(struct tch_json_reader *r, const char *p)
{
    return found_instead(r, p, in_object(r) ? "',' or '}'" : "',' or ']'");
}

/* Skips a value, or the part of a container that leads to its first scalar. */
static ALWAYS_INLINE const char *pass_start(struct tch_json_reader *r)
{
    for (;;) {
        const char *p = next_mark(r);

        if (!p || (*p != '{' && *p != '['))
            return pass_scalar(r, p);
        if (!enter(r, p))
            return NULL;
        p = peek_mark(r);
        if (p && *p == closing(r)) {
            r->next++;
            r->depth--;
            return p + 1;
        }
        if (in_object(r) && !pass_key(r))
            return NULL;
    }
}

/* Skips a value, whatever it contains, and returns the byte after it. */
static const char *pass(struct tch_json_reader *r)
{
    unsigned floor = r->depth;
    const char *p = pass_start(r);

    while (p && r->depth > floor) {
        p = next_mark(r);
        if (p && *p == ',') {
            p = in_object(r) && !pass_key(r) ? NULL : pass_start(r);
        } else if (p && *p == closing(r)) {
            r->depth--;
            p++;
        } else {
            found_no_end(r, p);
            return NULL;
        }
    }
    return p;
}

/* --- the calls --- */

int tch_json_skip(struct tch_json_reader *r)
{
    if (r->status < 0)
        return r->status;
    r->fresh = false;
    return pass(r) ? 0 : r->status;
}

static enum tch_json_type type_of(char first)
{
    switch (first) {
    case '{':
        return TCH_JSON_OBJECT;
    case '[':
        return TCH_JSON_ARRAY;
    case '"':
        return TCH_JSON_STRING;
    case 't':
        return TCH_JSON_TRUE;
    case 'f':
        return TCH_JSON_FALSE;
    case 'n':
        return TCH_JSON_NULL;
    default:
        return TCH_JSON_NUMBER;
    }
}

int tch_json_read_raw(struct tch_json_reader *r, struct tch_json_value *ret)
{
    const char *p;

    if (r->status < 0)
        return r->status;
    r->fresh = false;
    r->hold = peek_mark(r);
    p = pass(r);
    if (p)
        *ret = (struct tch_json_value){
            .type = type_of(*r->hold), .text = r->hold, .len = (size_t)(p - r->hold)};
    r->hold = NULL;
    return p ? 0 : r->status;
}

/* Reads the string whose opening quote at p has been taken. */
static int read_string(struct tch_json_reader *r, const char *p, struct tch_json_value *ret)
{
    const char *mark;

    r->hold = p + 1;
    mark = next_mark(r);
    *ret = (struct tch_json_value){.type = TCH_JSON_STRING, .escaped = mark && *mark != '"'};
    if (!mark || *mark != '"')
        mark = pass_specials(r, p, mark);
    if (mark) {
        ret->text = r->hold;
        ret->len = (size_t)(mark - r->hold);
        ret->escaped = ret->escaped && memchr(ret->text, '\\', ret->len);
    }
    r->hold = NULL;
    return mark ? 0 : r->status;
}

int tch_json_read(struct tch_json_reader *r, struct tch_json_value *ret)
{
    const char *p;
    const char *end;

    if (r->status < 0)
        return r->status;
    r->fresh = false;
    p = next_mark(r);
    if (p && *p == '"')
        return read_string(r, p, ret);
    if (p && (*p == '{' || *p == '[')) {
        if (!enter(r, p))
            return r->status;
        r->fresh = true;
        *ret = (struct tch_json_value){.type = type_of(*p), .text = p, .len = 1};
        return 0;
    }
    r->hold = p;
    end = pass_scalar(r, p);
    if (end)
        *ret = (struct tch_json_value){
            .type = type_of(*r->hold), .text = r->hold, .len = (size_t)(end - r->hold)};
    r->hold = NULL;
    return end ? 0 : r->status;
}

/* In a container: returns 1 when another item follows, and takes the comma before it; 0 when the
   container has ended, and leaves it. */
static int comes_next(struct tch_json_reader *r, bool object)
{
    const char *p;

    if (r->status < 0)
        return r->status;
    if (r->depth == 0 || in_object(r) != object)
        return r->status = tch_fail(r->err, TACHO_EINVAL, 0, "the reader is not in %s",
                                    object ? "an object" : "an array");
    p = peek_mark(r);
    if (p && *p == closing(r)) {
        r->next++;
        r->depth--;
        r->fresh = false;
        return 0;
    }
    if (!r->fresh) {
        if (!p || *p != ',')
            return found_no_end(r, p);
        r->next++;
    }
    r->fresh = false;
    return 1;
}

int tch_json_element(struct tch_json_reader *r)
{
    return comes_next(r, false);
}

int tch_json_member(struct tch_json_reader *r, struct tch_json_value *key)
{
    int more = comes_next(r, true);
    const char *p;

    if (more <= 0)
        return more;
    p = expect_key(r);
    if (!p || read_string(r, p, key) < 0)
        return r->status;
    /* The colon may be beyond the end of the window, but the key must stay where it is. */
    r->hold = key->text;
    if (!expect_colon(r))
        return r->status;
    key->text = r->hold;
    r->hold = NULL;
    return 1;
}

int tch_json_leave(struct tch_json_reader *r)
{
    bool object = in_object(r);
    struct tch_json_value key;
    int more;

    do
        more = object ? tch_json_member(r, &key) : tch_json_element(r);
    while (more > 0 && tch_json_skip(r) == 0);
    return r->status;
}

int tch_json_finish(struct tch_json_reader *r)
{
    const char *p;

    if (r->status < 0)
        return r->status;
    if (r->depth > 0)
        return r->status = tch_fail(r->err, TACHO_EINVAL, 0, "the reader is still inside a value");
    p = peek_mark(r);
    if (p)
        return found_instead(r, p, "the end of the text");
    return r->status;
}

int tch_json_check(const char *data, size_t len, tacho_error *err)
{
    struct tch_json_reader r;

    tch_json_open(&r, data, len, err);
    tch_json_skip(&r);
    return tch_json_finish(&r);
}
