/* Encodes and decodes base64. */
#include "base64.h"

#include <stdint.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void tch_base64_add(struct tch_buf *b, const void *data, size_t len)
{
    const uint8_t *in = data;
    char *out = tch_buf_room(b, len / 3 * 4 + (len % 3 > 0 ? 4 : 0));
    size_t n = 0;

    if (!out)
        return;
    for (size_t i = 0; i < len; i += 3) {
        size_t left = len - i;
        uint32_t bits = (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) |
                        (left > 2 ? in[i + 2] : 0);

        out[n++] = digits[bits >> 18];
        out[n++] = digits[bits >> 12 & 63];
        out[n++] = left > 1 ? digits[bits >> 6 & 63] : '=';
        out[n++] = left > 2 ? digits[bits & 63] : '=';
    }
    tch_buf_grew(b, n);
}

int tch_base64_parse(const char *text, size_t len, struct tch_buf *out)
{
    uint32_t bits = 0;

    while (len > 0 && text[len - 1] == '=')
        len--;
    for (size_t i = 0; i < len; i++) {
        const char *digit = memchr(digits, text[i], 64);

        if (!digit)
            return -1;
        bits = bits << 6 | (uint32_t)(digit - digits);
        if (i % 4 > 0)
            tch_buf_addc(out, (char)(bits >> (6 - 2 * (i % 4)) & 0xff));
    }
    return 0;
}
