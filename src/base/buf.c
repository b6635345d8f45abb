/* struct tch_buf: growing, bounded, sticky failure. */
#include "buf.h"

#include <stdarg.h>
#include <stdint.h>

enum { FIRST_SIZE = 256 };

/* The value of data while the buffer holds nothing. Never written to, because cap is 0. */
static char empty[1];

void tch_buf_init(struct tch_buf *b, size_t limit)
{
    *b = (struct tch_buf){.data = empty, .limit = limit < SIZE_MAX ? limit : SIZE_MAX - 1};
}

void tch_buf_init_on(struct tch_buf *b, char *mem, size_t size, size_t limit)
{
    tch_buf_init(b, limit);
    b->data = mem;
    b->cap = size;
    b->data[0] = '\0';
}

void tch_buf_init_part(struct tch_buf *part, struct tch_buf *whole)
{
    tch_buf_init(part, whole->limit);
    part->whole = whole;
}

/* Passes the failure of a part on. Also called where a part forgets it, because functions that read
   into a buffer may set `failed` themselves. */
static void pass_failure(const struct tch_buf *b)
{
    for (struct tch_buf *whole = b->whole; whole && b->failed; whole = whole->whole)
        whole->failed = true;
}

void tch_buf_release(struct tch_buf *b)
{
    pass_failure(b);
    if (b->owned)
        free(b->data);
    tch_buf_init(b, b->limit);
}

void tch_buf_clear(struct tch_buf *b)
{
    pass_failure(b);
    b->len = 0;
    b->failed = b->comma = false;
    if (b->cap > 0)
        b->data[0] = '\0';
}

/* Doubles the capacity, so that n additions cost O(n), but never beyond the limit. */
static bool grow(struct tch_buf *b, size_t need)
{
    size_t most = b->limit + 1;
    size_t size = b->cap > 0 ? b->cap : FIRST_SIZE;
    char *data;

    while (size < need)
        size = size > most / 2 ? most : size * 2;
    data = realloc(b->owned ? b->data : NULL, size);
    if (!data)
        return false;
    if (!b->owned)
        memcpy(data, b->data, b->len + 1);
    b->data = data;
    b->cap = size;
    b->owned = true;
    return true;
}

char *tch_buf_room(struct tch_buf *b, size_t n)
{
    if (b->failed)
        return NULL;
    if (n > b->limit - b->len || (b->len + n + 1 > b->cap && !grow(b, b->len + n + 1))) {
        b->failed = true;
        pass_failure(b);
        return NULL;
    }
    return b->data + b->len;
}

void tch_buf_grew(struct tch_buf *b, size_t n)
{
    b->len += n;
    b->data[b->len] = '\0';
}

void tch_buf_add(struct tch_buf *b, const void *data, size_t n)
{
    char *room = tch_buf_room(b, n);

    if (!room)
        return;
    if (n > 0)
        memcpy(room, data, n);
    tch_buf_grew(b, n);
}

void tch_buf_addc(struct tch_buf *b, char c)
{
    tch_buf_add(b, &c, 1);
}

void tch_buf_adds(struct tch_buf *b, const char *text)
{
    tch_buf_add(b, text, strlen(text));
}

void tch_buf_addf(struct tch_buf *b, const char *fmt, ...)
{
    va_list args;
    int len;
    char *room;

    va_start(args, fmt);
    len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (len < 0) {
        b->failed = true;
        pass_failure(b);
        return;
    }
    room = tch_buf_room(b, (size_t)len);
    if (!room)
        return;
    va_start(args, fmt);
    vsnprintf(room, (size_t)len + 1, fmt, args);
    va_end(args);
    tch_buf_grew(b, (size_t)len);
}

char *tch_buf_take(struct tch_buf *b)
{
    char *text = NULL;

    if (!b->failed && tch_buf_room(b, 0) && (b->owned || grow(b, b->len + 1))) {
        text = b->data;
        text[b->len] = '\0';
        b->owned = false;
    }
    tch_buf_release(b);
    return text;
}
