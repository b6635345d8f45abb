/*
 * Parses numbers and short texts of the Chrome format eight bytes at a time, because CPUs cannot
 * predict where a loop over bytes ends. Up to TCH_JSON_SPARE bytes after the window may be read for
 * that.
 *
 * The functions are inline, because an event has five numbers and a file may have a gigabyte of
 * events.
 */
#ifndef TCH_CHROME_READ_NUMBER_H
#define TCH_CHROME_READ_NUMBER_H

#include <endian.h>
#include <math.h>
#include <string.h>

#include "base/json_lex.h"
#include "base/json_read.h"
#include "base/number.h"

/** A value. For a plain number, also the number of digits before its point; 0: unknown. */
struct tch_chrome_value {
    struct tch_json_value json;
    size_t whole;
};

static inline uint64_t tch_chrome_load8(const char *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof word);
    return le64toh(word);
}

/** Returns the first len (0 to 8) bytes at p as a number, the first byte lowest. */
static inline uint64_t tch_chrome_word(const char *p, size_t len)
{
    return len >= 8 ? tch_chrome_load8(p) : tch_chrome_load8(p) & ((UINT64_C(1) << 8 * len) - 1);
}

/** Returns the value of 1 to 8 decimal digits. */
static inline uint64_t tch_chrome_eight(const char *p, size_t len)
{
    const uint64_t zeros = 0x3030303030303030u;
    uint64_t v = (tch_chrome_load8(p) - zeros) << 8 * (8 - len);

    v = v * 10 + (v >> 8); /* pairs, then groups of four, then all eight */
    v = ((v & 0x000000FF000000FFu) * 0x000F424000000064u +
         (v >> 16 & 0x000000FF000000FFu) * 0x0000271000000001u) >>
        32;
    return v & 0xFFFFFFFFu;
}

/** Returns the value of 1 to 16 decimal digits. */
static inline uint64_t tch_chrome_digits(const char *p, size_t len)
{
    return len <= 8 ? tch_chrome_eight(p, len)
                    : tch_chrome_eight(p, len - 8) * 100000000 + tch_chrome_eight(p + len - 8, 8);
}

/** Parses digits, a point and digits with more digits than a double holds, such as microseconds
    since 1970. */
static inline bool tch_chrome_long_us(const char *p, size_t len, int64_t *ret)
{
    uint64_t ns = 0;
    size_t i = 0, point;

    for (; i < len && i < 16 && tch_json_is_digit(p[i]); i++)
        ns = ns * 10 + (uint64_t)(p[i] - '0');
    if (i == 0 || (i < len && p[i] != '.') || i + 1 == len)
        return false;
    point = i;
    for (i++; i < len; i++)
        if (!tch_json_is_digit(p[i]))
            return false;
    for (i = point + 1; i < point + 4; i++)
        ns = ns * 10 + (i < len ? (uint64_t)(p[i] - '0') : 0);
    ns += i < len && p[i] >= '5';
    if (ns > UINT64_C(9200000000000000000))
        return false;
    *ret = (int64_t)ns;
    return true;
}

/** Parses a number that is negative, long, has an exponent, or has digits below a nanosecond. */
static inline bool tch_chrome_rare_us(const char *text, size_t len, int64_t *ret)
{
    double us;

    if (tch_chrome_long_us(text, len, ret))
        return true;
    if (tch_parse_f64_n(text, len, &us) < 0)
        return false;
    us = round(us * 1000);
    if (!(us > -9.2e18 && us < 9.2e18))
        return false;
    *ret = (int64_t)us;
    return true;
}

/** Converts microseconds as written to nanoseconds, rounded. Returns false if the value is neither
    a number nor a text that contains one. */
static inline bool tch_chrome_us(const struct tch_chrome_value *v, int64_t *ret)
{
    static const unsigned scale[] = {0, 100, 10, 1};
    const char *text = v->json.text;
    size_t len = v->json.len, whole = v->whole, behind;
    uint64_t ns;

    if (v->json.type != TCH_JSON_NUMBER && v->json.type != TCH_JSON_STRING)
        return false;
    if (v->json.type == TCH_JSON_STRING || whole == 0)
        whole = len > 0 && len <= 16 ? tch_json_short_number(text, len) : 0;
    behind = len > whole ? len - whole - 1 : 0;
    if (whole == 0 || whole > 15 || behind > 3)
        return tch_chrome_rare_us(text, len, ret);
    ns = tch_chrome_digits(text, whole) * 1000;
    if (behind > 0)
        ns += tch_chrome_eight(text + whole + 1, behind) * scale[behind];
    *ret = (int64_t)ns;
    return true;
}

#endif
