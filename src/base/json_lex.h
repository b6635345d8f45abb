/*
 * The tokens of JSON, as functions of the text alone. Inline for json_read.c, whose inner loop uses
 * them; json_value.c reads the same digits.
 */
#ifndef TCH_JSON_LEX_H
#define TCH_JSON_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool tch_json_is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* Returns whether this byte may follow a number or a literal. The grammar decides what it means. */
static inline bool tch_json_ends_word(char c)
{
    switch (c) {
    case ' ':
    case '\t':
    case '\n':
    case '\r':
    case ',':
    case ':':
    case '"':
    case '[':
    case ']':
    case '{':
    case '}':
        return true;
    default:
        return false;
    }
}

/* Returns 0x80 in each of the eight bytes that is not a digit. The result for the bytes after one
   above 0xF9 may be wrong; that of the byte itself is right. */
static inline uint64_t tch_json_no_digits(const char *p)
{
    const uint64_t zeros = 0x3030303030303030u;
    uint64_t eight, other;

    memcpy(&eight, p, sizeof eight);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    eight = __builtin_bswap64(eight);
#endif
    other = ((eight ^ zeros) | ((eight + 0x0606060606060606u) ^ zeros)) & 0xF0F0F0F0F0F0F0F0u;
    return (other | other << 1 | other << 2 | other << 3) & 0x8080808080808080u;
}

/* Checks whether the first len (1 to 16) of the sixteen bytes at p are digits, or digits, a point
   and digits. Returns how many are before the point, else 0. All bytes are checked at once, because
   the CPU mispredicts the end of a loop over numbers of many lengths. */
static inline size_t tch_json_short_number(const char *p, size_t len)
{
    uint64_t low = tch_json_no_digits(p), high = 0;
    size_t point;

    if (len <= 8)
        low = low << 8 * (8 - len) >> 8 * (8 - len);
    else
        high = tch_json_no_digits(p + 8) << 8 * (16 - len) >> 8 * (16 - len);
    if ((low | high) == 0)
        return *p != '0' || len == 1 ? len : 0;
    if ((low & (low - 1)) != 0 || (high & (high - 1)) != 0 || (low != 0) == (high != 0))
        return 0;
    point = (size_t)(low ? __builtin_ctzll(low) : 64 + __builtin_ctzll(high)) / 8;
    return p[point] == '.' && point + 1 < len && (*p != '0' || point == 1) ? point : 0;
}

/* Moves *at past digits. There must be at least one. */
static inline bool tch_json_digits(const char **at, const char *end)
{
    const char *p = *at;

    while (p < end && tch_json_is_digit(*p))
        p++;
    bool some = p > *at;

    *at = p;
    return some;
}

/* Moves *at past the number that starts there. Returns false, with *at where it stops being a
   number. */
static inline bool tch_json_number(const char **at, const char *end)
{
    const char *p = *at + (**at == '-');
    const char *whole = p;
    bool ok = tch_json_digits(&p, end) && (*whole != '0' || p == whole + 1);

    if (ok && p < end && *p == '.') {
        p++;
        ok = tch_json_digits(&p, end);
    }
    if (ok && p < end && (*p | 0x20) == 'e') {
        p++;
        if (p < end && (*p == '+' || *p == '-'))
            p++;
        ok = tch_json_digits(&p, end);
    }
    *at = p;
    return ok && (p == end || tch_json_ends_word(*p));
}

/* Returns the value of four hexadecimal digits, or -1. */
static inline int tch_json_hex4(const char *p)
{
    int value = 0;

    for (int i = 0; i < 4; i++) {
        char c = p[i];
        char lower = (char)(c | 0x20);

        if (tch_json_is_digit(c))
            value = value * 16 + (c - '0');
        else if (lower >= 'a' && lower <= 'f')
            value = value * 16 + (lower - 'a' + 10);
        else
            return -1;
    }
    return value;
}

#endif
