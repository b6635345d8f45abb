/* struct tch_lines: memchr() over a buffer that grows up to the longest line. */
#include "lines.h"

#include <errno.h>

#include "fail.h"
#include "file.h"

/* One byte less than the maximum, because the LF has to fit, too. */
static size_t longest_or_default(size_t longest)
{
    if (longest == 0)
        return TCH_LINES_LONGEST;
    return longest < SIZE_MAX ? longest : SIZE_MAX - 1;
}

static ssize_t read_fd(void *ctx, void *data, size_t len, tacho_error *err)
{
    const struct tch_lines *lines = ctx;
    ssize_t n = tch_read_some(lines->fd, data, len);

    return n < 0 ? tch_fail_errno(err, errno, "cannot read '%s'", lines->name) : n;
}

void tch_lines_init_fd(struct tch_lines *lines, int fd, const char *name, size_t longest)
{
    tch_lines_init_source(lines, read_fd, NULL, name, longest);
    lines->fd = fd;
}

void tch_lines_init_source(struct tch_lines *lines, tch_lines_source *source, void *ctx,
                           const char *name, size_t longest)
{
    *lines = (struct tch_lines){
        .source = source,
        .ctx = ctx,
        .fd = -1,
        .name = name,
        .longest = longest_or_default(longest),
        .data = "",
    };
}

void tch_lines_init_mem(struct tch_lines *lines, const char *data, size_t len, size_t longest)
{
    *lines = (struct tch_lines){
        .fd = -1,
        .longest = longest_or_default(longest),
        .data = data ? data : "",
        .end = len,
        .at_end = true,
    };
}

void tch_lines_release(struct tch_lines *lines)
{
    free(lines->buffer);
    *lines = (struct tch_lines){.fd = -1, .data = "", .at_end = true};
}

/* Makes room after `end`: moves the current line to the front, then grows. Text beyond the longest
   line was discarded before, so growing stops there. */
static int make_room(struct tch_lines *lines, tacho_error *err)
{
    size_t held = lines->end - lines->start;
    size_t size = lines->size ? lines->size * 2 : TCH_LINES_BUFFER;
    char *buffer;

    if (held == 0)
        lines->start = lines->end = 0;
    if (lines->end < lines->size)
        return 0;
    if (lines->start > 0) {
        memmove(lines->buffer, lines->buffer + lines->start, held);
        lines->start = 0;
        lines->end = held;
        return 0;
    }
    if (size > TCH_LINES_BUFFER && size > lines->longest + 1)
        size = lines->longest + 1;
    buffer = realloc(lines->buffer, size);
    if (!buffer)
        return tch_fail(err, TACHO_ENOMEM, lines->number + 1, "out of memory reading '%s'",
                        lines->name);
    lines->buffer = buffer;
    lines->data = buffer;
    lines->size = size;
    return 0;
}

/* Makes a line of the bytes passed over and the first `len` bytes at start, and moves past it. */
static void finish_line(struct tch_lines *lines, size_t len, bool ended, struct tch_line *ret)
{
    size_t whole = lines->passed + len;
    bool too_long = whole > lines->longest;

    *ret = (struct tch_line){
        .text = too_long ? NULL : lines->data + lines->start,
        .len = whole,
        .number = ++lines->number,
        .offset = lines->offset,
        .ended = ended,
        .too_long = too_long,
    };
    lines->start += len + ended;
    lines->offset += whole + ended;
    lines->searched = 0;
    lines->passed = 0;
}

int tch_lines_next(struct tch_lines *lines, struct tch_line *ret, tacho_error *err)
{
    for (;;) {
        const char *start = lines->data + lines->start;
        size_t held = lines->end - lines->start;
        const char *lf = NULL;
        ssize_t n;
        int result;

        if (held > lines->searched)
            lf = memchr(start + lines->searched, '\n', held - lines->searched);
        if (lf || (lines->at_end && (held > 0 || lines->passed > 0))) {
            finish_line(lines, lf ? (size_t)(lf - start) : held, lf != NULL, ret);
            return 1;
        }
        if (lines->at_end)
            return 0;
        lines->searched = held;
        if (held > lines->longest) {
            lines->passed += held;
            lines->start = lines->end;
            lines->searched = 0;
        }
        result = make_room(lines, err);
        if (result < 0)
            return result;
        n = lines->source(lines->ctx ? lines->ctx : lines, lines->buffer + lines->end,
                          lines->size - lines->end, err);
        if (n < 0)
            return (int)n;
        lines->end += (size_t)n;
        lines->at_end = n == 0;
    }
}

int tch_lines_peek(struct tch_lines *lines, struct tch_line *ret, tacho_error *err)
{
    int status = tch_lines_next(lines, ret, err);

    if (status > 0 && !ret->too_long) { /* it is still in memory: go back to its start */
        lines->start -= ret->len + ret->ended;
        lines->offset = ret->offset;
        lines->number = ret->number - 1;
    }
    return status;
}

const char *tch_lines_held(const struct tch_lines *lines, size_t *len)
{
    *len = lines->passed > 0 ? 0 : lines->end - lines->start;
    return lines->data + lines->start;
}

void tch_lines_pass(struct tch_lines *lines, size_t len, uint64_t count)
{
    lines->start += len;
    lines->offset += len;
    lines->number += count;
    lines->searched = 0;
}
