/* UTF-8: stepping, checking, writing, cleaning, white space. */
#include "utf8.h"

size_t tch_utf8_step(const char *text, size_t len)
{
    unsigned char a = (unsigned char)text[0];
    unsigned char b = len > 1 ? (unsigned char)text[1] : 0;

    if (a < 0x80)
        return 1;
    if (a < 0xC2)
        return 0; /* a tail, or an overlong form of ASCII */
    if (a < 0xE0)
        return tch_utf8_is_tail((char)b) ? 2 : 0;
    if (a < 0xF0) {
        if (len < 3 || !tch_utf8_is_tail((char)b) || !tch_utf8_is_tail(text[2]))
            return 0;
        if ((a == 0xE0 && b < 0xA0) || (a == 0xED && b >= 0xA0))
            return 0; /* overlong; a surrogate */
        return 3;
    }
    if (a > 0xF4 || len < 4 || !tch_utf8_is_tail((char)b) || !tch_utf8_is_tail(text[2]) ||
        !tch_utf8_is_tail(text[3]))
        return 0;
    if ((a == 0xF0 && b < 0x90) || (a == 0xF4 && b >= 0x90))
        return 0; /* overlong; past U+10FFFF */
    return 4;
}

size_t tch_utf8_valid(const char *text, size_t len)
{
    size_t i = 0;

    while (i < len) {
        uint64_t eight;
        size_t step;

        if (len - i >= sizeof eight) {
            memcpy(&eight, text + i, sizeof eight);
            if ((eight & 0x8080808080808080u) == 0) {
                i += sizeof eight;
                continue;
            }
        }
        step = tch_utf8_step(text + i, len - i);
        if (step == 0)
            break;
        i += step;
    }
    return i;
}

size_t tch_utf8_put(char out[4], uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xC0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xE0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3F));
        out[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3F));
    out[2] = (char)(0x80 | (code >> 6 & 0x3F));
    out[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

size_t tch_utf8_decode(const char *text, size_t len, uint32_t *code)
{
    static const unsigned char lead_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    size_t step = tch_utf8_step(text, len);

    *code = (unsigned char)text[0] & lead_bits[step];
    for (size_t i = 1; i < step; i++)
        *code = *code << 6 | ((unsigned char)text[i] & 0x3F);
    return step;
}

/* XML 1.0 has no way to write most control characters either. */
bool tch_utf8_is_shown(uint32_t code)
{
    if (code < ' ')
        return code == '\t';
    if (code < 0x7F)
        return true;
    if (code < 0xA0)
        return false;
    if ((code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069))
        return false;
    return code != 0x2028 && code != 0x2029 && (code & 0xFFFE) != 0xFFFE;
}

size_t tch_utf8_shown(const char *text, size_t len, uint32_t *code)
{
    size_t step = tch_utf8_decode(text, len, code);

    if (step == 0 || !tch_utf8_is_shown(*code))
        *code = TCH_UTF8_REPLACEMENT;
    return step > 0 ? step : 1;
}

void tch_utf8_add(struct tch_buf *b, const char *text, size_t len)
{
    while (len > 0) {
        size_t valid = tch_utf8_valid(text, len);

        tch_buf_add(b, text, valid);
        if (valid < len) {
            tch_buf_adds(b, TCH_UTF8_REPLACEMENT_TEXT);
            valid++;
        }
        text += valid;
        len -= valid;
    }
}

static bool is_ascii_blank(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_blank2(const unsigned char *p)
{
    return p[0] == 0xC2 && (p[1] == 0x85 || p[1] == 0xA0);
}

static bool is_blank3(const unsigned char *p)
{
    if (p[0] == 0xE1)
        return p[1] == 0x9A && p[2] == 0x80; /* U+1680 */
    if (p[0] == 0xE3)
        return p[1] == 0x80 && p[2] == 0x80; /* U+3000 */
    if (p[0] != 0xE2)
        return false;
    if (p[1] == 0x81)
        return p[2] == 0x9F; /* U+205F */
    /* U+2000 to U+200A, U+2028, U+2029, U+202F */
    return p[1] == 0x80 &&
           ((p[2] >= 0x80 && p[2] <= 0x8A) || p[2] == 0xA8 || p[2] == 0xA9 || p[2] == 0xAF);
}

/* Returns the bytes (1 to 3) of the white space character at the start of text, or 0. */
static size_t blank_at_start(const char *text, size_t len)
{
    const unsigned char *p = (const unsigned char *)text;

    if (len >= 1 && is_ascii_blank(p[0]))
        return 1;
    if (len >= 2 && is_blank2(p))
        return 2;
    return len >= 3 && is_blank3(p) ? 3 : 0;
}

/* Returns the bytes (1 to 3) of the white space character at the end of text, or 0. */
static size_t blank_at_end(const char *text, size_t len)
{
    const unsigned char *p = (const unsigned char *)text + len;

    if (len >= 1 && is_ascii_blank(p[-1]))
        return 1;
    if (len >= 2 && is_blank2(p - 2))
        return 2;
    return len >= 3 && is_blank3(p - 3) ? 3 : 0;
}

size_t tch_utf8_white_space(const char *text, size_t len)
{
    size_t total = 0;
    size_t n;

    while ((n = blank_at_start(text + total, len - total)) > 0)
        total += n;
    return total;
}

void tch_utf8_trim(const char **text, size_t *len)
{
    size_t n;

    if (*len > 0 && tch_utf8_is_graphic(**text) && tch_utf8_is_graphic((*text)[*len - 1]))
        return;
    n = tch_utf8_white_space(*text, *len);
    *text += n;
    *len -= n;
    while ((n = blank_at_end(*text, *len)) > 0)
        *len -= n;
}
