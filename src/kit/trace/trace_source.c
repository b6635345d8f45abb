/* Reads the bytes of a trace from a file, a pipe or gzip data. */

#include "trace_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/json_read.h"

/* Reads the bytes that were read ahead, then the file. */
static ssize_t read_raw(void *ctx, char *buf, size_t size)
{
    struct tch_trace_source *s = ctx;
    size_t left = s->raw_len - s->raw_at;
    ssize_t got;

    if (left > 0) {
        size_t n = left < size ? left : size;

        memcpy(buf, s->raw + s->raw_at, n);
        s->raw_at += n;
        return (ssize_t)n;
    }
    do
        got = read(s->fd, buf, size);
    while (got < 0 && errno == EINTR);
    return got;
}

static ssize_t read_plain(void *ctx, char *buf, size_t size)
{
    struct tch_trace_source *s = ctx;
    ssize_t got = s->gunzip ? tch_inflate_read(s->gunzip, buf, size) : read_raw(s, buf, size);

    if (got < 0 && errno == EBADMSG) {
        s->damaged = true;
        return 0;
    }
    s->bomb = s->bomb || (got < 0 && s->gunzip && errno == EFBIG);
    if (got == 0 && s->gunzip && tch_inflate_cut(s->gunzip))
        s->damaged = true;
    return got;
}

/* Reads until buf is full or the input ends. */
static ssize_t read_full(ssize_t (*read_some)(void *ctx, char *buf, size_t size),
                         struct tch_trace_source *s, char *buf, size_t size)
{
    size_t len = 0;

    while (len < size) {
        ssize_t got = read_some(s, buf + len, size - len);

        if (got < 0)
            return -1;
        if (got == 0)
            break;
        len += (size_t)got;
    }
    return (ssize_t)len;
}

int tch_trace_source_open(struct tch_trace_source *s, const char *path, tacho_error *err)
{
    ssize_t got;

    *s = (struct tch_trace_source){.path = path, .fd = -1, .last = '['};
    s->raw = malloc(TCH_SOURCE_HEAD);
    s->head = malloc(TCH_SOURCE_HEAD);
    if (!s->raw || !s->head)
        return tch_fail_memory(err);
    s->fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (s->fd < 0)
        return tch_fail_errno(err, errno, "cannot open '%.150s'", path);
    got = read_full(read_raw, s, s->raw, TCH_SOURCE_HEAD);
    if (got < 0)
        return tch_fail_errno(err, errno, "cannot read '%.150s'", path);
    s->raw_len = (size_t)got;
    if (s->raw_len >= 2 && memcmp(s->raw, "\x1f\x8b", 2) == 0) {
        int status = tch_inflate_open(&s->gunzip, read_raw, s, err);

        if (status < 0)
            return status;
        s->compressed = true;
    }
    got = read_full(read_plain, s, s->head, TCH_SOURCE_HEAD);
    if (got < 0)
        return tch_fail_errno(err, errno, "cannot read '%.150s'", path);
    s->head_len = (size_t)got;
    return 0;
}

void tch_trace_source_close(struct tch_trace_source *s)
{
    tch_inflate_close(s->gunzip);
    free(s->raw);
    free(s->head);
    if (s->fd > STDIN_FILENO)
        close(s->fd);
    *s = (struct tch_trace_source){.fd = -1};
}

/* Replaces line feeds by commas in place, so that offsets stay the same. */
static void join_lines(struct tch_trace_source *s, char *buf, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (buf[i] == '\n')
            buf[i] = s->last == ',' || s->last == '[' ? ' ' : ',';
        if (buf[i] != ' ' && buf[i] != '\t' && buf[i] != '\r')
            s->last = buf[i];
    }
}

ssize_t tch_trace_source_read(void *ctx, char *buf, size_t size)
{
    struct tch_trace_source *s = ctx;
    size_t left = s->head_len - s->head_at, n;
    ssize_t got;

    if (s->lines && !s->opened) {
        s->opened = true;
        *buf = '[';
        return 1;
    }
    if (left > 0) {
        n = left < size ? left : size;
        memcpy(buf, s->head + s->head_at, n);
        s->head_at += n;
        got = (ssize_t)n;
    } else {
        got = read_plain(s, buf, size);
    }
    if (got <= 0)
        return got;
    if (s->lines)
        join_lines(s, buf, (size_t)got);
    s->given += (uint64_t)got;
    if (s->progress)
        s->progress(s->progress_ctx, s->given);
    return got;
}

bool tch_trace_source_is_lines(const struct tch_trace_source *s)
{
    const char *at = s->head, *end = s->head + s->head_len;
    const char *feed;

    while (at < end && strchr(" \t\r\n", *at))
        at++;
    feed = at < end && *at == '{' ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    if (!feed || tch_json_check(at, (size_t)(feed - at), NULL) < 0)
        return false;
    while (feed < end && strchr(" \t\r\n", *feed))
        feed++;
    return feed < end && *feed == '{';
}

/* Lines. */

enum { LINE_LIMIT = 16 << 20, LINE_ROOM = 256 * 1024 };

static int more_bytes(struct tch_trace_source_lines *l, tacho_error *err)
{
    ssize_t got;

    if (l->at > 0) {
        memmove(l->buf, l->buf + l->at, l->end - l->at);
        l->end -= l->at;
        l->at = 0;
    }
    if (l->end == l->room) {
        size_t room = l->room > 0 ? l->room * 2 : LINE_ROOM;

        if (room > LINE_LIMIT)
            return tch_fail(err, TACHO_ELIMIT, l->number + 1, "a line is too long");
        if (tch_array_reserve(&l->buf, &l->room, room) < 0)
            return tch_fail_memory(err);
    }
    got = tch_trace_source_read(l->s, l->buf + l->end, l->room - l->end);
    if (got < 0)
        return tch_fail_errno(err, errno, "cannot read '%.150s'", l->s->path);
    l->end += (size_t)got;
    return got > 0;
}

int tch_trace_source_line(struct tch_trace_source_lines *l, const char **text, size_t *len,
                          tacho_error *err)
{
    size_t seen = 0;
    const char *feed = NULL;
    int more = 1;

    while (more > 0) {
        if (l->end - l->at > seen)
            feed = memchr(l->buf + l->at + seen, '\n', l->end - l->at - seen);
        if (feed)
            break;
        seen = l->end - l->at;
        more = more_bytes(l, err);
    }
    if (more < 0 || l->at == l->end)
        return more < 0 ? more : 0;
    *text = l->buf + l->at;
    *len = feed ? (size_t)(feed - *text) : l->end - l->at;
    l->number++;
    l->offset = l->next;
    l->next += *len + (feed != NULL);
    l->at += *len + (feed != NULL);
    return 1;
}

void tch_trace_source_lines_release(struct tch_trace_source_lines *l)
{
    free(l->buf);
    *l = (struct tch_trace_source_lines){0};
}
