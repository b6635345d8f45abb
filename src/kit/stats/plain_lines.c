/* Parses lines of short numbers, eight digits at a time, without a branch per digit. */
#include <endian.h>
#include <string.h>

#include "number_column.h"

enum {
    WORD = 8,
    DIGITS = 15, /* a double holds integers of this many digits exactly, so dividing one by a power
                    of ten rounds only once */
    READ_MOST = 5 * WORD, /* bytes that may be read from the start of a line */
};

static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/* Parses at most eight digits at text, appends them to *whole and returns how many there were. */
static inline unsigned eight_digits(const char *text, uint64_t *whole)
{
    uint64_t x;
    uint64_t others;
    unsigned n;

    memcpy(&x, text, sizeof x);
    x = le64toh(x) ^ 0x3030303030303030;
    /* Sets the top bit of each byte that is not a digit. Only the first such byte counts, because
       carries travel upwards from there. */
    others = (x | (x + 0x7676767676767676)) & 0x8080808080808080;
    n = others ? (unsigned)__builtin_ctzll(others) / 8 : WORD;
    if (n == 0)
        return 0;
    x <<= 64 - 8 * n;  /* zeros before the first digit */
    x = x * 2561 >> 8; /* combine pairs, then groups of four, then all eight */
    x = (x & 0x00ff00ff00ff00ff) * 6553601 >> 16;
    x = (x & 0x0000ffff0000ffff) * 42949672960001 >> 32;
    *whole = *whole * powers[n] + x;
    return n;
}

/* Parses at most 16 digits. */
static inline unsigned digits(const char *text, uint64_t *whole)
{
    unsigned n = eight_digits(text, whole);

    return n < WORD ? n : n + eight_digits(text + WORD, whole);
}

/* Parses one line, of which READ_MOST bytes can be read. Returns its length with the LF, or 0. */
static inline size_t read_line(const char *text, double *ret)
{
    static const double tens[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    bool negative = text[0] == '-';
    const char *p = text + negative;
    uint64_t whole = 0;
    unsigned before = digits(p, &whole);
    unsigned behind = 0;
    double value;

    if (before == 0 || (*p == '0' && before > 1))
        return 0;
    p += before;
    if (*p == '.') {
        behind = digits(p + 1, &whole);
        if (behind == 0)
            return 0;
        p += 1 + behind;
    }
    if (*p != '\n' || before + behind > DIGITS)
        return 0;
    value = behind > 0 ? (double)whole / tens[behind] : (double)whole;
    *ret = negative ? -value : value;
    return (size_t)(p + 1 - text);
}

size_t tch_plain_lines(const char *text, size_t len, double *values, size_t most, size_t *took)
{
    size_t at = 0;
    size_t n = 0;

    while (n < most && len - at >= READ_MOST) {
        size_t line = read_line(text + at, &values[n]);

        if (line == 0)
            break;
        at += line;
        n++;
    }
    *took = at;
    return n;
}
