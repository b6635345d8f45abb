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

/** A step hands on what has gathered once it is this much. */
enum { TCH_SINK_SIZE = 256 * 1024 };

struct tch_sink {
    struct tch_buf b; /**< add here, then call tch_sink_step() before long */
    tch_sink_write *write;
    void *ctx;
    int status; /**< the first failure; whoever sets it ends the writing */
    tacho_error *err;
};

/** Starts empty. It allocates nothing yet and cannot fail. ctx is passed to write. */
void tch_sink_init(struct tch_sink *sink, tch_sink_write *write, void *ctx, tacho_error *err);

/** Hands on everything that has gathered. @return the status */
int tch_sink_flush(struct tch_sink *sink);

/** Hands on the rest and releases the buffer. @return the status: 0 when all was written */
int tch_sink_end(struct tch_sink *sink);

/* For the inline functions. */
void tch_sink_pass_on(struct tch_sink *sink);
char *tch_sink_make_room(struct tch_sink *sink, size_t n);

/** Hands on what has gathered if it is much. */
static inline void tch_sink_step(struct tch_sink *sink)
{
    if (sink->b.len >= TCH_SINK_SIZE || sink->b.failed)
        tch_sink_pass_on(sink);
}

/** Adds any number of bytes. */
static inline void tch_sink_add(struct tch_sink *sink, const void *data, size_t len)
{
    tch_buf_add(&sink->b, data, len);
    tch_sink_step(sink);
}

/** Returns room for n bytes if there is any now, else NULL. Add to b.len what you have written. */
static inline char *tch_sink_free_room(struct tch_sink *sink, size_t n)
{
    if (sink->b.len + n >= sink->b.cap || sink->b.len >= TCH_SINK_SIZE)
        return NULL;
    return sink->b.data + sink->b.len;
}

/** Returns room for n bytes, for writers too hot for tch_buf_add(), or NULL when memory ran out.
    Add to b.len what you have written. */
static inline char *tch_sink_room(struct tch_sink *sink, size_t n)
{
    char *room = tch_sink_free_room(sink, n);

    return room ? room : tch_sink_make_room(sink, n);
}

/** tch_sink_write functions: to standard output (ctx is an int *, its descriptor), to a struct
    tch_replace, to a struct tch_buf. */
tch_sink_write tch_sink_to_fd;
tch_sink_write tch_sink_to_replace;
tch_sink_write tch_sink_to_buf;

#endif
