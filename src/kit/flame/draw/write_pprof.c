/*
 * Writes pprof's profile.proto, gzipped. Each name is one function with one location; both have the
 * name's number plus 1. The strings are the empty one, type and unit of each value, then the names.
 *
 * pprof shows times if their unit is one of time. So weights in units of time become nanoseconds.
 * Counts of samples with a known period get a second value, the CPU time, as Go's profiles do.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/protobuf.h"
#include "base/utf8.h"
#include "kit/file/gzip.h"
#include "profile_formats.h"

/* Field numbers of profile.proto. */
enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION,
    PROFILE_STRING,
    PROFILE_PERIOD_TYPE = 11,
    PROFILE_PERIOD,
    PROFILE_DEFAULT_TYPE = 14
};
enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES };
enum { LOCATION_ID = 1, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME };

enum { VALUES = 2, TYPE_MAX = 100 };

/* One of the values of each sample. */
struct value {
    char type[TYPE_MAX];
    const char *unit;
    uint64_t scale; /* factor from the weights of the profile */
    bool before;    /* the other side of a differential */
};

struct writer {
    const struct tch_profile *profile;
    struct value values[VALUES];
    size_t count;
    double before; /* sum of the other side so far */
};

/* Returns the number of the string with the type of a value. Its unit follows. */
static uint64_t type_string(size_t value)
{
    return 1 + 2 * value;
}

static uint64_t name_string(const struct writer *w, uint32_t id)
{
    return type_string(w->count) + id;
}

/* Decides what the values of each sample are. */
static void find_values(struct writer *w)
{
    const struct tch_profile *p = w->profile;
    const char *unit = p->unit ? p->unit : "samples";
    uint64_t ns = tch_unit_ns(unit);
    struct value *first = &w->values[0];
    struct value *second = &w->values[1];

    *first = (struct value){.unit = ns > 0 ? "nanoseconds" : "count", .scale = ns > 0 ? ns : 1};
    snprintf(first->type, TYPE_MAX, "%.80s", ns == 0 ? unit : p->measure ? p->measure : "time");
    w->count = 1;
    if (p->stacks->before) {
        *second = *first;
        second->before = true;
        snprintf(second->type, TYPE_MAX, "%.80s_before", first->type);
        w->count = 2;
    } else if (p->period_ns > 0) {
        *second = (struct value){.type = "cpu", .unit = "nanoseconds", .scale = p->period_ns};
        w->count = 2;
    }
}

static void add_type(struct tch_buf *b, unsigned field, size_t value)
{
    size_t begun = tch_pb_begin(b, field);

    tch_pb_varint(b, TYPE_TYPE, type_string(value));
    tch_pb_varint(b, TYPE_UNIT, type_string(value) + 1);
    tch_pb_end(b, begun);
}

/* Adds a value of a stack. Values of pprof are whole numbers. Rounding the running sum instead of
   each value keeps every frame within one sample of its exact value. */
static void add_value(struct tch_buf *b, struct writer *w, const struct value *v, uint32_t id)
{
    const struct tch_stacks *stacks = w->profile->stacks;
    double scale = (double)v->scale;
    double up_to;

    if (!v->before) {
        tch_pb_packed(b, stacks->list[id].count * v->scale);
        return;
    }
    up_to = w->before + stacks->before[id];
    tch_pb_packed(b, (uint64_t)(rint(up_to * scale) - rint(w->before * scale)));
    w->before = up_to;
}

/* Adds a stack, leaf first. */
static void add_sample(struct tch_buf *b, struct writer *w, uint32_t id)
{
    uint32_t frames[TCH_STACK_DEEPEST];
    size_t len = tch_stacks_frames(w->profile->stacks, id, frames);
    size_t sample = tch_pb_begin(b, PROFILE_SAMPLE);
    size_t packed = tch_pb_begin(b, SAMPLE_LOCATIONS);

    while (len > 0)
        tch_pb_packed(b, (uint64_t)frames[--len] + 1);
    tch_pb_end(b, packed);
    packed = tch_pb_begin(b, SAMPLE_VALUES);
    for (size_t i = 0; i < w->count; i++)
        add_value(b, w, &w->values[i], id);
    tch_pb_end(b, packed);
    tch_pb_end(b, sample);
}

static void add_function(struct tch_buf *b, const struct writer *w, uint32_t id)
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
    tch_pb_varint(b, FUNCTION_NAME, name_string(w, id));
    tch_pb_varint(b, FUNCTION_SYSTEM_NAME, name_string(w, id));
    tch_pb_end(b, message);
}

static void add_string(struct tch_buf *b, struct tch_span string)
{
    struct tch_buf text;

    tch_buf_init(&text, SIZE_MAX / 2);
    tch_utf8_add(&text, string.p, string.len);
    tch_pb_bytes(b, PROFILE_STRING, text.data, text.len);
    b->failed |= text.failed;
    tch_buf_release(&text);
}

static void add_strings(struct tch_sink *sink, const struct writer *w)
{
    const struct tch_intern *names = &w->profile->stacks->names;

    tch_pb_text(&sink->b, PROFILE_STRING, "");
    for (size_t i = 0; i < w->count; i++) {
        add_string(&sink->b, (struct tch_span){w->values[i].type, strlen(w->values[i].type)});
        tch_pb_text(&sink->b, PROFILE_STRING, w->values[i].unit);
    }
    for (uint32_t id = 0; id < names->count; id++) {
        add_string(&sink->b, tch_span_interned(names, id));
        tch_sink_step(sink);
    }
}

static void add_profile(struct writer *w, const uint32_t *order, struct tch_sink *sink)
{
    const struct tch_stacks *stacks = w->profile->stacks;
    bool has_period = w->profile->period_ns > 0 && !stacks->before;

    for (size_t i = 0; i < w->count; i++)
        add_type(&sink->b, PROFILE_SAMPLE_TYPE, i);
    for (uint32_t i = 0; i < stacks->count; i++) {
        add_sample(&sink->b, w, order[i]);
        tch_sink_step(sink);
    }
    for (uint32_t id = 0; id < stacks->names.count; id++) {
        add_function(&sink->b, w, id);
        tch_sink_step(sink);
    }
    add_strings(sink, w);
    if (has_period) {
        add_type(&sink->b, PROFILE_PERIOD_TYPE, 1);
        tch_pb_varint(&sink->b, PROFILE_PERIOD, w->profile->period_ns);
    }
    tch_pb_varint(&sink->b, PROFILE_DEFAULT_TYPE, type_string(has_period));
}

/* Fails if a sum of values does not fit into pprof's signed numbers. */
static int check_sums(const struct writer *w, tacho_error *err)
{
    uint64_t total = tch_stacks_total(w->profile->stacks);

    for (size_t i = 0; i < w->count; i++)
        if (total > INT64_MAX / w->values[i].scale)
            return tch_fail(
                err, TACHO_ELIMIT, 0, "%llu %s are too many for pprof; use another format",
                (unsigned long long)total, w->profile->unit ? w->profile->unit : "samples");
    return 0;
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
    struct writer w = {.profile = profile};
    struct tch_deflate *z = NULL;
    struct tch_sink plain;
    uint32_t *order = NULL;
    int status;

    (void)options;
    find_values(&w);
    status = check_sums(&w, sink->err);
    if (status == 0)
        status = tch_stacks_sort(profile->stacks, &order, sink->err);
    if (status == 0)
        status = tch_deflate_open(&z, LEVEL, add_compressed, sink, sink->err);
    if (status == 0) {
        tch_sink_init(&plain, compress, z, sink->err);
        add_profile(&w, order, &plain);
        status = tch_sink_end(&plain);
        if (status == 0)
            status = tch_deflate_finish(z);
    }
    tch_deflate_close(z);
    free(order);
    return status;
}
