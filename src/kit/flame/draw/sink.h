/*
 * Where a writer's bytes go: gathered in a buffer, handed on in large pieces. Failure is sticky:
 * write it all, test once, at the end.
 */
#ifndef TCH_SINK_H
#define TCH_SINK_H

#include <stddef.h>

#include <tacho/error.h>

#include "base/buf.h"

/** Takes all of it. 0 or a negative code. */
typedef int tch_sink_write(void *ctx, const void *data, size_t len, tacho_error *err);

struct tch_sink {
    struct tch_buf b; /**< add here, then call tch_sink_step() before long */
    tch_sink_write *write;
    void *ctx;
    int status;
    tacho_error *err;
};

void tch_sink_init(struct tch_sink *sink, tch_sink_write *write, void *ctx, tacho_error *err);

/** Hands on what has gathered, when it is much. */
void tch_sink_step(struct tch_sink *sink);

/** Hands on the rest and releases the buffer: 0 when everything was taken. */
int tch_sink_end(struct tch_sink *sink);

/** tch_sink_write functions: to a descriptor (ctx is an int *), to a struct tch_replace, to a
    struct tch_buf. */
tch_sink_write tch_sink_to_fd;
tch_sink_write tch_sink_to_replace;
tch_sink_write tch_sink_to_buf;

#endif
