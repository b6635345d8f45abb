/*
 * The shortest decimal text of a float, by R. Giulietti's Schubfach ("The Schubfach way to render
 * doubles", 2020): scales the float and the two ends of the interval that rounds to it by one power
 * of ten, then takes the shortest number between those ends, and of several the nearest. It needs
 * one multiplication by a 128-bit constant per end, and divides only by ten.
 */
#include "float_text.h"

#include <math.h>
#include <stdbool.h>

#include "pow10.h"
#include "u128.h"

/* A decimal number: digits x 10^exponent. */
struct decimal {
    uint64_t digits;
    int exponent;
};

/* floor(log10(2^e)), floor(log10(3/4 x 2^e)), floor(log2(10^e)), for every e that a double has. */
static int log10_pow2(int e)
{
    return (e * 1262611) >> 22;
}

static int log10_three_quarters_pow2(int e)
{
    return (e * 1262611 - 524031) >> 22;
}

static int log2_pow10(int e)
{
    return (e * 1741647) >> 19;
}

/* Returns g x m / 2^127, rounded to odd: the last bit is set when any bit was lost. */
static uint64_t scale(struct tch_pow10 g, uint64_t m)
{
    tch_u128 low = tch_u128_mul(g.low, m);
    tch_u128 high = tch_u128_add(tch_u128_mul(g.high, m), low.high);

    return high.high | (high.low > 1);
}

/*
 * Returns the shortest decimal that rounds to significand x 2^exponent. `narrow`: the float below
 * is only half as far away as the one above, because the significand is a power of two.
 */
static struct decimal shortest(uint64_t significand, int exponent, bool narrow)
{
    int k = narrow ? log10_three_quarters_pow2(exponent) : log10_pow2(exponent);
    int shift = exponent + log2_pow10(-k) + 1;
    struct tch_pow10 g = tch_pow10[-k - TCH_POW10_MIN];
    uint64_t four = 4 * significand;
    uint64_t odd = significand & 1; /* ties round to even: an odd one excludes its ends */
    uint64_t low = scale(g, (four - 2 + narrow) << shift) + odd;
    uint64_t value = scale(g, four << shift);
    uint64_t high = scale(g, (four + 2) << shift) - odd;
    uint64_t whole = value / 4;
    uint64_t tens = whole / 10;

    if (whole >= 10) {
        bool below = low <= 40 * tens;
        bool above = 40 * tens + 40 <= high;

        if (below != above)
            return (struct decimal){tens + above, k + 1};
    }

    bool below = low <= 4 * whole;
    bool above = 4 * whole + 4 <= high;
    bool nearer = value > 4 * whole + 2 || (value == 4 * whole + 2 && (whole & 1));

    return (struct decimal){whole + (below != above ? above : nearer), k};
}

static struct decimal without_zeros(struct decimal d)
{
    while (d.digits % 10000 == 0) {
        d.digits /= 10000;
        d.exponent += 4;
    }
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    return d;
}

/* Returns the decimal of the bits of a finite float that is not 0. */
static struct decimal decimal_of(uint64_t fraction, int biased, int fraction_bits, int bias)
{
    uint64_t hidden = (uint64_t)1 << fraction_bits;
    uint64_t significand = biased > 0 ? fraction | hidden : fraction;
    int exponent = (biased > 0 ? biased : 1) - bias - fraction_bits;

    /* A whole number below 2^53 is its own shortest text. */
    if (exponent <= 0 && -exponent <= fraction_bits &&
        (significand & (((uint64_t)1 << -exponent) - 1)) == 0)
        return without_zeros((struct decimal){significand >> -exponent, 0});
    return without_zeros(shortest(significand, exponent, fraction == 0 && biased > 1));
}

static struct decimal decimal_f64(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return decimal_of(bits & (((uint64_t)1 << 52) - 1), (int)(bits >> 52 & 0x7FF), 52, 1023);
}

static struct decimal decimal_f32(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return decimal_of(bits & ((1u << 23) - 1), (int)(bits >> 23 & 0xFF), 23, 127);
}

static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233"
                            "34353637383940414243444546474849505152535455565758596061626364656667"
                            "6869707172737475767778798081828384858687888990919293949596979899";

size_t tch_u64_text(char out[TCH_U64_TEXT], uint64_t value)
{
    char text[TCH_U64_TEXT];
    char *p = text + sizeof text;
    size_t len;

    while (value >= 100) {
        p -= 2;
        memcpy(p, pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10) {
        p -= 2;
        memcpy(p, pairs + 2 * value, 2);
    } else {
        *--p = (char)('0' + value);
    }
    len = (size_t)(text + sizeof text - p);
    memcpy(out, p, len);
    return len;
}

/* Writes fixed notation. The point follows the first `point` digits, or precedes all of them when
   `point` <= 0. */
static size_t fixed(char *out, const char *digits, int count, int point, bool keep_fraction)
{
    char *p = out;

    if (point <= 0) {
        *p++ = '0';
        *p++ = '.';
        memset(p, '0', (size_t)-point);
        p += -point;
        memcpy(p, digits, (size_t)count);
        return (size_t)(p + count - out);
    }
    if (point < count) {
        memcpy(p, digits, (size_t)point);
        p[point] = '.';
        memcpy(p + point + 1, digits + point, (size_t)(count - point));
        return (size_t)count + 1;
    }
    memcpy(p, digits, (size_t)count);
    memset(p + count, '0', (size_t)(point - count));
    p += point;
    if (keep_fraction) {
        *p++ = '.';
        *p++ = '0';
    }
    return (size_t)(p - out);
}

static size_t scientific(char *out, const char *digits, int count, int point)
{
    char *p = out;
    int exponent = point - 1;

    *p++ = digits[0];
    if (count > 1) {
        *p++ = '.';
        memcpy(p, digits + 1, (size_t)(count - 1));
        p += count - 1;
    }
    *p++ = 'e';
    if (exponent < 0)
        *p++ = '-';
    p += tch_u64_text(p, (uint64_t)(exponent < 0 ? -exponent : exponent));
    return (size_t)(p - out);
}

/* Writes fixed notation if the point is at a position from least_point to most_point, otherwise
   scientific notation. */
static size_t dressed(char *out, struct decimal d, int least_point, int most_point, bool fraction)
{
    char digits[TCH_U64_TEXT];
    int count = (int)tch_u64_text(digits, d.digits);
    int point = count + d.exponent;

    if (point >= least_point && point <= most_point)
        return fixed(out, digits, count, point, fraction);
    return scientific(out, digits, count, point);
}

static size_t copy(char *out, const char *text)
{
    size_t len = strlen(text);

    memcpy(out, text, len);
    return len;
}

size_t tch_f64_json(char out[TCH_FLOAT_TEXT], double value)
{
    size_t sign = signbit(value) != 0;

    if (!isfinite(value))
        return copy(out, "null");
    out[0] = '-';
    if (value == 0)
        return sign + copy(out + sign, "0.0");
    return sign + dressed(out + sign, decimal_f64(value), -4, 16, true);
}

size_t tch_f32_json(char out[TCH_FLOAT_TEXT], float value)
{
    size_t sign = signbit(value) != 0;

    if (!isfinite(value))
        return copy(out, "null");
    out[0] = '-';
    if (value == 0)
        return sign + copy(out + sign, "0.0");
    return sign + dressed(out + sign, decimal_f32(value), -5, 13, true);
}

size_t tch_f64_plain(char out[TCH_PLAIN_TEXT], double value)
{
    size_t sign = signbit(value) != 0;

    if (isnan(value))
        return copy(out, "NaN");
    out[0] = '-';
    if (isinf(value))
        return sign + copy(out + sign, "inf");
    if (value == 0)
        return sign + copy(out + sign, "0");
    return sign + dressed(out + sign, decimal_f64(value), -400, 400, false);
}
