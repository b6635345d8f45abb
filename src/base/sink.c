/* A buffer in front of a write function. */
#include "sink.h"

#include <errno.h>
#include <stdio.h>

#include "fail.h"
#include "file.h"

enum { LIMIT = 256 * 1024 * 1024 }; /* limit of the bytes added between two steps */

void tch_sink_init(struct tch_sink *sink, tch_sink_write *write, void *ctx, tacho_error *err)
{
    *sink = (struct tch_sink){.write = write, .ctx = ctx, .err = err};
    tch_buf_init(&sink->b, LIMIT);
}

int tch_sink_flush(struct tch_sink *sink)
{
    bool comma = sink->b.comma; /* the JSON continues, though its text is written */

    if (sink->status == 0 && sink->b.failed)
        sink->status = tch_fail_memory(sink->err);
    if (sink->status == 0 && sink->b.len > 0)
        sink->status = sink->write(sink->ctx, sink->b.data, sink->b.len, sink->err);
    tch_buf_clear(&sink->b);
    sink->b.comma = comma;
    return sink->status;
}

char *tch_sink_make_room(struct tch_sink *sink, size_t n)
{
    tch_sink_flush(sink);
    if (n < TCH_SINK_SIZE + TCH_SINK_SIZE / 4)
        n = TCH_SINK_SIZE + TCH_SINK_SIZE / 4;
    return tch_buf_room(&sink->b, n);
}

int tch_sink_end(struct tch_sink *sink)
{
    tch_sink_flush(sink);
    tch_buf_release(&sink->b);
    return sink->status;
}

int tch_sink_to_stdout(void *ctx, const void *data, size_t len, tacho_error *err)
{
    (void)ctx;
    if (fwrite(data, 1, len, stdout) != len || fflush(stdout) == EOF)
        return tch_fail_errno(err, errno > 0 ? errno : EIO, "cannot write to stdout");
    return 0;
}

int tch_sink_to_replace(void *ctx, const void *data, size_t len, tacho_error *err)
{
    return tch_replace_write(ctx, data, len, err);
}

int tch_sink_to_buf(void *ctx, const void *data, size_t len, tacho_error *err)
{
    struct tch_buf *b = ctx;

    tch_buf_add(b, data, len);
    return b->failed ? tch_fail_memory(err) : 0;
}
