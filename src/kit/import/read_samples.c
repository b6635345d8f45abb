/*
 * tacho-samples: our own format, for tools that no reader knows. A table as CSV, or an object per
 * line, with one value per row:
 *
 *     benchmark,metric,unit,better,run,value
 *     parse/8k,wall,us,lower,1,12.25
 *
 * Only benchmark and value are required. Rows of a benchmark and metric with the same run are
 * values of one run; without a run, each row is a run. Values in a unit of time become nanoseconds.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/intern.h"
#include "base/number.h"
#include "import_read.h"
#include "json_lines.h"

enum member { BENCHMARK, METRIC, UNIT, BETTER, RUN, VALUE, EXACT, MEMBERS };

static const char *const names[MEMBERS] = {"benchmark", "metric", "unit", "better",
                                           "run",       "value",  "exact"};

enum { COLUMNS = 64 };

struct table {
    int column[COLUMNS]; /* member in each column; -1: another one */
    size_t columns;      /* 0: the header is not known yet */
    struct tch_buf text[MEMBERS];
    struct tch_buf key;
    struct tch_intern keys; /* of runs, and of metrics whose rows have no run */
    size_t *numbers;        /* number of the run, or of the next one, of each key */
    size_t room;
};

static void init(struct table *t)
{
    *t = (struct table){0};
    for (int i = 0; i < MEMBERS; i++)
        tch_buf_init(&t->text[i], TCH_IMPORT_NAME);
    tch_buf_init(&t->key, 3 * TCH_IMPORT_NAME);
}

static void release(struct table *t)
{
    for (int i = 0; i < MEMBERS; i++)
        tch_buf_release(&t->text[i]);
    tch_buf_release(&t->key);
    tch_intern_release(&t->keys);
    free(t->numbers);
}

/* --- Rows --- */

/* Returns the number of the run of a row. A run that has a name has the same number in all metrics;
   rows without one are numbered per metric. */
static size_t run_of(struct tch_import_input *in, struct table *t, const struct tch_result *r)
{
    size_t next = r->run_count - in->set->states[r - in->set->results].base;
    bool named = t->text[RUN].len > 0;
    uint32_t before = t->keys.count;
    uint32_t key;

    tch_buf_clear(&t->key);
    tch_buf_addf(&t->key, "%s\n%c%s", r->name, named ? '=' : '#',
                 t->text[named ? RUN : METRIC].data);
    key = tch_intern_add(&t->keys, t->key.data, t->key.len);
    if (t->key.failed || key == TCH_INTERN_NONE ||
        tch_array_reserve(&t->numbers, &t->room, (size_t)key + 1) < 0) {
        in->status = TACHO_ENOMEM;
        return 0;
    }
    if (key == before)
        t->numbers[key] = named ? next : 0;
    return named ? t->numbers[key] : t->numbers[key]++;
}

/* Describes the metric of a row. Returns the factor to its unit. */
static double metric_of(struct table *t, struct tch_import_metric *m)
{
    const struct tch_buf *unit = &t->text[UNIT];
    const char *better = t->text[BETTER].data;
    double ns = tch_import_unit_ns(unit->data, unit->len);
    bool wall = strcmp(t->text[METRIC].data, "wall") == 0;

    *m = (struct tch_import_metric){
        .name = t->text[METRIC].data,
        .unit = !isnan(ns) || (wall && unit->len == 0) ? "ns" : unit->data,
        .better = wall ? TCH_BETTER_LOWER : tch_import_unit_better(unit->data, unit->len),
        .exact = strcmp(t->text[EXACT].data, "true") == 0 || strcmp(t->text[EXACT].data, "1") == 0,
    };
    if (strncmp(better, "higher", 6) == 0)
        m->better = TCH_BETTER_HIGHER;
    else if (strncmp(better, "lower", 5) == 0)
        m->better = TCH_BETTER_LOWER;
    return isnan(ns) ? 1 : ns;
}

/* Adds the row whose texts were read. */
static void add_row(struct tch_import_input *in, struct table *t, const char *at)
{
    const struct tch_buf *name = &t->text[BENCHMARK];
    struct tch_import_metric m;
    struct tch_result *r;
    double value = NAN;
    double scale;

    (void)tch_parse_f64_n(t->text[VALUE].data, t->text[VALUE].len, &value);
    if (t->text[METRIC].len == 0)
        tch_buf_adds(&t->text[METRIC], "wall");
    for (int i = 0; i < MEMBERS; i++)
        if (t->text[i].failed)
            value = NAN;
    if (name->len == 0 || !isfinite(value)) {
        tch_import_problem(in, at, "this row has no %s",
                           name->len == 0 ? "benchmark" : "finite value");
        return;
    }
    scale = metric_of(t, &m);
    r = tch_import_bench(in, name->data, name->len, true);
    if (r)
        tch_import_value(in, r, &m, run_of(in, t, r), value * scale);
}

static void clear_row(struct table *t)
{
    for (int i = 0; i < MEMBERS; i++)
        tch_buf_clear(&t->text[i]);
}

/* --- CSV --- */

/* Adds a field, without its quotes. Returns what follows its comma; NULL after the last. */
static const char *next_field(const char *p, const char *end, struct tch_buf *b)
{
    bool quoted = p < end && *p == '"';

    for (p += quoted; p < end && (quoted || *p != ','); p++) {
        if (quoted && *p == '"') {
            if (p + 1 < end && p[1] == '"')
                p++;
            else
                quoted = false;
            if (!quoted)
                continue;
        }
        tch_buf_addc(b, *p);
    }
    return p < end ? p + 1 : NULL;
}

/* Reads a header. Returns false if it is none of ours. */
static bool read_header(struct table *t, struct tch_span line)
{
    bool found[MEMBERS] = {false};
    const char *p = line.p;
    const char *end = line.p + line.len;
    size_t n = 0;

    for (; p && n < COLUMNS; n++) {
        tch_buf_clear(&t->key);
        p = next_field(p, end, &t->key);
        t->column[n] = -1;
        for (int i = 0; i < MEMBERS; i++)
            if (strcmp(t->key.data, names[i]) == 0) {
                t->column[n] = i;
                found[i] = true;
            }
    }
    t->columns = found[BENCHMARK] && found[VALUE] ? n : 0;
    return t->columns > 0;
}

static void read_line(struct tch_import_input *in, struct tch_span line, void *ctx)
{
    struct table *t = ctx;
    const char *end = line.p + line.len;
    const char *p = line.p;

    if (line.len == 0)
        return;
    if (t->columns == 0) {
        (void)read_header(t, line);
        return;
    }
    clear_row(t);
    for (size_t i = 0; p && i < t->columns; i++) {
        struct tch_buf *b = t->column[i] >= 0 ? &t->text[t->column[i]] : &t->key;

        tch_buf_clear(b);
        p = next_field(p, end, b);
    }
    add_row(in, t, line.p);
}

/* --- JSON lines --- */

static bool is_object(const struct tch_json_node *e)
{
    return tch_json_tree_is(tch_json_tree_get(e, "benchmark"), TCH_JSON_STRING) &&
           tch_json_tree_get(e, "value");
}

static void read_object(struct tch_import_input *in, const struct tch_json_node *e, void *ctx)
{
    struct table *t = ctx;

    clear_row(t);
    for (int i = 0; i < MEMBERS; i++)
        tch_json_tree_add(&t->text[i], tch_json_tree_get(e, names[i]));
    add_row(in, t,
            tch_json_tree_get(e, "benchmark") ? tch_json_tree_get(e, "benchmark")->text : NULL);
}

/* --- The reader --- */

static void find_header(struct tch_import_input *in, struct tch_span line, void *ctx)
{
    struct table *t = ctx;

    (void)in;
    if (t->columns == 0)
        (void)read_header(t, line);
}

static bool is_samples(const struct tch_import_input *in)
{
    struct tch_import_input copy = *in;
    struct table t;
    bool found;

    if (tch_json_tree_is(in->root, TCH_JSON_OBJECT))
        return is_object(in->root);
    init(&t);
    copy.len = copy.len < 4096 ? copy.len : 4096; /* the header is one of the first lines */
    tch_import_lines(&copy, find_header, &t);
    found = t.columns > 0;
    release(&t);
    return found;
}

static void read_samples(struct tch_import_input *in)
{
    struct table t;

    init(&t);
    if (in->root)
        tch_import_json_lines(in, read_object, &t);
    else
        tch_import_lines(in, read_line, &t);
    release(&t);
}

const struct tch_import_reader tch_import_samples = {
    .format = {.name = "tacho-samples",
               .tool = "tacho-samples",
               .is = "CSV whose header has benchmark and value, or JSON lines with these members",
               .repetition = TCH_BY_PROCESS},
    .is = is_samples,
    .read = read_samples,
};
