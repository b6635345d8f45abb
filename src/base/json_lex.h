/*
 * The words of JSON, as functions of the text alone. Inline for json_read.c, whose inner loop
 * they are; json_value.c reads the same digits.
 */
#ifndef TCH_BASE_JSON_LEX_H
#define TCH_BASE_JSON_LEX_H

#include <stdbool.h>

static inline bool tch_json_is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* May this byte follow a number or a literal? What it then means is the grammar's business. */
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

/* Moves *at over digits, of which there must be one. */
static inline bool tch_json_digits(const char **at, const char *end)
{
    const char *p = *at;

    while (p < end && tch_json_is_digit(*p))
        p++;
    bool some = p > *at;

    *at = p;
    return some;
}

/* Moves *at over the number that starts there, or to where it stops being one (and false). */
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

/* The value of four hexadecimal digits, or -1. */
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
