/*
 * Writes pprof's profile.proto, gzipped. Each name is one function with one location; both have the
 * name's number plus 1. Its text is string number STRINGS plus the name's number.
 */
#include <math.h>
#include <stdlib.h>

#include "base/gzip.h"
#include "base/protobuf.h"
#include "base/utf8.h"
#include "profile_formats.h"

/* Field numbers of profile.proto. */
enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION,
    PROFILE_STRING,
    PROFILE_DEFAULT_TYPE = 14
};
enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES };
enum { LOCATION_ID = 1, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME };

/* The strings before the names. The first must be empty. */
enum { STRING_EMPTY, STRING_SAMPLES, STRING_BEFORE, STRING_COUNT, STRINGS };

static void add_type(struct tch_buf *b, unsigned type)
{
    size_t begun = tch_pb_begin(b, PROFILE_SAMPLE_TYPE);

    tch_pb_varint(b, TYPE_TYPE, type);
    tch_pb_varint(b, TYPE_UNIT, STRING_COUNT);
    tch_pb_end(b, begun);
}

/* Adds a stack, leaf first. Values of pprof are whole numbers. Rounding the running sum *before
   instead of each value keeps every frame within one sample of its exact value. */
static void add_sample(struct tch_buf *b, const struct tch_stacks *stacks, uint32_t id,
                       double *before)
{
    uint32_t frames[TCH_STACK_DEEPEST];
    size_t len = tch_stacks_frames(stacks, id, frames);
    size_t sample = tch_pb_begin(b, PROFILE_SAMPLE);
    size_t packed = tch_pb_begin(b, SAMPLE_LOCATIONS);

    while (len > 0)
        tch_pb_packed(b, (uint64_t)frames[--len] + 1);
    tch_pb_end(b, packed);
    packed = tch_pb_begin(b, SAMPLE_VALUES);
    tch_pb_packed(b, stacks->list[id].count);
    if (stacks->before) {
        double up_to = *before + stacks->before[id];

        tch_pb_packed(b, (uint64_t)(rint(up_to) - rint(*before)));
        *before = up_to;
    }
    tch_pb_end(b, packed);
    tch_pb_end(b, sample);
}

static void add_function(struct tch_buf *b, uint32_t id)
{
    size_t message = tch_pb_begin(b, PROFILE_LOCATION);
    size_t line;

    tch_pb_varint(b, LOCATION_ID, (uint64_t)id + 1);
    line = tch_pb_begin(b, LOCATION_LINE);
    tch_pb_varint(b, LINE_FUNCTION, (uint64_t)id + 1);
    tch_pb_end(b, line);
    tch_pb_end(b, message);
    message = tch_pb_begin(b, PROFILE_FUNCTION);
    tch_pb_varint(b, FUNCTION_ID, (uint64_t)id + 1);
    tch_pb_varint(b, FUNCTION_NAME, (uint64_t)id + STRINGS);
    tch_pb_varint(b, FUNCTION_SYSTEM_NAME, (uint64_t)id + STRINGS);
    tch_pb_end(b, message);
}

static void add_name(struct tch_buf *b, const struct tch_stacks *stacks, uint32_t id)
{
    struct tch_span name = tch_span_interned(&stacks->names, id);
    struct tch_buf text;

    tch_buf_init(&text, SIZE_MAX / 2);
    tch_utf8_add(&text, name.p, name.len);
    tch_pb_bytes(b, PROFILE_STRING, text.data, text.len);
    b->failed |= text.failed;
    tch_buf_release(&text);
}

static void add_profile(const struct tch_stacks *stacks, const uint32_t *order,
                        struct tch_sink *sink)
{
    double before = 0;

    add_type(&sink->b, STRING_SAMPLES);
    if (stacks->before)
        add_type(&sink->b, STRING_BEFORE);
    for (uint32_t i = 0; i < stacks->count; i++) {
        add_sample(&sink->b, stacks, order[i], &before);
        tch_sink_step(sink);
    }
    for (uint32_t id = 0; id < stacks->names.count; id++) {
        add_function(&sink->b, id);
        tch_sink_step(sink);
    }
    tch_pb_text(&sink->b, PROFILE_STRING, "");
    tch_pb_text(&sink->b, PROFILE_STRING, "samples");
    tch_pb_text(&sink->b, PROFILE_STRING, "samples_before");
    tch_pb_text(&sink->b, PROFILE_STRING, "count");
    for (uint32_t id = 0; id < stacks->names.count; id++) {
        add_name(&sink->b, stacks, id);
        tch_sink_step(sink);
    }
    tch_pb_varint(&sink->b, PROFILE_DEFAULT_TYPE, STRING_SAMPLES);
}

/* Passes output of the compressor to the sink of the caller. */
static int add_compressed(void *ctx, const void *data, size_t len)
{
    struct tch_sink *sink = ctx;

    tch_sink_add(sink, data, len);
    return sink->status;
}

/* Compresses data; a tch_sink_write. */
static int compress(void *ctx, const void *data, size_t len, tacho_error *err)
{
    (void)err;
    return tch_deflate_write(ctx, data, len);
}

int tch_write_pprof(const struct tch_profile *profile, const struct tch_format_options *options,
                    struct tch_sink *sink)
{
    enum { LEVEL = 6 };
    struct tch_deflate *z = NULL;
    struct tch_sink plain;
    uint32_t *order = NULL;
    int status = tch_stacks_sort(profile->stacks, &order, sink->err);

    (void)options;
    if (status == 0)
        status = tch_deflate_open(&z, LEVEL, add_compressed, sink, sink->err);
    if (status == 0) {
        tch_sink_init(&plain, compress, z, sink->err);
        add_profile(profile->stacks, order, &plain);
        status = tch_sink_end(&plain);
        if (status == 0)
            status = tch_deflate_finish(z);
    }
    tch_deflate_close(z);
    free(order);
    return status;
}
