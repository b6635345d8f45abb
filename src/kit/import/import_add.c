/* Adds benchmarks and their values to a set. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/number.h"
#include "import_read.h"
#include "kit/result/result_aggregate.h"

const struct tch_import_metric tch_import_wall = {
    .name = "wall", .unit = "ns", .better = TCH_BETTER_LOWER};
const struct tch_import_metric tch_import_cpu = {
    .name = "cpu", .unit = "ns", .better = TCH_BETTER_LOWER};

static void out_of_memory(struct tch_import_input *in)
{
    in->status = TACHO_ENOMEM;
}

/* --- Problems --- */

static uint64_t line_of(const struct tch_import_input *in, const char *at)
{
    uint64_t line = 1;

    for (const char *p = in->text; p < at; p++)
        line += *p == '\n';
    return line;
}

void tch_import_problem(struct tch_import_input *in, const char *at, const char *fmt, ...)
{
    struct tch_import_set *set = in->set;
    struct tch_import_problem problem;
    char why[400];
    char text[1000];
    va_list list;

    va_start(list, fmt);
    vsnprintf(why, sizeof why, fmt, list);
    va_end(list);
    if (at >= in->text && at <= in->text + in->len)
        snprintf(text, sizeof text, "%.500s:%llu: %s", in->file,
                 (unsigned long long)line_of(in, at), why);
    else
        snprintf(text, sizeof text, "%.500s: %s", in->file, why);
    for (size_t i = set->problem_count; i > 0 && i + 8 > set->problem_count; i--)
        if (strcmp(set->problems[i - 1].text, text) == 0)
            return;
    problem.text = strdup(text);
    if (!problem.text || tch_array_extend(&set->problems, set->problem_count) < 0) {
        free(problem.text);
        out_of_memory(in);
        return;
    }
    set->problems[set->problem_count++] = problem;
}

/* --- Benchmarks --- */

/* Adds a result for a name that is new. */
static struct tch_result *add_result(struct tch_import_input *in, const char *name, size_t len)
{
    struct tch_import_set *set = in->set;
    struct tch_result *r;

    if (tch_array_reserve(&set->results, &set->room, set->count + 1) < 0 ||
        tch_array_reserve(&set->states, &set->state_room, set->count + 1) < 0)
        return NULL;
    r = &set->results[set->count];
    set->states[set->count] = (struct tch_import_state){.file = set->files};
    if (tch_result_init(r, NULL) < 0 || !(r->name = strndup(name, len))) {
        tch_result_release(r);
        return NULL;
    }
    set->count++;
    return r;
}

/* Returns the result with a key; adds it under a name if there is none. */
static struct tch_result *result_of(struct tch_import_input *in, const char *key, size_t key_len,
                                    const char *name, size_t len)
{
    struct tch_import_set *set = in->set;
    uint32_t number;

    if (in->status < 0)
        return NULL;
    number = tch_intern_add(&set->names, key, key_len);
    if (number == TCH_INTERN_NONE || (number == set->count && !add_result(in, name, len))) {
        out_of_memory(in);
        return NULL;
    }
    if (set->states[number].file != set->files)
        set->states[number] =
            (struct tch_import_state){.base = set->results[number].run_count, .file = set->files};
    in->added++;
    return &set->results[number];
}

/* Returns whether the current file already has a benchmark of this name. */
static bool has_in_file(const struct tch_import_input *in, const char *name, size_t len)
{
    uint32_t number = tch_intern_find(&in->set->names, name, len);

    return number < in->set->count && in->set->states[number].file == in->set->files;
}

struct tch_result *tch_import_bench(struct tch_import_input *in, const char *name, size_t len,
                                    bool again)
{
    char numbered[TCH_IMPORT_NAME + 16];
    unsigned count = 1;

    if (len == 0) {
        name = "unnamed";
        len = strlen(name);
    }
    if (len > TCH_IMPORT_NAME) {
        tch_import_problem(in, name, "the name of a benchmark is longer than %d bytes",
                           TCH_IMPORT_NAME);
        return NULL;
    }
    if (again || !has_in_file(in, name, len))
        return result_of(in, name, len, name, len);
    do {
        snprintf(numbered, sizeof numbered, "%.*s #%u", (int)len, name, ++count);
    } while (has_in_file(in, numbered, strlen(numbered)));
    return result_of(in, numbered, strlen(numbered), numbered, strlen(numbered));
}

struct tch_result *tch_import_bench_named(struct tch_import_input *in, const struct tch_buf *name,
                                          bool again)
{
    if (name->failed) {
        out_of_memory(in);
        return NULL;
    }
    return tch_import_bench(in, name->data, name->len, again);
}

struct tch_result *tch_import_bench_at(struct tch_import_input *in, const char *name, size_t len,
                                       const char *commit)
{
    struct tch_result *r = NULL;
    struct tch_buf key;

    tch_buf_init(&key, TCH_IMPORT_NAME);
    tch_buf_addf(&key, "%s\n", commit);
    tch_buf_add(&key, name, len);
    if (key.failed)
        tch_import_problem(in, name, "the name of a benchmark is longer than %d bytes",
                           TCH_IMPORT_NAME);
    else
        r = result_of(in, key.data, key.len, name, len);
    tch_buf_release(&key);
    if (r)
        snprintf(r->commit, sizeof r->commit, "%.64s", commit);
    return r;
}

/* --- Values --- */

/* The columns that every run has, by the names that readers use. */
static int field_of(const char *name)
{
    static const struct {
        const char *name;
        enum tch_field field;
    } fields[] = {
        {"wall", TCH_WALL},
        {"user", TCH_USER},
        {"system", TCH_SYSTEM},
        {"memory", TCH_MAX_RSS},
        {"minor_faults", TCH_MINOR_FAULTS},
        {"major_faults", TCH_MAJOR_FAULTS},
        {"voluntary_switches", TCH_VOLUNTARY},
        {"involuntary_switches", TCH_INVOLUNTARY},
        {"cycles", TCH_CYCLES},
        {"instructions", TCH_INSTRUCTIONS},
    };

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (strcmp(fields[i].name, name) == 0)
            return (int)fields[i].field;
    return -1;
}

static int add_column(struct tch_import_input *in, struct tch_result *r,
                      const struct tch_import_metric *m)
{
    struct tch_metric metric;
    int at;

    if (strlen(m->name) >= TCH_METRIC_TEXT || r->column_count >= TCH_FIELDS + TCH_METRICS_MOST) {
        tch_import_problem(in, NULL, "'%.100s' has more than %d metrics, or one with a long name",
                           r->name, TCH_METRICS_MOST);
        return -1;
    }
    tch_metric_describe_imported(&metric, m->name, m->unit, m->better, m->exact);
    at = tch_result_add_column(r, &metric, NULL);
    if (at < 0 || !(r->columns[at].unit = strdup(m->unit))) {
        out_of_memory(in);
        return -1;
    }
    return at;
}

/* Returns the column of a metric, or NULL. */
static struct tch_column *column_of(struct tch_import_input *in, struct tch_result *r,
                                    const struct tch_import_metric *m)
{
    int at = field_of(m->name);

    if (at < 0)
        at = tch_result_asked(r, m->name);
    if (at < 0)
        at = add_column(in, r, m);
    return at < 0 ? NULL : &r->columns[at];
}

/* Makes sure that a run of this file exists, and returns its number in the result. */
static size_t run_of(struct tch_import_input *in, struct tch_result *r, size_t run)
{
    size_t at = in->set->states[r - in->set->results].base + run;

    while (r->run_count <= at && in->status == 0) {
        struct tch_result_run it = {.run = r->run_count + 1, .pair = r->run_count + 1};

        if (tch_result_add_run(r, &it, NULL) < 0)
            out_of_memory(in);
    }
    return at;
}

void tch_import_value(struct tch_import_input *in, struct tch_result *r,
                      const struct tch_import_metric *m, size_t run, double value)
{
    struct tch_column *c;
    size_t at;

    if (!r || in->status < 0)
        return;
    c = column_of(in, r, m);
    if (!c || !isfinite(value))
        return;
    at = run_of(in, r, run);
    if (in->status == 0 && tch_result_keep_values(r, (size_t)(c - r->columns), NULL) < 0)
        out_of_memory(in);
    if (in->status == 0 && tch_values_add(&c->all[at], value, NULL) < 0)
        out_of_memory(in);
}

struct tch_aggregate *tch_import_statistic(struct tch_import_input *in, struct tch_result *r,
                                           const struct tch_import_metric *m, const char *statistic,
                                           uint64_t n, double value)
{
    struct tch_aggregate *a;
    struct tch_column *c;

    if (!r || in->status < 0 || !(c = column_of(in, r, m)))
        return NULL;
    a = tch_column_aggregate(c);
    if (!a || (!a->statistic && !(a->statistic = strdup(statistic)))) {
        out_of_memory(in);
        return NULL;
    }
    a->n = n;
    a->value = value;
    return a;
}

void tch_import_exit(struct tch_import_input *in, struct tch_result *r, size_t run, int code)
{
    size_t at;

    if (!r || in->status < 0)
        return;
    at = run_of(in, r, run);
    if (in->status == 0)
        r->runs[at].status = code > 128 && code < 128 + 65 ? code - 128 : (code & 0xFF) << 8;
}

void tch_import_work(struct tch_import_input *in, struct tch_result *r, double amount,
                     const char *unit)
{
    char *copy;

    if (!r || in->status < 0 || !(amount > 0))
        return;
    copy = strdup(unit);
    if (!copy) {
        out_of_memory(in);
        return;
    }
    free(r->work.unit);
    r->work = (struct tch_result_work){.amount = amount, .unit = copy};
}

/* --- Facts --- */

void tch_import_machine(struct tch_import_input *in, const struct tch_json_node *model, double cpus)
{
    struct tch_buf b;

    tch_buf_init(&b, 500);
    tch_json_tree_add(&b, model);
    if (cpus > 0)
        tch_buf_addf(&b, "%s%.0f CPU%s", b.len > 0 ? ", " : "", cpus, cpus == 1 ? "" : "s");
    if (b.len > 0 && !b.failed) {
        free(in->machine);
        in->machine = tch_buf_take(&b);
    }
    tch_buf_release(&b);
}

/* Parses the n digits at a place of a text. */
static bool digits(const char *text, size_t n, int *ret)
{
    uint64_t value;

    if (tch_parse_u64_n(text, n, 9999, &value) < 0)
        return false;
    *ret = (int)value;
    return true;
}

uint64_t tch_import_time(const char *text, size_t len)
{
    struct tm tm = {0};
    int hours = 0;
    int minutes = 0;
    time_t when;

    if (len < 19 || !digits(text, 4, &tm.tm_year) || !digits(text + 5, 2, &tm.tm_mon) ||
        !digits(text + 8, 2, &tm.tm_mday) || !digits(text + 11, 2, &tm.tm_hour) ||
        !digits(text + 14, 2, &tm.tm_min) || !digits(text + 17, 2, &tm.tm_sec))
        return 0;
    tm.tm_year -= 1900;
    tm.tm_mon--;
    when = timegm(&tm);
    /* A zone such as +01:00. Without one the time is taken for UTC. */
    if (len >= 25 && text[len - 3] == ':' && strchr("+-", text[len - 6]) &&
        digits(text + len - 5, 2, &hours) && digits(text + len - 2, 2, &minutes))
        when -= (time_t)(hours * 3600 + minutes * 60) * (text[len - 6] == '-' ? -1 : 1);
    return when > 0 ? (uint64_t)when * 1000000000u : 0;
}

double tch_import_unit_ns(const char *unit, size_t len)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1},        {"us", 1e3},     {"\xc2\xb5s", 1e3}, {"\xce\xbcs", 1e3},
                 {"ms", 1e6},      {"s", 1e9},      {"sec", 1e9},       {"min", 60e9},
                 {"m", 60e9},      {"hr", 3600e9},  {"h", 3600e9},      {"ps", 1e-3},
                 {"seconds", 1e9}, {"second", 1e9}, {"day", 86400e9},   {"d", 86400e9}};
    struct tch_span span = {unit, len};

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (tch_span_is(span, units[i].name))
            return units[i].ns;
    return NAN;
}

enum tch_better tch_import_unit_better(const char *unit, size_t len)
{
    static const char *const lower[] = {"B",    "count",    "cycles", "instructions",
                                        "B/op", "allocs/op"};
    struct tch_span span = {unit, len};

    for (size_t i = 0; i < sizeof lower / sizeof lower[0]; i++)
        if (tch_span_is(span, lower[i]))
            return TCH_BETTER_LOWER;
    if (!isnan(tch_import_unit_ns(unit, len)))
        return TCH_BETTER_LOWER;
    if (len > 3 && tch_span_ends(span, "/op") && !isnan(tch_import_unit_ns(unit, len - 3)))
        return TCH_BETTER_LOWER;
    return tch_span_ends(span, "/s") || tch_span_starts(span, "ops/") ? TCH_BETTER_HIGHER
                                                                      : TCH_BETTER_UNKNOWN;
}
