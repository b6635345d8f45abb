/* A buffer in front of a write function. */
#include "sink.h"

#include "base/fail.h"
#include "base/file.h"

enum { MUCH = 256 * 1024, MOST = 256 * 1024 * 1024 };

void tch_sink_init(struct tch_sink *sink, tch_sink_write *write, void *ctx, tacho_error *err)
{
    *sink = (struct tch_sink){.write = write, .ctx = ctx, .err = err};
    tch_buf_init(&sink->b, MOST);
}

static void hand_on(struct tch_sink *sink)
{
    if (sink->status == 0 && sink->b.failed)
        sink->status = tch_fail(sink->err, TACHO_ENOMEM, 0, "out of memory writing");
    if (sink->status == 0 && sink->b.len > 0)
        sink->status = sink->write(sink->ctx, sink->b.data, sink->b.len, sink->err);
    tch_buf_clear(&sink->b);
}

void tch_sink_step(struct tch_sink *sink)
{
    char last;

    if (sink->b.len < MUCH && !sink->b.failed)
        return;
    /* The JSON writer looks at the last byte to know whether a comma is due. */
    last = sink->b.len > 0 ? sink->b.data[--sink->b.len] : '\0';
    hand_on(sink);
    tch_buf_addc(&sink->b, last);
}

int tch_sink_end(struct tch_sink *sink)
{
    hand_on(sink);
    tch_buf_release(&sink->b);
    return sink->status;
}

int tch_sink_to_fd(void *ctx, const void *data, size_t len, tacho_error *err)
{
    return tch_write_all(*(int *)ctx, "stdout", data, len, err);
}

int tch_sink_to_replace(void *ctx, const void *data, size_t len, tacho_error *err)
{
    return tch_replace_write(ctx, data, len, err);
}

int tch_sink_to_buf(void *ctx, const void *data, size_t len, tacho_error *err)
{
    struct tch_buf *b = ctx;

    tch_buf_add(b, data, len);
    return b->failed ? tch_fail(err, TACHO_ENOMEM, 0, "out of memory writing") : 0;
}
