/* Numbers for people. */
#include "human_number.h"

#include <math.h>
#include <stdbool.h>

#include "base/float_text.h"

/* A unit is used from the value on at which the previous unit would need one more digit. */
struct scale {
    double from;
    double size;
    const char *name;
};

enum { MOST_DIGITS = 7 }; /* digits of a number on an axis */

#define KIB           1024.0
#define ROUNDS_TO_KIB 1023.5

static const struct scale times[] = {{0, 1, " ns"},
                                     {999.95, 1e3, " us"},
                                     {999.95e3, 1e6, " ms"},
                                     {999.95e6, 1e9, " s"},
                                     {0, 0, NULL}};
static const struct scale sizes[] = {{0, 1, " B"},
                                     {ROUNDS_TO_KIB, KIB, " KiB"},
                                     {ROUNDS_TO_KIB * 0x1p10, 0x1p20, " MiB"},
                                     {ROUNDS_TO_KIB * 0x1p20, 0x1p30, " GiB"},
                                     {ROUNDS_TO_KIB * 0x1p30, 0x1p40, " TiB"},
                                     {ROUNDS_TO_KIB * 0x1p40, 0x1p50, " PiB"},
                                     {0, 0, NULL}};
static const struct scale counts[] = {
    {0, 1, ""},           {9999.5, 1e3, "k"},    {999.95e3, 1e6, "M"},
    {999.95e6, 1e9, "G"}, {999.95e9, 1e12, "T"}, {0, 0, NULL}};

static const struct scale *scale_of(enum tch_unit unit, double value)
{
    const struct scale *s = unit == TCH_NS ? times : unit == TCH_BYTES ? sizes : counts;

    while (s[1].name && fabs(value) >= s[1].from)
        s++;
    return s;
}

static void add_four_digits(struct tch_buf *b, double value)
{
    double size = fabs(value);

    tch_buf_addf(b, "%.*f", size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0, value);
}

static bool is_whole(double value)
{
    return fabs(value) < 1e15 && value == (double)(long long)value;
}

/* Writes no exponent where all digits before the point can be shown. zeros: whether to write zeros
   at the end. */
static void add_plain(struct tch_buf *b, double value, bool zeros)
{
    double size = fabs(value);

    if (is_whole(value) || (size >= 999.95 && size < 1e15))
        tch_buf_addf(b, "%.0f", value);
    else if (zeros && size < 999.95)
        tch_buf_addf(b, "%#.4g", value);
    else
        tch_buf_addf(b, "%.4g", value);
}

static void add_clock(struct tch_buf *b, double seconds)
{
    double size = fabs(seconds);
    unsigned long long whole = size < 1e15 ? (unsigned long long)(size + 0.5) : 0;

    if (whole == 0) {
        tch_buf_addf(b, "%.4g s", seconds);
        return;
    }
    tch_buf_adds(b, seconds < 0 ? "-" : "");
    if (whole >= 3600)
        tch_buf_addf(b, "%lluh%02llum", whole / 3600, whole / 60 % 60);
    else
        tch_buf_addf(b, "%llum", whole / 60);
    tch_buf_addf(b, "%02llus", whole % 60);
}

void tch_add_value(struct tch_buf *b, enum tch_unit unit, double value)
{
    if (!isfinite(value)) {
        tch_buf_adds(b, "-");
    } else if (unit == TCH_JOULES && value != 0 && fabs(value) < 1e-3) {
        add_plain(b, value * 1e6, true);
        tch_buf_adds(b, " uJ");
    } else if (unit == TCH_JOULES || unit == TCH_PLAIN ||
               (unit == TCH_RATE && fabs(value) < counts[1].from)) {
        add_plain(b, value, true);
        tch_buf_adds(b, unit == TCH_JOULES ? " J" : "");
    } else if (unit == TCH_NS && fabs(value) >= 999.95e9) {
        add_clock(b, value / 1e9);
    } else {
        const struct scale *s = scale_of(unit, value);

        if (s->size == 1 && is_whole(value))
            tch_buf_addf(b, "%.0f", value);
        else
            add_four_digits(b, value / s->size);
        tch_buf_adds(b, s->name);
    }
}

void tch_add_time_like(struct tch_buf *b, double ns, double largest)
{
    static const struct {
        double below, size;
        const char *name;
    } units[] = {{1e3, 1, "ns"}, {1e6, 1e3, "us"}, {1e9, 1e6, "ms"}, {1e12, 1e9, "s"}};

    for (size_t i = 0; i < sizeof units / sizeof *units && isfinite(ns); i++)
        if (largest < units[i].below) {
            tch_buf_addf(b, "%.4g %s", ns / units[i].size, units[i].name);
            return;
        }
    tch_add_value(b, TCH_NS, ns);
}

void tch_add_short(struct tch_buf *b, enum tch_unit unit, double value, double step)
{
    bool scaled = unit != TCH_JOULES && unit != TCH_PLAIN;
    const struct scale *s = scale_of(unit, scaled ? value : 0);
    int digits = 4;

    if (!isfinite(value)) {
        tch_buf_adds(b, "-");
        return;
    }
    for (double most = 1e3 * step; step > 0 && fabs(value) > most && digits < MOST_DIGITS;
         most *= 10)
        digits++;
    if (digits > 4 && !is_whole(value / s->size) && fabs(value / s->size) < 1e6)
        tch_buf_addf(b, "%.*g", digits, value / s->size);
    else
        add_plain(b, value / s->size, false);
    tch_buf_adds(b, scaled ? s->name : unit == TCH_JOULES ? " J" : "");
}

void tch_add_percent(struct tch_buf *b, double share)
{
    double percent = 100 * share;

    if (!isfinite(share))
        tch_buf_adds(b, "-");
    else if (percent > 0 && percent < 0.05)
        tch_buf_adds(b, "<0.1 %");
    else
        tch_buf_addf(b, "%.1f %%", percent);
}

void tch_add_grouped(struct tch_buf *b, uint64_t value)
{
    char digits[TCH_U64_TEXT];
    size_t len = tch_u64_text(digits, value);

    for (size_t i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            tch_buf_addc(b, ',');
        tch_buf_addc(b, digits[i]);
    }
}

void tch_add_u64(struct tch_buf *b, uint64_t value)
{
    char digits[TCH_U64_TEXT];

    tch_buf_add(b, digits, tch_u64_text(digits, value));
}

void tch_add_fixed(struct tch_buf *b, double value, unsigned decimals)
{
    static const uint64_t powers[] = {1, 10, 100, 1000, 10000};
    uint64_t power = powers[decimals];
    double scaled = value * (double)power;
    uint64_t whole = scaled >= 0 && scaled < 1e15 ? (uint64_t)scaled : 0;
    double rest = scaled - (double)whole;

    /* Near the middle the result depends on bits that the product has lost. */
    if (!(rest >= 0 && rest < 1) || (rest > 0.499 && rest < 0.501)) {
        tch_buf_addf(b, "%.*f", (int)decimals, value);
        return;
    }
    whole += rest > 0.5;
    tch_add_u64(b, whole / power);
    tch_buf_addc(b, '.');
    for (whole %= power; power > 1; whole %= power) {
        power /= 10;
        tch_buf_addc(b, (char)('0' + whole / power));
    }
}
