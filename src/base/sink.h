/*
 * A buffer in front of a write function: bytes gather and are handed on in large pieces. Failure is
 * sticky: write everything, test once, at the end.
 *
 *     tch_sink_init(&sink, tch_sink_to_replace, &file, err);
 *     for each item {
 *         tch_buf_addf(&sink.b, ...);
 *         tch_sink_step(&sink);
 *     }
 *     return tch_sink_end(&sink);
 */
#ifndef TCH_SINK_H
#define TCH_SINK_H

#include <stddef.h>

#include <tacho/error.h>

#include "buf.h"

/** Writes all len bytes. @return 0 or a negative code */
typedef int tch_sink_write(void *ctx, const void *data, size_t len, tacho_error *err);

/** The size from which a step passes the gathered bytes on. */
enum { TCH_SINK_SIZE = 256 * 1024 };

struct tch_sink {
    struct tch_buf b; /**< add here, and call tch_sink_step() often */
    tch_sink_write *write;
    void *ctx;
    int status; /**< the first failure; nothing is written once it is set */
    tacho_error *err;
};

/** Initialises an empty sink. Allocates nothing yet and cannot fail. ctx is passed to write. */
void tch_sink_init(struct tch_sink *sink, tch_sink_write *write, void *ctx, tacho_error *err);

/** Passes on everything gathered. @return the status */
int tch_sink_flush(struct tch_sink *sink);

/** Passes on the rest and releases the buffer. @return the status: 0 when everything was written */
int tch_sink_end(struct tch_sink *sink);

/* For the inline functions. */
char *tch_sink_make_room(struct tch_sink *sink, size_t n);

/** Passes on the gathered bytes when there are TCH_SINK_SIZE or more. */
static inline void tch_sink_step(struct tch_sink *sink)
{
    if (sink->b.len >= TCH_SINK_SIZE || sink->b.failed)
        (void)tch_sink_flush(sink);
}

/** Adds any number of bytes. */
static inline void tch_sink_add(struct tch_sink *sink, const void *data, size_t len)
{
    tch_buf_add(&sink->b, data, len);
    tch_sink_step(sink);
}

/** Returns room for n bytes if there is room now, else NULL. Add the bytes you wrote to b.len. */
static inline char *tch_sink_free_room(struct tch_sink *sink, size_t n)
{
    if (sink->b.len + n >= sink->b.cap || sink->b.len >= TCH_SINK_SIZE)
        return NULL;
    return sink->b.data + sink->b.len;
}

/** Returns room for n bytes, for writers for which tch_buf_add() is too slow, or NULL when memory
    ran out. Add the bytes you wrote to b.len. */
static inline char *tch_sink_room(struct tch_sink *sink, size_t n)
{
    char *room = tch_sink_free_room(sink, n);

    return room ? room : tch_sink_make_room(sink, n);
}

/** tch_sink_write functions: to the stream stdout (ctx is NULL), to a struct tch_replace, to a
   struct tch_buf. */
tch_sink_write tch_sink_to_stdout;
tch_sink_write tch_sink_to_replace;
tch_sink_write tch_sink_to_buf;

#endif
