/* Parses integers, floats in JSON's form, durations and sizes. */
#include "number.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include <tacho/error.h>

#include "u128.h"

static size_t count_digits(const char *text, const char *end)
{
    const char *p = text;

    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return (size_t)(p - text);
}

/* Integers. */

int tch_parse_u64_n(const char *text, size_t len, uint64_t max, uint64_t *ret)
{
    uint64_t value = 0;

    if (len == 0)
        return TACHO_EINVAL;
    for (size_t i = 0; i < len; i++) {
        uint64_t digit = (uint64_t)(unsigned char)text[i] - '0';

        if (digit > 9 || value > max / 10 || (value == max / 10 && digit > max % 10))
            return TACHO_EINVAL;
        value = value * 10 + digit;
    }
    *ret = value;
    return 0;
}

int tch_parse_u64(const char *text, uint64_t max, uint64_t *ret)
{
    return tch_parse_u64_n(text, strlen(text), max, ret);
}

int tch_parse_i64_n(const char *text, size_t len, int64_t *ret)
{
    bool negative = len > 0 && text[0] == '-';
    uint64_t max = (uint64_t)INT64_MAX + negative;
    uint64_t size;

    if (tch_parse_u64_n(text + negative, len - negative, max, &size) < 0)
        return TACHO_EINVAL;
    /* In two steps, because +2^63 does not fit an int64_t. */
    *ret = negative && size > 0 ? -(int64_t)(size - 1) - 1 : (int64_t)size;
    return 0;
}

int tch_parse_hex_n(const char *text, size_t len, uint64_t *ret)
{
    uint64_t value = 0;

    if (len < 3 || len > 18 || text[0] != '0' || (text[1] | 0x20) != 'x')
        return TACHO_EINVAL;
    for (size_t i = 2; i < len; i++) {
        char low = (char)(text[i] | 0x20);

        if (text[i] >= '0' && text[i] <= '9')
            value = value << 4 | (uint64_t)(text[i] - '0');
        else if (low >= 'a' && low <= 'f')
            value = value << 4 | (uint64_t)(low - 'a' + 10);
        else
            return TACHO_EINVAL;
    }
    *ret = value;
    return 0;
}

int tch_parse_i64(const char *text, int64_t *ret)
{
    return tch_parse_i64_n(text, strlen(text), ret);
}

/* Floats. */

enum {
    SIGNIFICANT = 800,  /* 767 digits distinguish any double from the half-way point beside it */
    EXACT_DIGITS = 19,  /* that many digits always fit a uint64_t */
    EXACT_POWER = 22,   /* 10^22 is the last power of ten that is a double */
    FAR_OUT = 400,      /* 0.1e400 is an infinity, 1e-400 is 0 */
    EXPONENT_ROOM = 16, /* "e-1201" and its end */
};

/* No text is long enough to bring an exponent of this size back into the range of doubles. */
static const int64_t exponent_max = INT64_C(1000000000000000000);

/* The parts of a number's text: value = whole.fraction * 10^exponent. */
struct decimal {
    bool negative;
    const char *whole;
    const char *fraction;
    size_t whole_len;
    size_t fraction_len;
    int64_t exponent;
};

static bool scan_exponent(const char *p, const char *end, int64_t *exponent)
{
    bool negative = p < end && *p == '-';
    int64_t value = 0;

    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p == end || count_digits(p, end) != (size_t)(end - p))
        return false;
    for (; p < end; p++)
        if (value < exponent_max / 10)
            value = value * 10 + (*p - '0');
    *exponent = negative ? -value : value;
    return true;
}

static bool scan_decimal(const char *text, size_t len, struct decimal *d)
{
    const char *p = text;
    const char *end = text + len;

    *d = (struct decimal){.negative = len > 0 && *p == '-'};
    p += d->negative;
    d->whole = p;
    d->whole_len = count_digits(p, end);
    if (d->whole_len == 0 || (d->whole_len > 1 && *p == '0'))
        return false;
    p += d->whole_len;
    if (p < end && *p == '.') {
        d->fraction = ++p;
        d->fraction_len = count_digits(p, end);
        if (d->fraction_len == 0)
            return false;
        p += d->fraction_len;
    }
    if (p < end && (*p == 'e' || *p == 'E'))
        return scan_exponent(p + 1, end, &d->exponent);
    return p == end;
}

/* Clinger's fast path: an exact integer times or over an exact power of ten rounds once. */
static bool exact(const struct decimal *d, double *ret)
{
    static const double power[EXACT_POWER + 1] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    };
    int64_t exponent = d->exponent - (int64_t)d->fraction_len;
    uint64_t digits = 0;

    if (FLT_EVAL_METHOD != 0) /* wider registers round twice */
        return false;
    if (d->whole_len + d->fraction_len > EXACT_DIGITS)
        return false;
    if (exponent < -EXACT_POWER || exponent > EXACT_POWER)
        return false;
    for (size_t i = 0; i < d->whole_len; i++)
        digits = digits * 10 + (uint64_t)(d->whole[i] - '0');
    for (size_t i = 0; i < d->fraction_len; i++)
        digits = digits * 10 + (uint64_t)(d->fraction[i] - '0');
    if (digits > UINT64_C(1) << DBL_MANT_DIG)
        return false;
    *ret = exponent < 0 ? (double)digits / power[-exponent] : (double)digits * power[exponent];
    return true;
}

/* The significant digits that strtod() gets. */
struct digits {
    char text[SIGNIFICANT + 1 + EXPONENT_ROOM];
    size_t len;
    uint64_t dropped; /* digits past SIGNIFICANT */
    bool inexact;     /* one of them is not 0 */
};

static void collect(struct digits *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (out->len == 0 && text[i] == '0')
            continue;
        if (out->len < SIGNIFICANT) {
            out->text[out->len++] = text[i];
        } else {
            out->dropped++;
            out->inexact |= text[i] != '0';
        }
    }
}

/* Without a decimal point the text means the same to strtod() in every locale. */
static double round_digits(const struct decimal *d)
{
    struct digits all = {.len = 0};
    int64_t exponent;

    collect(&all, d->whole, d->whole_len);
    collect(&all, d->fraction, d->fraction_len);
    exponent = d->exponent - (int64_t)d->fraction_len + (int64_t)all.dropped;
    if (all.len == 0 || exponent + (int64_t)all.len < -FAR_OUT)
        return 0;
    if (exponent + (int64_t)all.len > FAR_OUT)
        return HUGE_VAL;
    if (all.inexact) { /* not 0, but less than one in the last place: enough to break a tie */
        all.text[all.len++] = '1';
        exponent--;
    }
    snprintf(all.text + all.len, EXPONENT_ROOM, "e%d", (int)exponent);
    return strtod(all.text, NULL);
}

int tch_parse_f64_n(const char *text, size_t len, double *ret)
{
    struct decimal d;
    double size;

    if (!scan_decimal(text, len, &d))
        return TACHO_EINVAL;
    if (!exact(&d, &size))
        size = round_digits(&d);
    *ret = d.negative ? -size : size;
    return 0;
}

int tch_parse_f64(const char *text, double *ret)
{
    return tch_parse_f64_n(text, strlen(text), ret);
}

/* Amounts with a unit. */

struct unit {
    const char *name;
    uint64_t factor;
};

/* The text before its unit, to which *rest then points, is whole + part / scale. */
struct amount {
    uint64_t whole;
    uint64_t part;
    uint64_t scale;
};

static bool scan_amount(const char *text, struct amount *a, const char **rest)
{
    const char *end = text + strlen(text);
    size_t len = count_digits(text, end);

    if (tch_parse_u64_n(text, len, UINT64_MAX, &a->whole) < 0)
        return false;
    a->part = 0;
    a->scale = 1;
    *rest = text + len;
    if (**rest != '.')
        return true;
    text = *rest + 1;
    len = count_digits(text, end);
    if (len > 18 || tch_parse_u64_n(text, len, UINT64_MAX, &a->part) < 0)
        return false;
    for (size_t i = 0; i < len; i++)
        a->scale *= 10;
    *rest = text + len;
    return true;
}

static int scale_amount(const struct amount *a, uint64_t factor, uint64_t *ret)
{
    /* No factor is above 8.64 * 10^13, so that its double fits 64 bits. */
    uint64_t twice = tch_u128_div(tch_u128_mul(a->part, factor * 2), a->scale);
    uint64_t rounded = (twice + 1) / 2;
    uint64_t value;

    if (__builtin_mul_overflow(a->whole, factor, &value) ||
        __builtin_add_overflow(value, rounded, &value))
        return TACHO_EINVAL;
    *ret = value;
    return 0;
}

int tch_parse_duration(const char *text, uint64_t *ret_ns)
{
    static const struct unit units[] = {
        {"ns", 1},          {"us", 1000},         {"ms", 1000000},       {"s", 1000000000},
        {"m", 60000000000}, {"h", 3600000000000}, {"d", 86400000000000},
    };
    struct amount a;
    const char *rest;

    if (!scan_amount(text, &a, &rest))
        return TACHO_EINVAL;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(rest, units[i].name) == 0)
            return scale_amount(&a, units[i].factor, ret_ns);
    if (strcmp(text, "0") != 0)
        return TACHO_EINVAL;
    *ret_ns = 0;
    return 0;
}

/* Compares without strcasecmp(), for which "GIB" is not "gib" in a Turkish locale. */
static bool is_in_any_case(const char *text, const char *lower)
{
    while (*lower && (*text | 0x20) == *lower) {
        text++;
        lower++;
    }
    return !*text && !*lower;
}

int tch_parse_size(const char *text, uint64_t *ret_bytes)
{
    static const struct unit units[] = {
        {"k", UINT64_C(1) << 10},
        {"kib", UINT64_C(1) << 10},
        {"kb", 1000},
        {"m", UINT64_C(1) << 20},
        {"mib", UINT64_C(1) << 20},
        {"mb", 1000000},
        {"g", UINT64_C(1) << 30},
        {"gib", UINT64_C(1) << 30},
        {"gb", 1000000000},
        {"t", UINT64_C(1) << 40},
        {"tib", UINT64_C(1) << 40},
        {"tb", 1000000000000},
        {"", 1},
    };
    struct amount a;
    const char *rest;

    if (!scan_amount(text, &a, &rest))
        return TACHO_EINVAL;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (is_in_any_case(rest, units[i].name))
            return scale_amount(&a, units[i].factor, ret_bytes);
    return TACHO_EINVAL;
}
