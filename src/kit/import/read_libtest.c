/* libtest (`cargo bench`), and criterion's --output-format bencher: a median per benchmark. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "import_read.h"

/* The parts of "test NAME ... bench:  1,234.56 ns/iter (+/- 78)". */
struct bench_line {
    struct tch_span name;
    struct tch_span unit;
    double value;
    double range;
};

/* Parses digits with thousands separators. Returns what follows. */
static struct tch_span number_of(struct tch_span text, double *ret)
{
    char digits[40];
    size_t n = 0;
    size_t i = 0;

    while (i < text.len && text.p[i] == ' ')
        i++;
    for (; i < text.len && n < sizeof digits && strchr("0123456789.,", text.p[i]); i++)
        if (text.p[i] != ',')
            digits[n++] = text.p[i];
    *ret = NAN;
    (void)tch_parse_f64_n(digits, n, ret);
    return (struct tch_span){text.p + i, text.len - i};
}

static bool parse_line(struct tch_span line, struct bench_line *ret)
{
    static const char middle[] = " ... bench:";
    static const char range[] = " (+/- ";
    const char *at;
    const char *end;
    struct tch_span rest;

    line = tch_span_trim(line);
    if (!tch_span_starts(line, "test ") ||
        !(at = memmem(line.p, line.len, middle, sizeof middle - 1)))
        return false;
    ret->name = tch_span_trim((struct tch_span){line.p + 5, (size_t)(at - line.p) - 5});
    at += sizeof middle - 1;
    rest = number_of((struct tch_span){at, line.len - (size_t)(at - line.p)}, &ret->value);
    end = memmem(rest.p, rest.len, range, sizeof range - 1);
    if (isnan(ret->value) || !end)
        return false;
    ret->unit = tch_span_trim((struct tch_span){rest.p, (size_t)(end - rest.p)});
    end += sizeof range - 1;
    (void)number_of((struct tch_span){end, rest.len - (size_t)(end - rest.p)}, &ret->range);
    return true;
}

static void find_line(struct tch_import_input *in, struct tch_span line, void *ctx)
{
    struct bench_line parsed;

    (void)in;
    *(bool *)ctx = *(bool *)ctx || parse_line(line, &parsed);
}

static bool is_libtest(const struct tch_import_input *in)
{
    struct tch_import_input copy = *in;
    bool found = false;

    tch_import_lines(&copy, find_line, &found);
    return found;
}

static void add_line(struct tch_import_input *in, struct tch_span line, void *ctx)
{
    struct tch_import_metric m = tch_import_wall;
    struct tch_aggregate *a;
    struct bench_line b;
    struct tch_result *r;
    char unit[40];
    double ns;

    (void)ctx;
    if (!parse_line(line, &b))
        return;
    if (tch_span_ends(b.unit, "/iter"))
        b.unit.len -= 5;
    ns = tch_import_unit_ns(b.unit.p, b.unit.len);
    if (isnan(ns)) {
        snprintf(unit, sizeof unit, "%.*s", (int)(b.unit.len < 39 ? b.unit.len : 39), b.unit.p);
        m = (struct tch_import_metric){unit, unit, TCH_BETTER_UNKNOWN, false};
        if (strcmp(unit, "cycles") == 0)
            m.better = TCH_BETTER_LOWER;
        ns = 1;
    }
    r = tch_import_bench(in, b.name.p, b.name.len, false);
    tch_import_value(in, r, &m, 0, b.value * ns);
    a = tch_import_statistic(in, r, &m, "median", 0, NAN);
    if (!a)
        return;
    a->spread = b.range * ns;
    if (!a->spread_is && !(a->spread_is = strdup("max-min")))
        in->status = TACHO_ENOMEM;
}

static void read_libtest(struct tch_import_input *in)
{
    tch_import_lines(in, add_line, NULL);
}

const struct tch_import_reader tch_import_libtest = {
    .format = {.name = "libtest",
               .tool = "cargo bench",
               .is = "lines such as \"test NAME ... bench:  1,234 ns/iter (+/- 56)\"",
               .repetition = TCH_IN_PROCESS,
               .advice = "libtest prints one number per benchmark; run it 6 times into 6 files and "
                         "import them together"},
    .is = is_libtest,
    .read = read_libtest,
};
