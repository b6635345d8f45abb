/* Reads numbers from lines of text. */
#include "number_column.h"

#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/json_read.h"
#include "base/number.h"
#include "base/utf8.h"

enum { BATCH = 256 };

/* Numbers that are passed to the caller in one call. */
struct batch {
    void (*take)(void *ctx, const double *values, size_t n);
    void *ctx;
    size_t n;
    double values[BATCH];
};

/* Part of a line. */
struct span {
    const char *text;
    size_t len;
};

struct reading {
    const char *asked; /* column asked for, or NULL */
    size_t index;      /* index of the CSV column, from 0 */
    struct tch_numbers *found;
};

static struct span trim(struct span s)
{
    while (s.len > 0 && tch_is_blank(s.text[s.len - 1]))
        s.len--;
    while (s.len > 0 && tch_is_blank(s.text[0])) {
        s.text++;
        s.len--;
    }
    if (s.len >= 2 && s.text[0] == '"' && s.text[s.len - 1] == '"') {
        s.text++;
        s.len -= 2;
    }
    return s;
}

static bool to_number(struct span s, double *ret)
{
    return tch_parse_f64_n(s.text, s.len, ret) == 0 && isfinite(*ret);
}

/* Finds field number `index`, from 0, of a CSV line. Returns false after the last. Quoted fields
   may contain commas. */
static bool csv_field(struct span line, size_t index, struct span *ret)
{
    const char *p = line.text;
    const char *end = line.text + line.len;

    for (;;) {
        const char *start = p;

        if (p < end && *p == '"') {
            for (p++; p < end && !(*p == '"' && (p + 1 == end || p[1] != '"')); p++)
                p += *p == '"';
        }
        p = p < end ? memchr(p, ',', (size_t)(end - p)) : NULL;
        if (index-- == 0) {
            *ret = trim((struct span){start, (size_t)((p ? p : end) - start)});
            return true;
        }
        if (!p)
            return false;
        p++;
    }
}

/* Follows a dotted path of keys into nested objects. Returns 1 if found, 0 if missing, negative if
   the line is not JSON. */
static int json_find(struct tch_json_reader *r, const char *path, struct tch_json_value *ret)
{
    struct tch_json_value key;
    size_t len = strcspn(path, ".");
    int found = 0;
    int more;

    while ((more = tch_json_member(r, &key)) > 0) {
        bool whole = tch_json_is(&key, path);
        bool part = !whole && path[len] == '.' && key.len == len && !key.escaped &&
                    memcmp(key.text, path, len) == 0;
        int status = 0;

        if (found || (!whole && !part)) {
            status = tch_json_skip(r);
        } else {
            status = tch_json_read(r, ret);
            if (status == 0 && part && ret->type == TCH_JSON_OBJECT)
                status = found = json_find(r, path + len + 1, ret);
            else if (status == 0 && (ret->type == TCH_JSON_OBJECT || ret->type == TCH_JSON_ARRAY))
                status = tch_json_leave(r);
            else
                found = whole;
        }
        if (status < 0)
            return status;
    }
    return more < 0 ? more : found;
}

static bool json_number(const struct reading *r, struct span line, double *ret)
{
    struct tch_json_reader reader;
    struct tch_json_value value;
    int status;

    tch_json_open(&reader, line.text, line.len, NULL);
    if (tch_json_read(&reader, &value) < 0 || value.type != TCH_JSON_OBJECT)
        return false;
    status = json_find(&reader, r->found->column, &value);
    if (status <= 0 || tch_json_finish(&reader) < 0 || value.type != TCH_JSON_NUMBER)
        return false;
    *ret = tch_json_to_f64(&value);
    return isfinite(*ret);
}

static bool number_of(const struct reading *r, struct span line, double *ret)
{
    struct span field;

    switch (r->found->form) {
    case TCH_NUMBERS_PLAIN:
        return to_number(trim(line), ret);
    case TCH_NUMBERS_CSV:
        return csv_field(line, r->index, &field) && to_number(field, ret);
    case TCH_NUMBERS_JSON:
        return json_number(r, line, ret);
    }
    return false;
}

static void set_column(struct tch_numbers *found, struct span name)
{
    snprintf(found->column, sizeof found->column, "%.*s",
             (int)(name.len < sizeof found->column ? name.len : sizeof found->column - 1),
             name.text);
}

static bool find_column(struct span header, const char *name, size_t *ret)
{
    struct span field;

    for (size_t i = 0; csv_field(header, i, &field); i++)
        if (field.len == strlen(name) && memcmp(field.text, name, field.len) == 0) {
            *ret = i;
            return true;
        }
    return false;
}

static int no_column(const struct reading *r, struct span header, tacho_error *err)
{
    int len = (int)(header.len < 120 ? header.len : 120);

    if (r->asked)
        return tch_fail(err, TACHO_EINVAL, 0, "there is no column '%s'; there are %.*s", r->asked,
                        len, header.text);
    return tch_fail(err, TACHO_EINVAL, 0, "choose one of the columns with --column: %.*s", len,
                    header.text);
}

/* Returns whether a field was meant as a number: 1e309 and nan are, and any text that strtod()
   accepts whole. */
static bool is_meant_as_number(struct span field)
{
    char text[64];
    char *end;
    double number;

    if (to_number(field, &number))
        return true;
    if (field.len >= sizeof text)
        return false;
    memcpy(text, field.text, field.len);
    text[field.len] = '\0';
    strtod(text, &end);
    return end > text && *end == '\0';
}

/* Returns whether a first line is a header: a field of it was not meant as a number. */
static bool is_header(struct span line)
{
    struct span field;

    for (size_t i = 0; csv_field(line, i, &field); i++)
        if (field.len > 0 && !is_meant_as_number(field))
            return true;
    return false;
}

/* Reads the first line. Returns 1 if it is a header, 0 if it is data. */
static int start_csv(struct reading *r, struct span line, tacho_error *err)
{
    bool header = is_header(line);
    uint64_t number;
    struct span field;

    r->found->form = TCH_NUMBERS_CSV;
    if (r->asked && header && find_column(line, r->asked, &r->index)) {
        set_column(r->found, (struct span){r->asked, strlen(r->asked)});
        return 1;
    }
    if (r->asked && tch_parse_u64(r->asked, 1000000, &number) == 0 && number > 0 &&
        csv_field(line, number - 1, &field)) {
        r->index = number - 1;
        if (header)
            set_column(r->found, field);
        return header;
    }
    if (r->asked)
        return no_column(r, trim(line), err);
    if (!csv_field(line, 1, &field)) { /* there is only one column */
        csv_field(line, 0, &field);
    } else if (header && (find_column(line, "wall_time_us", &r->index) ||
                          find_column(line, "wall_ns", &r->index))) {
        csv_field(line, r->index, &field);
    } else {
        return no_column(r, trim(line), err);
    }
    if (header)
        set_column(r->found, field);
    return header;
}

static int detect_form(struct reading *r, struct span line, tacho_error *err)
{
    struct span whole = trim(line);
    double number;

    if (whole.len > 0 && whole.text[0] == '{') {
        if (!r->asked)
            return tch_fail(err, TACHO_EINVAL, 0, "choose a key of the JSON objects with --column");
        r->found->form = TCH_NUMBERS_JSON;
        set_column(r->found, (struct span){r->asked, strlen(r->asked)});
        return 0;
    }
    if (memchr(whole.text, ',', whole.len) || r->asked || !to_number(whole, &number))
        return start_csv(r, line, err);
    r->found->form = TCH_NUMBERS_PLAIN;
    return 0;
}

static int bad_line(const struct reading *r, const struct tch_line *line, tacho_error *err)
{
    struct span s = {line->text, line->len};

    if (line->too_long)
        return tch_fail(err, TACHO_EPARSE, line->number, "the line is too long");
    if (r->found->form == TCH_NUMBERS_CSV && !csv_field(s, r->index, &s))
        return tch_fail(err, TACHO_EPARSE, line->number, "there is no field %zu", r->index + 1);
    s = trim(s);
    return tch_fail(err, TACHO_EPARSE, line->number, "no number%s%s: '%.*s'",
                    r->found->column[0] ? " in " : "", r->found->column,
                    (int)(s.len < 60 ? s.len : 60), s.text);
}

static void flush_batch(struct batch *b)
{
    if (b->n > 0)
        b->take(b->ctx, b->values, b->n);
    b->n = 0;
}

/* Adds all lines up to the next one that is not plain. */
static void add_plain_lines(struct batch *b, struct tch_lines *lines)
{
    size_t n;

    do {
        size_t len;
        const char *text = tch_lines_held(lines, &len);

        n = tch_plain_lines(text, len, b->values + b->n, BATCH - b->n, &len);
        tch_lines_pass(lines, len, n);
        b->n += n;
        if (b->n == BATCH)
            flush_batch(b);
    } while (n > 0);
}

int tch_numbers_read(struct tch_lines *lines, const char *column, bool skip,
                     void (*take)(void *ctx, const double *values, size_t n), void *ctx,
                     struct tch_numbers *ret, tacho_error *err)
{
    struct reading r = {.asked = column, .found = ret};
    struct batch batch = {.take = take, .ctx = ctx};
    struct tch_line line;
    bool started = false;
    int status = 0;

    *ret = (struct tch_numbers){0};
    while (status >= 0 && (status = tch_lines_next(lines, &line, err)) > 0) {
        struct span s = {line.text, line.len};
        double number;

        if (!line.too_long && trim(s).len == 0)
            continue;
        if (!started && !line.too_long) {
            started = true;
            status = detect_form(&r, s, err);
            if (status != 0)
                continue; /* a header, or a failure */
        }
        if (!line.too_long && number_of(&r, s, &number)) {
            batch.values[batch.n++] = number;
            if (batch.n == BATCH)
                flush_batch(&batch);
            if (ret->form == TCH_NUMBERS_PLAIN)
                add_plain_lines(&batch, lines);
        } else if (skip) {
            ret->first_skipped = ret->skipped++ == 0 ? line.number : ret->first_skipped;
        } else {
            status = bad_line(&r, &line, err);
        }
    }
    flush_batch(&batch);
    return status < 0 ? status : 0;
}
