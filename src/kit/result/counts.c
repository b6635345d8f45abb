/* Counts in memory and in run.json. */
#include "counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/json_read.h"
#include "base/json_write.h"

bool tch_count_find(const char *name, size_t len, enum tch_count_kind *ret)
{
    for (int i = 0; i < TCH_COUNTS; i++) {
        const char *own = tch_count_metric((enum tch_count_kind)i)->name;
        size_t at = 0;

        while (at < len && own[at] && (name[at] == own[at] || (name[at] == '-' && own[at] == '_')))
            at++;
        if (at == len && own[at] == '\0') {
            *ret = (enum tch_count_kind)i;
            return true;
        }
    }
    return false;
}

int tch_counts_parse_list(const char *text, unsigned *ret, const char **bad)
{
    unsigned counts = 0;

    for (;;) {
        size_t len = strcspn(text, ",");
        enum tch_count_kind kind;

        if (!tch_count_find(text, len, &kind)) {
            *bad = text;
            return TACHO_EINVAL;
        }
        counts |= 1u << kind;
        if (text[len] == '\0')
            break;
        text += len + 1;
    }
    *ret = counts;
    return 0;
}

bool tch_count_exact(const struct tch_count *c)
{
    for (size_t i = 1; i < c->values.n; i++)
        if (c->values.v[i] != c->values.v[0])
            return false;
    return c->values.n > 1;
}

void tch_counts_release(struct tch_counts *counts)
{
    for (int i = 0; i < TCH_COUNTS; i++) {
        tch_values_release(&counts->of[i].values);
        free(counts->of[i].parts);
        tch_count_stacks_release(&counts->of[i]);
    }
    *counts = (struct tch_counts){0};
}

bool tch_counts_asked(const struct tch_counts *counts)
{
    for (int i = 0; i < TCH_COUNTS; i++)
        if (counts->of[i].asked)
            return true;
    return false;
}

void tch_count_add_source(struct tch_buf *b, const struct tch_count *c, double wall_ns)
{
    if (c->values.n == 0) {
        tch_buf_adds(b, c->why_not);
        return;
    }
    tch_buf_addf(b, "%s; %zu run%s of ", c->source, c->values.n, tch_plural(c->values.n));
    tch_add_value(b, TCH_NS, c->run_ns);
    if (wall_ns > 0 && c->run_ns > 2 * wall_ns)
        tch_buf_addf(b, ", %.0f times a timed one", c->run_ns / wall_ns);
}

/* --- Writing --- */

static void write_count(struct tch_buf *b, const struct tch_count *c)
{
    tch_json_begin_object(b);
    tch_json_put_bool(b, "countable", !c->why_not[0]);
    tch_json_put_text(b, "why_not", c->why_not[0] ? c->why_not : NULL);
    if (!c->why_not[0]) {
        tch_json_put_bool(b, "exact", tch_count_exact(c));
        tch_json_key(b, "values");
        tch_json_begin_array(b);
        for (size_t i = 0; i < c->values.n; i++)
            tch_json_f64(b, c->values.v[i]);
        tch_json_end_array(b);
        tch_json_put_text(b, "source", c->source);
        tch_json_put_text(b, "key", c->key);
        tch_json_put_f64(b, "run_ns", c->run_ns);
    }
    if (c->part_count > 0) {
        tch_json_key(b, "parts");
        tch_json_begin_object(b);
        for (size_t i = 0; i < c->part_count; i++)
            tch_json_put_f64(b, c->parts[i].name, c->parts[i].value);
        tch_json_end_object(b);
    }
    if (c->stack_count > 0) {
        tch_json_key(b, "stacks");
        tch_json_begin_object(b);
        for (size_t i = 0; i < c->stack_count; i++)
            tch_json_put_f64(b, c->stacks[i].text, c->stacks[i].value);
        tch_json_end_object(b);
    }
    if (c->no_stacks[0])
        tch_json_put_text(b, "no_stacks", c->no_stacks);
    tch_json_end_object(b);
}

void tch_counts_write(struct tch_buf *b, const struct tch_counts *counts)
{
    tch_json_begin_object(b);
    for (int i = 0; i < TCH_COUNTS; i++) {
        if (!counts->of[i].asked)
            continue;
        tch_json_key(b, tch_count_metric((enum tch_count_kind)i)->name);
        write_count(b, &counts->of[i]);
    }
    tch_json_end_object(b);
}

void tch_counts_write_plan(struct tch_buf *b, unsigned counts, uint64_t runs)
{
    if (counts == 0)
        return;
    tch_json_key(b, "counts");
    tch_json_begin_array(b);
    for (int i = 0; i < TCH_COUNTS; i++)
        if (counts >> i & 1)
            tch_json_text(b, tch_count_metric((enum tch_count_kind)i)->name);
    tch_json_end_array(b);
    tch_json_put_u64(b, "count_runs", runs);
}

/* --- Parsing --- */

static int fail(tacho_error *err, const char *why)
{
    return tch_fail(err, TACHO_EPARSE, 0, "'counts': %s", why);
}

static int read_text(struct tch_json_reader *j, char *out, size_t size, tacho_error *err)
{
    struct tch_json_value value;
    struct tch_buf b;

    if (tch_json_read(j, &value) < 0)
        return j->status;
    out[0] = '\0';
    if (value.type == TCH_JSON_NULL)
        return 0;
    if (value.type != TCH_JSON_STRING)
        return fail(err, "a string is missing");
    tch_buf_init_on(&b, out, size, size - 1);
    tch_json_unescape(&value, &b);
    tch_buf_release(&b);
    return 0;
}

static int read_number(struct tch_json_reader *j, double *ret, tacho_error *err)
{
    struct tch_json_value value;

    if (tch_json_read(j, &value) < 0)
        return j->status;
    if (value.type != TCH_JSON_NUMBER)
        return fail(err, "a number is missing");
    *ret = tch_json_to_f64(&value);
    return isfinite(*ret) && *ret >= 0 ? 0 : fail(err, "a count must be 0 or more");
}

static int read_values(struct tch_json_reader *j, struct tch_values *values, tacho_error *err)
{
    struct tch_json_value value;
    double number = 0;
    int more = 0;
    int status = tch_json_read(j, &value);

    if (status == 0 && value.type != TCH_JSON_ARRAY)
        return fail(err, "'values' must be a list of numbers");
    while (status == 0 && (more = tch_json_element(j)) > 0) {
        status = read_number(j, &number, err);
        if (status == 0)
            status = tch_values_add(values, number, err);
    }
    return status < 0 ? status : more;
}

static int read_parts(struct tch_json_reader *j, struct tch_count *c, tacho_error *err)
{
    struct tch_json_value key;
    int more = 0;
    int status = tch_json_read(j, &key);

    if (status == 0 && (key.type != TCH_JSON_OBJECT || c->part_count > 0))
        return fail(err, "'parts' must be one object");
    while (status == 0 && (more = tch_json_member(j, &key)) > 0) {
        struct tch_count_part *part;
        struct tch_buf name;

        if (c->part_count == TCH_COUNT_PARTS)
            return fail(err, "there are too many parts");
        if (tch_array_extend(&c->parts, c->part_count) < 0)
            return tch_fail_memory(err);
        part = &c->parts[c->part_count++];
        *part = (struct tch_count_part){0};
        tch_buf_init_on(&name, part->name, sizeof part->name, sizeof part->name - 1);
        tch_json_unescape(&key, &name);
        tch_buf_release(&name);
        status = read_number(j, &part->value, err);
    }
    return status < 0 ? status : more;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct tch_count_stack *)a)->text,
                  ((const struct tch_count_stack *)b)->text);
}

static int read_stacks(struct tch_json_reader *j, struct tch_count *c, tacho_error *err)
{
    struct tch_json_value key;
    int more = 0;
    int status = tch_json_read(j, &key);

    if (status == 0 && (key.type != TCH_JSON_OBJECT || c->stack_count > 0))
        return fail(err, "'stacks' must be one object");
    while (status == 0 && (more = tch_json_member(j, &key)) > 0) {
        struct tch_buf text;
        double value = 0;

        if (c->stack_count == TCH_COUNT_STACKS)
            return fail(err, "there are too many stacks");
        tch_buf_init(&text, TCH_COUNT_STACK_TEXT);
        tch_json_unescape(&key, &text);
        if (text.failed) {
            tch_buf_release(&text);
            return fail(err, "the text of a stack is too long");
        }
        status = read_number(j, &value, err);
        if (status < 0 || tch_array_extend(&c->stacks, c->stack_count) < 0) {
            tch_buf_release(&text);
            return status < 0 ? status : tch_fail_memory(err);
        }
        c->stacks[c->stack_count] =
            (struct tch_count_stack){.text = tch_buf_take(&text), .value = value};
        if (!c->stacks[c->stack_count].text)
            return tch_fail_memory(err);
        c->stack_count++;
    }
    if (c->stack_count > 1)
        qsort(c->stacks, c->stack_count, sizeof *c->stacks, by_text);
    return status < 0 ? status : more;
}

static int read_count(struct tch_json_reader *j, struct tch_count *c, tacho_error *err)
{
    struct tch_json_value key;
    int more = 0;
    int status = tch_json_read(j, &key);

    if (status == 0 && (key.type != TCH_JSON_OBJECT || c->asked))
        return fail(err, "a count must be one object");
    c->asked = true;
    while (status == 0 && (more = tch_json_member(j, &key)) > 0) {
        if (tch_json_is(&key, "why_not"))
            status = read_text(j, c->why_not, sizeof c->why_not, err);
        else if (tch_json_is(&key, "source"))
            status = read_text(j, c->source, sizeof c->source, err);
        else if (tch_json_is(&key, "key"))
            status = read_text(j, c->key, sizeof c->key, err);
        else if (tch_json_is(&key, "run_ns"))
            status = read_number(j, &c->run_ns, err);
        else if (tch_json_is(&key, "values") && c->values.n == 0)
            status = read_values(j, &c->values, err);
        else if (tch_json_is(&key, "parts"))
            status = read_parts(j, c, err);
        else if (tch_json_is(&key, "stacks"))
            status = read_stacks(j, c, err);
        else if (tch_json_is(&key, "no_stacks"))
            status = read_text(j, c->no_stacks, sizeof c->no_stacks, err);
        else
            status = tch_json_skip(j);
    }
    if (status == 0 && more == 0 && c->values.n == 0 && !c->why_not[0])
        return fail(err, "a count needs values, or a reason why there are none");
    return status < 0 ? status : more;
}

int tch_counts_read(struct tch_json_reader *r, struct tch_counts *ret, tacho_error *err)
{
    struct tch_json_value key;
    int more = 0;
    int status = tch_json_read(r, &key);

    if (status == 0 && key.type == TCH_JSON_NULL)
        return 0;
    if (status == 0 && key.type != TCH_JSON_OBJECT)
        return fail(err, "must be an object");
    while (status == 0 && (more = tch_json_member(r, &key)) > 0) {
        enum tch_count_kind kind;

        status = tch_count_find(key.text, key.len, &kind) ? read_count(r, &ret->of[kind], err)
                                                          : tch_json_skip(r);
    }
    return status < 0 ? status : more;
}

int tch_counts_parse(const char *json, struct tch_counts *ret, tacho_error *err)
{
    struct tch_json_reader r;

    if (!json)
        return 0;
    tch_json_open(&r, json, strlen(json), err);
    return tch_counts_read(&r, ret, err);
}
