/* Functions that all writers share: the file, and lanes for spans that are not nested. */
#include "trace_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

enum {
    TEXT_LIMIT = 64 << 20,
    GZIP_LEVEL = 1, /* traces shrink to a tenth at any level; this one is as fast as the writer */
};

const struct tch_write_format *const tch_write_formats[] = {
    &tch_trace_as_chrome,
    &tch_trace_as_chrome_gz,
    &tch_trace_as_csv,
    &tch_trace_as_folded,
    &tch_trace_as_perfetto,
    &tch_trace_as_recording,
    NULL,
};

const struct tch_write_format *tch_write_format_of(const char *path)
{
    size_t len = strlen(path);

    for (size_t i = 0; tch_write_formats[i]; i++) {
        size_t tail = strlen(tch_write_formats[i]->extension);

        if (len > tail && strcmp(path + len - tail, tch_write_formats[i]->extension) == 0)
            return tch_write_formats[i];
    }
    return NULL;
}

static int put_compressed(void *ctx, const void *data, size_t len)
{
    struct tch_trace_writer *w = ctx;

    return tch_replace_write(&w->file, data, len, w->out.err);
}

static int compress(void *ctx, const void *data, size_t len, tacho_error *err)
{
    struct tch_trace_writer *w = ctx;

    (void)err;
    return tch_deflate_write(w->gzip, data, len);
}

int tch_trace_writer_put(struct tch_trace_writer *w, const void *data, size_t len)
{
    tch_sink_add(&w->out, data, len);
    return w->out.status;
}

int tch_trace_writer_no_memory(struct tch_trace_writer *w)
{
    if (w->out.status == 0)
        w->out.status = tch_fail_memory(w->out.err);
    return w->out.status;
}

static void release(struct tch_trace_writer *w)
{
    if (w->own)
        w->format->release(w);
    free(w->own);
    w->own = NULL;
    tch_deflate_close(w->gzip);
    w->gzip = NULL;
    tch_nest_release(&w->nest);
    tch_buf_release(&w->text);
    tch_buf_release(&w->out.b);
    w->open = false;
}

int tch_trace_writer_open(struct tch_trace_writer *w, const char *path, struct tch_model *m,
                          const struct tch_write_options *options, tacho_error *err)
{
    int status;

    *w =
        (struct tch_trace_writer){.format = tch_write_format_of(path), .m = m, .options = *options};
    if (!w->format)
        return tch_fail(err, TACHO_EINVAL, 0, TCH_WRITE_ENDINGS);
    status = tch_replace_open(&w->file, path, err);
    if (status < 0)
        return status;
    w->open = true;
    tch_buf_init(&w->text, TEXT_LIMIT);
    tch_sink_init(&w->out, tch_sink_to_replace, &w->file, err);
    if (w->format == &tch_trace_as_chrome_gz) {
        tch_sink_init(&w->out, compress, w, err);
        status = tch_deflate_open(&w->gzip, GZIP_LEVEL, put_compressed, w, err);
    }
    if (status == 0)
        status = w->format->begin(w);
    if (status < 0)
        tch_trace_writer_abort(w);
    return status;
}

/* Closes the spans that are over when the next one begins, lane by lane. */
static int pop_until(struct tch_trace_writer *w, const struct tch_nest_span *next)
{
    int status = 0;
    int64_t end;

    for (size_t i = 0; i < w->nest.count; i++)
        while (status == 0 && tch_nest_pop(&w->nest, i, next, &end) > 0)
            if (w->format->end_span)
                status = w->format->end_span(w, (uint32_t)i, end);
    return status;
}

static int leave_track(struct tch_trace_writer *w)
{
    int status = pop_until(w, &(struct tch_nest_span){.ts = INT64_MAX - 1, .end = INT64_MAX});

    tch_nest_clear(&w->nest);
    return status;
}

struct tch_nest_span tch_nest_span_of(const struct tch_ev *ev)
{
    bool whole = ev->kind == TCH_EV_SPAN;

    return (struct tch_nest_span){.ts = ev->ts,
                                  .end = whole ? ev->ts + ev->dur : INT64_MAX,
                                  .begun = ev->offset,
                                  .closed = whole ? ev->closed : UINT64_MAX};
}

static int place_span(struct tch_trace_writer *w, struct tch_ev *ev)
{
    struct tch_nest_span span = tch_nest_span_of(ev);
    int64_t lane;
    int status = pop_until(w, &span);

    if (status < 0)
        return status;
    lane = tch_nest_push(&w->nest, &span);
    if (lane < 0)
        return tch_trace_writer_no_memory(w);
    w->moved += lane > 0;
    ev->lane = (uint32_t)lane;
    return 0;
}

int tch_trace_writer_add(struct tch_trace_writer *w, const struct tch_ev *given)
{
    struct tch_ev ev = *given;
    int status = 0;

    ev.ts += w->options.shift;
    if (w->track != ev.track + 1) {
        status = w->track > 0 ? leave_track(w) : 0;
        w->track = ev.track + 1;
    }
    if (w->format->spans_only && ev.kind != TCH_EV_SPAN) {
        w->left_out++;
        return status;
    }
    if (status == 0 && (ev.kind == TCH_EV_SPAN || ev.kind == TCH_EV_BEGIN) &&
        (w->options.lanes || w->format->needs_lanes || w->format->end_span))
        status = place_span(w, &ev);
    if (status == 0)
        status = w->format->add(w, &ev);
    w->written++;
    return status;
}

int tch_trace_writer_close(struct tch_trace_writer *w)
{
    int status = leave_track(w);

    if (status == 0 && w->format->finish)
        status = w->format->finish(w);
    if (status == 0)
        status = tch_sink_flush(&w->out);
    if (status == 0 && w->gzip)
        status = tch_deflate_finish(w->gzip);
    if (status == 0)
        status = tch_replace_commit(&w->file, w->out.err);
    else
        tch_replace_abort(&w->file);
    release(w);
    return status;
}

void tch_trace_writer_abort(struct tch_trace_writer *w)
{
    if (!w->open)
        return;
    tch_replace_abort(&w->file);
    release(w);
}
