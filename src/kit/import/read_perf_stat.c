/*
 * perf stat: its text, also with --table, the lines of -x and the JSON lines of -j.
 *
 * A count of one run is a value. With -r it is a mean of all runs. Only --table prints the wall
 * time of each run. The lines of -x and -j do not name the command.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "import_read.h"
#include "json_lines.h"

enum { FIELDS = 12, TEXT = 100 };

static const char head[] = "Performance counter stats for '";

/* The run or runs that the current lines describe. */
struct stat {
    struct tch_result *r;
    size_t run;
    uint64_t runs; /* with -r; 0: one run */
    bool several;  /* -r was given */
    bool text;     /* the lines are for people, and name the command */
    bool table;    /* the table of wall times follows */
    size_t times;  /* lines of that table */
};

/* --- Values --- */

/* Parses a number with separators of thousands: "2,434,997", "2.434.997", "0.44", "0,44". */
static double number_of(struct tch_span text)
{
    char digits[64];
    size_t dots = 0;
    size_t commas = 0;
    size_t n = 0;
    double value = NAN;

    for (size_t i = 0; i < text.len; i++) {
        dots += text.p[i] == '.';
        commas += text.p[i] == ',';
    }
    for (size_t i = 0; i < text.len && n < sizeof digits; i++) {
        bool three = text.len - i > 3 && (text.len - i == 4 || strchr(".,", text.p[i + 4]));

        if (text.p[i] == ',' && (three || commas > 1))
            continue;
        if (text.p[i] == '.' && dots > 1)
            continue;
        digits[n++] = text.p[i];
        if (text.p[i] == ',')
            digits[n - 1] = '.';
    }
    (void)tch_parse_f64_n(digits, n, &value);
    return value;
}

static bool is_event(struct tch_span text)
{
    if (text.len == 0 || text.len >= TEXT || !isalpha((unsigned char)text.p[0]))
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (strchr(" \t\"'", text.p[i]))
            return false;
    return true;
}

/* Describes an event. Returns the factor to the unit of its metric. */
static double metric_of(struct tch_span event, struct tch_span unit, char name[TEXT],
                        struct tch_import_metric *m)
{
    static const char *const lower[] = {"misses",     "faults",       "switches",
                                        "migrations", "instructions", "cycles"};
    const char *colon = memchr(event.p, ':', event.len);
    struct tch_span base = {event.p, colon ? (size_t)(colon - event.p) : event.len};
    double ns = tch_import_unit_ns(unit.p, unit.len);

    if (tch_span_is(unit, "msec"))
        ns = 1e6;
    snprintf(name, TEXT, "%.*s", (int)event.len, event.p);
    *m = (struct tch_import_metric){name, "count", TCH_BETTER_UNKNOWN, false};
    if (tch_span_ends(base, "-clock") || !isnan(ns)) { /* without a unit: nanoseconds */
        m->unit = "ns";
        m->better = TCH_BETTER_LOWER;
        return isnan(ns) ? 1 : ns;
    }
    if (tch_span_is(unit, "Joules")) {
        m->unit = "J";
        m->better = TCH_BETTER_LOWER;
    }
    for (size_t i = 0; i < sizeof lower / sizeof lower[0]; i++)
        if (tch_span_ends(base, lower[i]))
            m->better = TCH_BETTER_LOWER;
    return 1;
}

/* Adds a count. spread: the standard error that -r prints, in percent; NAN: there is none. */
static void add_count(struct tch_import_input *in, struct stat *s, struct tch_span event,
                      struct tch_span unit, double value, double spread)
{
    struct tch_import_metric m;
    struct tch_aggregate *a;
    char name[TEXT];
    double scale = metric_of(event, unit, name, &m);

    if (isnan(value)) /* <not supported>, <not counted> */
        return;
    if (!s->several) {
        tch_import_value(in, s->r, &m, s->run, value * scale);
        return;
    }
    if (s->text) {
        a = tch_import_statistic(in, s->r, &m, "mean", s->runs, value * scale);
    } else { /* nothing but counts, so that they are the values of a run */
        tch_import_value(in, s->r, &m, s->run, value * scale);
        a = tch_import_statistic(in, s->r, &m, "mean", s->runs, NAN);
    }
    if (!a || isnan(spread))
        return;
    a->spread = value * scale * spread / 100;
    if (!a->spread_is && !(a->spread_is = strdup("standard error")))
        in->status = TACHO_ENOMEM;
}

static size_t runs_of(const struct tch_import_input *in, const struct tch_result *r)
{
    return r ? r->run_count - in->set->states[r - in->set->results].base : 0;
}

/* --- Text --- */

/* Ends the lines of a command. */
static void finish(struct tch_import_input *in, struct stat *s)
{
    if (s->r && s->text && runs_of(in, s->r) == 0)
        tch_import_problem(in, NULL, "'%.200s' has no elapsed time: the output is truncated",
                           s->r->name);
    *s = (struct stat){0};
}

static void begin(struct tch_import_input *in, struct stat *s, const char *at, struct tch_span line)
{
    const char *end = line.p + line.len;
    const char *quote = memrchr(at, '\'', (size_t)(end - at));
    const char *open = quote ? memchr(quote, '(', (size_t)(end - quote)) : NULL;

    finish(in, s);
    if (!quote)
        return;
    s->text = true;
    s->r = tch_import_bench(in, at, (size_t)(quote - at), true);
    s->run = runs_of(in, s->r);
    if (open) {
        struct tch_span count = {open + 1, strspn(open + 1, "0123456789")};

        s->several = tch_parse_u64_n(count.p, count.len, 1000000, &s->runs) == 0;
    }
}

/* Reads "0.919 +- 0.123 seconds time elapsed" and "0.001 seconds user". */
static void add_seconds(struct tch_import_input *in, struct stat *s, const struct tch_span *words,
                        size_t n)
{
    bool spread = n > 3 && tch_span_is(words[1], "+-");
    const struct tch_span *kind = words + (spread ? 4 : 2);
    struct tch_import_metric m = tch_import_wall;
    struct tch_aggregate *a;
    double value = number_of(words[0]) * 1e9;
    bool wall = tch_span_is(*kind, "time");

    if (tch_span_is(*kind, "user"))
        m.name = "user";
    else if (tch_span_is(*kind, "sys"))
        m.name = "system";
    else if (!wall)
        return;
    if (s->times > 0 && wall)
        return; /* the mean of the table before */
    if (!s->several || wall)
        tch_import_value(in, s->r, &m, s->run, value);
    if (!s->several)
        return;
    a = tch_import_statistic(in, s->r, &m, "mean", s->runs, wall ? (double)NAN : value);
    if (a && spread)
        a->spread = number_of(words[2]) * 1e9;
}

/* Returns the percentage of "( +-  0.99% )"; NAN if there is none. */
static double spread_of(struct tch_span line)
{
    const char *at = memmem(line.p, line.len, "( +-", 4);
    struct tch_span rest;
    const char *percent;

    if (!at)
        return NAN;
    rest = tch_span_trim((struct tch_span){at + 4, line.len - (size_t)(at + 4 - line.p)});
    percent = memchr(rest.p, '%', rest.len);
    return percent ? number_of((struct tch_span){rest.p, (size_t)(percent - rest.p)}) : NAN;
}

static void add_line(struct tch_import_input *in, struct stat *s, struct tch_span line)
{
    struct tch_span words[FIELDS];
    size_t n = tch_import_words(line, words, FIELDS);
    double value = n > 0 ? number_of(words[0]) : NAN;

    if (n == 0 || !s->r)
        return;
    if (tch_span_is(words[0], "#")) {
        s->table = n > 1 && tch_span_is(words[1], "Table");
    } else if (s->table && n >= 2 && words[1].p[0] == '(') {
        tch_import_value(in, s->r, &tch_import_wall, s->run + s->times++, value * 1e9);
    } else if (n > 2 &&
               (tch_span_is(words[1], "seconds") ||
                (n > 4 && tch_span_is(words[1], "+-") && tch_span_is(words[3], "seconds")))) {
        add_seconds(in, s, words, n);
    } else if (n >= 2 && !isnan(value)) {
        bool unit = n > 2 && words[2].p[0] != '#' && words[2].p[0] != '(';
        struct tch_span none = {"", 0};

        if (is_event(words[unit ? 2 : 1]))
            add_count(in, s, words[unit ? 2 : 1], unit ? words[1] : none, value, spread_of(line));
    }
}

/* --- The lines of -x --- */

/* Splits a line at the separator after its first field. Returns the number of fields. */
static size_t split(struct tch_span line, struct tch_span fields[FIELDS])
{
    const char *first = memchr(line.p, ',', line.len);
    const char *other = memchr(line.p, ';', line.len);
    char separator = other && (!first || other < first) ? ';' : ',';
    const char *end = line.p + line.len;
    size_t n = 0;

    for (const char *p = line.p; p <= end && n < FIELDS;) {
        const char *next = p < end ? memchr(p, separator, (size_t)(end - p)) : NULL;

        fields[n++] = (struct tch_span){p, (size_t)((next ? next : end) - p)};
        p = next ? next + 1 : end + 1;
    }
    return n;
}

/* Parses VALUE,UNIT,EVENT[,SPREAD%],TIME,PERCENT,... Returns the fields before TIME; 0 if the line
   is something else. */
static size_t parse_fields(struct tch_span line, struct tch_span fields[FIELDS])
{
    size_t n = split(line, fields);
    uint64_t time;
    double value;
    size_t at;

    if (n < 5 || !is_event(fields[2]) ||
        (!tch_span_starts(fields[0], "<not ") &&
         tch_parse_f64_n(fields[0].p, fields[0].len, &value) < 0))
        return 0;
    at = tch_span_ends(fields[3], "%") ? 4 : 3;
    if (at + 1 >= n || tch_parse_u64_n(fields[at].p, fields[at].len, UINT64_MAX, &time) < 0 ||
        tch_parse_f64_n(fields[at + 1].p, fields[at + 1].len, &value) < 0)
        return 0;
    return at;
}

/* Begins the counts of a command that is not named. Each is kept apart. */
static void begin_unnamed(struct tch_import_input *in, struct stat *s, bool several)
{
    static const char name[] = "perf stat";

    *s = (struct stat){.r = tch_import_bench(in, name, sizeof name - 1, false), .several = several};
    s->run = runs_of(in, s->r);
}

static void add_fields(struct tch_import_input *in, struct stat *s, struct tch_span line)
{
    struct tch_span fields[FIELDS];
    size_t at = parse_fields(line, fields);
    double spread = NAN;

    if (at == 0)
        return;
    if (!s->r)
        begin_unnamed(in, s, at == 4);
    if (at == 4)
        (void)tch_parse_f64_n(fields[3].p, fields[3].len - 1, &spread);
    add_count(in, s, fields[2], fields[1],
              tch_span_starts(fields[0], "<not ") ? (double)NAN : number_of(fields[0]), spread);
}

/* --- The reader --- */

struct search {
    bool text;
    size_t fields;
};

static void find_line(struct tch_import_input *in, struct tch_span line, void *ctx)
{
    struct tch_span fields[FIELDS];
    struct search *s = ctx;

    (void)in;
    s->text = s->text || memmem(line.p, line.len, head, sizeof head - 1);
    s->fields += parse_fields(line, fields) > 0;
}

static bool is_json(const struct tch_json_node *e)
{
    return tch_json_tree_get(e, "counter-value") && tch_json_tree_get(e, "event");
}

static bool is_perf_stat(const struct tch_import_input *in)
{
    struct tch_import_input copy = *in;
    struct search s = {false, 0};

    if (is_json(in->root))
        return true;
    tch_import_lines(&copy, find_line, &s);
    return s.text || s.fields >= 2;
}

static void read_line(struct tch_import_input *in, struct tch_span line, void *ctx)
{
    struct stat *s = ctx;
    const char *at = memmem(line.p, line.len, head, sizeof head - 1);
    struct tch_span text = tch_span_trim(line);

    if (at)
        begin(in, s, at + sizeof head - 1, line);
    else if (tch_span_starts(text, "# started on"))
        finish(in, s);
    else if (s->text)
        add_line(in, s, text);
    else
        add_fields(in, s, text);
}

/* Reads an object of -j. The first event again begins the next run. */
static void add_object(struct tch_import_input *in, const struct tch_json_node *e, void *ctx)
{
    const struct tch_json_node *event = tch_json_tree_get(e, "event");
    const struct tch_json_node *unit = tch_json_tree_get(e, "unit");
    struct stat *s = ctx;
    struct tch_span name = {event ? event->text : "", event ? event->len : 0};

    if (!is_json(e) || !is_event(name))
        return;
    if (!s->r)
        begin_unnamed(in, s, tch_json_tree_get(e, "variance") != NULL);
    add_count(in, s, name, (struct tch_span){unit ? unit->text : "", unit ? unit->len : 0},
              tch_json_tree_number(tch_json_tree_get(e, "counter-value")),
              tch_json_tree_number(tch_json_tree_get(e, "variance")));
}

static void read_perf_stat(struct tch_import_input *in)
{
    struct stat s = {0};

    if (is_json(in->root))
        tch_import_json_lines(in, add_object, &s);
    else
        tch_import_lines(in, read_line, &s);
    finish(in, &s);
}

const struct tch_import_reader tch_import_perf_stat = {
    .format = {.name = "perf-stat",
               .tool = "perf stat",
               .is = "\"Performance counter stats for\", or the lines of perf stat -x, or -j",
               .repetition = TCH_BY_PROCESS,
               .advice = "run 'perf stat' without -r several times, or with --table for the wall "
                         "time of each run"},
    .is = is_perf_stat,
    .read = read_perf_stat,
};
