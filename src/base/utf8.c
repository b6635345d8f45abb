/* UTF-8: stepping, checking, writing, cleaning. */
#include "utf8.h"

#include <stdbool.h>

static int is_tail(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

size_t tch_utf8_step(const char *text, size_t len)
{
    unsigned char a = (unsigned char)text[0];
    unsigned char b = len > 1 ? (unsigned char)text[1] : 0;

    if (a < 0x80)
        return 1;
    if (a < 0xC2)
        return 0; /* a tail, or an overlong form of ASCII */
    if (a < 0xE0)
        return is_tail((char)b) ? 2 : 0;
    if (a < 0xF0) {
        if (len < 3 || !is_tail((char)b) || !is_tail(text[2]))
            return 0;
        if ((a == 0xE0 && b < 0xA0) || (a == 0xED && b >= 0xA0))
            return 0; /* overlong; a surrogate */
        return 3;
    }
    if (a > 0xF4 || len < 4 || !is_tail((char)b) || !is_tail(text[2]) || !is_tail(text[3]))
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
static bool may_be_shown(uint32_t code)
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

    if (step == 0 || !may_be_shown(*code))
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
