/* Reads CSV files by the columns of their kind. */
#include "csv_read.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fail.h"
#include "base/lines.h"
#include "base/number.h"
#include "csv_columns.h"

enum { ROW_MAX = 1024 * 1024 };

struct reading {
    const struct tch_csv_kind *kind;
    unsigned count; /* columns of this file */
    tacho_csv_row_fn *each;
    void *ctx;
    struct tch_buf row;  /* the lines of a row whose quoted text contains line feeds */
    struct tch_buf text; /* a quoted text without its quotes */
};

/* A field without its quotes. It points into the row or into r->text. */
struct field {
    const char *text;
    size_t len;
};

static int read_quoted(struct reading *r, const char **at, const char *end, struct field *ret)
{
    const char *p = *at + 1;

    tch_buf_clear(&r->text);
    for (;;) {
        const char *quote = memchr(p, '"', (size_t)(end - p));

        if (!quote)
            return -1;
        tch_buf_add(&r->text, p, (size_t)(quote - p));
        p = quote + 1;
        if (p == end || *p != '"')
            break;
        tch_buf_addc(&r->text, *p++);
    }
    *ret = (struct field){r->text.data, r->text.len};
    *at = p;
    return 0;
}

/* Reads the field at *at and moves *at to the comma after it. */
static int read_field(struct reading *r, const char **at, const char *end, struct field *ret)
{
    const char *comma;

    if (*at < end && **at == '"')
        return read_quoted(r, at, end, ret);
    comma = memchr(*at, ',', (size_t)(end - *at));
    *ret = (struct field){*at, (size_t)((comma ? comma : end) - *at)};
    *at = comma ? comma : end;
    return 0;
}

static bool is_text(struct field f, const char *text)
{
    return f.len == strlen(text) && memcmp(f.text, text, f.len) == 0;
}

static int parse_f64(struct field f, double *ret)
{
    if (is_text(f, "NaN") || f.len == 0)
        *ret = NAN;
    else if (is_text(f, "inf"))
        *ret = INFINITY;
    else if (is_text(f, "-inf"))
        *ret = -INFINITY;
    else
        return tch_parse_f64_n(f.text, f.len, ret);
    return 0;
}

static int set_field(const struct tch_csv_column *column, struct field f, void *row)
{
    char *to = (char *)row + column->offset;

    if (column->type == TCH_CSV_U64)
        return tch_parse_u64_n(f.text, f.len, UINT64_MAX, (uint64_t *)(void *)to);
    if (column->type == TCH_CSV_F64)
        return parse_f64(f, (double *)(void *)to);
    /* An empty text ends at its NUL, so that the row can be written again as it is. */
    *(const char **)(void *)to = f.len > 0 ? f.text : "";
    *(size_t *)(void *)(to + sizeof(char *)) = f.len;
    return 0;
}

static int parse_row(struct reading *r, const char *data, size_t len, uint64_t line,
                     tacho_error *err)
{
    const char *at = data;
    const char *end = data + len;
    tacho_csv_row row = {.line = line};

    for (unsigned c = 0; c < r->count; c++) {
        const struct tch_csv_column *column = &r->kind->columns[c];
        struct field f;

        if (c > 0 && at == end)
            return tch_fail(err, TACHO_EPARSE, line, "%u fields where %s.csv has %u", c,
                            r->kind->file, r->count);
        at += c > 0; /* the comma */
        if (read_field(r, &at, end, &f) < 0)
            return tch_fail(err, TACHO_EPARSE, line, "a quote is not closed");
        if (at < end && *at != ',')
            return tch_fail(err, TACHO_EPARSE, line, "text after the closing quote of '%s'",
                            column->name);
        if (r->text.failed)
            return tch_fail_memory(err);
        if (set_field(column, f, &row.as) < 0)
            return tch_fail(err, TACHO_EPARSE, line, "'%.*s' is not a %s of '%s'",
                            (int)(f.len < 40 ? f.len : 40), f.text,
                            column->type == TCH_CSV_U64 ? "whole number" : "number", column->name);
    }
    if (at < end)
        return tch_fail(err, TACHO_EPARSE, line, "more than the %u fields of %s.csv", r->count,
                        r->kind->file);
    return r->each(&row, r->ctx, err);
}

static bool odd_quotes(const char *text, size_t len)
{
    bool odd = false;

    for (const char *p = text; (p = memchr(p, '"', (size_t)(text + len - p))); p++)
        odd = !odd;
    return odd;
}

/* Joins lines until the quotes are even: a quoted text may contain line feeds. */
static int join_lines(struct reading *r, struct tch_lines *lines, struct tch_line *line,
                      tacho_error *err)
{
    uint64_t first = line->number;
    bool open = true;

    tch_buf_clear(&r->row);
    tch_buf_add(&r->row, line->text, line->len);
    while (open) {
        int more = tch_lines_next(lines, line, err);

        if (more < 0)
            return more;
        if (more == 0)
            return tch_fail(err, TACHO_EPARSE, first, "a quote is not closed");
        if (line->too_long)
            return tch_fail(err, TACHO_EPARSE, line->number, "the line is too long");
        tch_buf_addc(&r->row, '\n');
        tch_buf_add(&r->row, line->text, line->len);
        if (r->row.failed)
            return tch_fail(err, TACHO_EPARSE, first,
                            "out of memory, or a row has more than %d bytes", ROW_MAX);
        open = !odd_quotes(line->text, line->len);
    }
    return parse_row(r, r->row.data, r->row.len, first, err);
}

/* Returns whether a line is this header, which ends with LF. The line may end with CR. */
static bool is_header(const struct tch_line *line, const char *header)
{
    size_t len = strlen(header) - 1;

    return line->text && line->len >= len && memcmp(line->text, header, len) == 0 &&
           (line->len == len || (line->len == len + 1 && line->text[len] == '\r'));
}

/* Reads the first line, which decides which columns the file has. */
static int read_header(struct reading *r, struct tch_lines *lines, tacho_error *err)
{
    const struct tch_csv_kind *k = r->kind;
    struct tch_line line;
    int more = tch_lines_next(lines, &line, err);

    if (more < 0)
        return more;
    if (more > 0 && is_header(&line, k->header))
        r->count = k->count;
    else if (more > 0 && k->short_header && is_header(&line, k->short_header))
        r->count = k->short_count;
    else
        return tch_fail(err, TACHO_EPARSE, 1, "the first line must be the header of %s.csv, '%.*s'",
                        k->file, (int)strlen(k->header) - 1, k->header);
    return 0;
}

static int read_rows(struct reading *r, struct tch_lines *lines, tacho_error *err)
{
    struct tch_line line;
    int more = read_header(r, lines, err);

    if (more < 0)
        return more;
    while ((more = tch_lines_next(lines, &line, err)) > 0) {
        int status;

        if (line.too_long)
            return tch_fail(err, TACHO_EPARSE, line.number, "the line is too long");
        if (odd_quotes(line.text, line.len)) {
            status = join_lines(r, lines, &line, err);
        } else {
            if (line.len > 0 && line.text[line.len - 1] == '\r')
                line.len--;
            status = line.len == 0 ? 0 : parse_row(r, line.text, line.len, line.number, err);
        }
        if (status != 0)
            return status;
    }
    return more;
}

static int read_lines(struct tch_lines *lines, enum tacho_csv_kind kind, tacho_csv_row_fn *each,
                      void *ctx, tacho_error *err)
{
    struct reading r = {.kind = tch_csv_kind(kind), .each = each, .ctx = ctx};
    int status;

    if (!r.kind)
        return tch_fail(err, TACHO_EINVAL, 0, "there is no CSV file of kind %d", kind);
    tch_buf_init(&r.row, ROW_MAX);
    tch_buf_init(&r.text, ROW_MAX);
    status = read_rows(&r, lines, err);
    tch_buf_release(&r.row);
    tch_buf_release(&r.text);
    return status;
}

int tch_csv_read_fd(int fd, const char *name, enum tacho_csv_kind kind, tacho_csv_row_fn *each,
                    void *ctx, tacho_error *err)
{
    struct tch_lines lines;
    int status;

    tch_lines_init_fd(&lines, fd, name, ROW_MAX);
    status = read_lines(&lines, kind, each, ctx, err);
    tch_lines_release(&lines);
    close(fd);
    return status;
}

int tacho_csv_read(const char *path, enum tacho_csv_kind kind, tacho_csv_row_fn *each, void *ctx,
                   tacho_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return tch_fail_errno(err, errno, "cannot read '%s'", path);
    return tch_csv_read_fd(fd, path, kind, each, ctx, err);
}

int tacho_csv_parse(const char *data, size_t len, enum tacho_csv_kind kind, tacho_csv_row_fn *each,
                    void *ctx, tacho_error *err)
{
    struct tch_lines lines;
    int status;

    tch_lines_init_mem(&lines, data, len, ROW_MAX);
    status = read_lines(&lines, kind, each, ctx, err);
    tch_lines_release(&lines);
    return status;
}
