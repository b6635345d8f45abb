/* Converts the text of a JSON value: removes escapes from strings, parses numbers. */
#include "json_read.h"

#include "json_lex.h"
#include "number.h"
#include "utf8.h"

/* Writes the character of the escape at p to out, and its number of bytes to *len. Returns the byte
   after the escape, which the reader has found valid. */
static const char *unescape_one(const char *p, char out[4], size_t *len)
{
    static const char plain[] = {
        ['b'] = '\b', ['f'] = '\f', ['n'] = '\n', ['r'] = '\r', ['t'] = '\t'};
    uint32_t code;

    if (p[1] != 'u') {
        char c = p[1];

        out[0] = c >= 'b' ? plain[(unsigned char)c] : c;
        *len = 1;
        return p + 2;
    }
    code = (uint32_t)tch_json_hex4(p + 2);
    p += 6;
    if (code >= 0xD800 && code < 0xDC00) {
        code = 0x10000 + ((code - 0xD800) << 10) + ((uint32_t)tch_json_hex4(p + 2) - 0xDC00);
        p += 6;
    }
    *len = tch_utf8_put(out, code);
    return p;
}

void tch_json_unescape(const struct tch_json_value *string, struct tch_buf *b)
{
    const char *p = string->text;
    const char *end = p + string->len;

    while (p < end) {
        const char *escape = string->escaped ? memchr(p, '\\', (size_t)(end - p)) : NULL;
        size_t run = (size_t)((escape ? escape : end) - p);
        char out[4];
        size_t len;

        tch_buf_add(b, p, run);
        p += run;
        if (p < end) {
            p = unescape_one(p, out, &len);
            tch_buf_add(b, out, len);
        }
    }
}

bool tch_json_is(const struct tch_json_value *string, const char *text)
{
    const char *p = string->text;
    const char *end = p + string->len;
    size_t left = strlen(text);

    if (!string->escaped)
        return left == string->len && memcmp(p, text, left) == 0;
    while (p < end) {
        char out[4];
        size_t len = 1;

        out[0] = *p;
        p = *p == '\\' ? unescape_one(p, out, &len) : p + 1;
        if (len > left || memcmp(out, text, len) != 0)
            return false;
        text += len;
        left -= len;
    }
    return left == 0;
}

double tch_json_to_f64(const struct tch_json_value *number)
{
    double value = 0;

    /* The reader has found the number valid, so this cannot fail. */
    (void)tch_parse_f64_n(number->text, number->len, &value);
    return value;
}

struct tch_json_number tch_json_to_number(const struct tch_json_value *number)
{
    struct tch_json_number ret = {.kind = TCH_JSON_U64};

    if (tch_parse_u64_n(number->text, number->len, UINT64_MAX, &ret.as.u64) == 0)
        return ret;
    if (tch_parse_i64_n(number->text, number->len, &ret.as.i64) == 0 && ret.as.i64 != 0) {
        ret.kind = TCH_JSON_I64;
        return ret;
    }
    ret.kind = TCH_JSON_F64;
    ret.as.f64 = tch_json_to_f64(number);
    return ret;
}

bool tch_json_find(const char *json, size_t len, const char *key, struct tch_json_value *ret)
{
    struct tch_json_reader r;
    struct tch_json_value value;
    struct tch_json_value name;

    tch_json_open(&r, json, len, NULL);
    if (tch_json_read(&r, &value) < 0 || value.type != TCH_JSON_OBJECT)
        return false;
    while (tch_json_member(&r, &name) > 0) {
        bool found = tch_json_is(&name, key);

        if (tch_json_read_raw(&r, found ? ret : &value) < 0)
            return false;
        if (found)
            return true;
    }
    return false;
}
