/* A window that moves over a document, for the JSON reader, and the line and column of a byte in
   it. */
#include "json_read.h"

#include <errno.h>

#include "fail.h"

/* A stream keeps this many unmarked bytes after the marked ones, so that an escape, a literal or a
   UTF-8 sequence that starts at a mark is in the window as a whole. */
enum { LOOKAHEAD = 64 };

int tch_json_open_stream(struct tch_json_reader *r, tch_json_source *source, void *ctx,
                         size_t limit, tacho_error *err)
{
    char *window = calloc(1, TCH_JSON_WINDOW + TCH_JSON_SPARE);

    if (!window)
        return tch_fail_memory(err);
    tch_json_open(r, "", 0, err);
    r->data = r->end = r->scanned = r->checked = r->batch = window;
    r->source = source;
    r->ctx = ctx;
    r->ended = false;
    r->size = TCH_JSON_WINDOW;
    r->limit = limit > TCH_JSON_WINDOW ? limit : TCH_JSON_WINDOW;
    return 0;
}

/* Returns the window as writable memory: the reader owns it, though it reads it through const
   pointers. */
static char *window_of(const struct tch_json_reader *r)
{
    return (char *)(uintptr_t)r->data;
}

void tch_json_close(struct tch_json_reader *r)
{
    if (r->source)
        free(window_of(r));
    tch_json_open(r, "", 0, NULL);
}

/* Moves the text between two places in memory and adjusts every pointer into it. */
static void relocate(struct tch_json_reader *r, const char *from, char *to, const char **moved)
{
    size_t len = (size_t)(r->end - from);

    memmove(to, from, len);
    r->scanned = to + (r->scanned - from);
    r->checked = r->checked > from ? to + (r->checked - from) : to;
    if (r->hold)
        r->hold = to + (r->hold - from);
    if (moved)
        *moved = to + (*moved - from);
    r->end = to + len;
}

static void forget(struct tch_json_reader *r, const char *until)
{
    const char *p = r->data;

    while ((p = memchr(p, '\n', (size_t)(until - p))) != NULL) {
        p++;
        r->lines++;
        r->line_start = r->before + (uint64_t)(p - r->data);
    }
    r->before += (uint64_t)(until - r->data);
}

static bool grow(struct tch_json_reader *r, const char **moved)
{
    size_t size = r->size < r->limit / 2 ? r->size * 2 : r->limit;
    char *window;

    if (r->size >= r->limit) {
        r->status =
            tch_fail(r->err, TACHO_ELIMIT, 0, "one value is longer than %zu bytes", r->limit);
        return false;
    }
    window = calloc(1, size + TCH_JSON_SPARE);
    if (!window) {
        r->status = tch_fail_memory(r->err);
        return false;
    }
    char *old = window_of(r);

    relocate(r, old, window, moved);
    free(old);
    r->data = window;
    r->size = size;
    return true;
}

bool tch_json_refill(struct tch_json_reader *r, const char **moved)
{
    const char *keep = r->scanned;
    ssize_t got;

    if (r->ended || r->status < 0)
        return false;
    if (r->hold && r->hold < keep)
        keep = r->hold;
    if (moved && *moved < keep)
        keep = *moved;
    if (keep > r->data) {
        forget(r, keep);
        relocate(r, keep, window_of(r), moved);
    } else if (r->end == r->data + r->size && !grow(r, moved)) {
        return false;
    }
    do
        got = r->source(r->ctx, window_of(r) + (r->end - r->data),
                        r->size - (size_t)(r->end - r->data));
    while (got < 0 && errno == EINTR);
    if (got < 0) {
        r->status = tch_fail_errno(r->err, errno, "cannot read on at byte %llu",
                                   (unsigned long long)(r->before + (uint64_t)(r->end - r->data)));
        return false;
    }
    r->ended = got == 0;
    r->end += got;
    return true;
}

size_t tch_json_usable_stream(struct tch_json_reader *r)
{
    for (;;) {
        size_t left = (size_t)(r->end - r->scanned);

        if (r->ended)
            return left;
        if (left >= LOOKAHEAD + TCH_JSON_BLOCK)
            return (left - LOOKAHEAD) / TCH_JSON_BLOCK * TCH_JSON_BLOCK;
        if (!tch_json_refill(r, NULL))
            return 0;
    }
}

void tch_json_locate(const struct tch_json_reader *r, const char *at, tacho_error *err)
{
    uint64_t line_start = r->line_start;
    const char *p = r->data;

    err->line = r->lines + 1;
    err->offset = r->before + (uint64_t)(at - r->data);
    while ((p = memchr(p, '\n', (size_t)(at - p))) != NULL) {
        p++;
        err->line++;
        line_start = r->before + (uint64_t)(p - r->data);
    }
    err->column = err->offset - line_start + 1;
}

uint64_t tch_json_offset(const struct tch_json_reader *r, const struct tch_json_value *value)
{
    return r->before + (uint64_t)(value->text - r->data);
}
