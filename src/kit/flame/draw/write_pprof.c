/*
 * Writes pprof's profile.proto, gzipped. If only names are known, each of them is one function with
 * one location; both have the name's number plus 1. With origins, each is one location, with the
 * number of the origin plus 1, and a function is a name and a source file. The strings are the
 * empty one, type and unit of each value, the names, then source files, then paths and build IDs of
 * files.
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
#include "kit/flame/stack/frame_kind.h"
#include "profile_formats.h"

/* Field numbers of profile.proto. */
enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE,
    PROFILE_MAPPING,
    PROFILE_LOCATION,
    PROFILE_FUNCTION,
    PROFILE_STRING,
    PROFILE_PERIOD_TYPE = 11,
    PROFILE_PERIOD,
    PROFILE_DEFAULT_TYPE = 14
};
enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES };
enum {
    MAPPING_ID = 1,
    MAPPING_START,
    MAPPING_LIMIT,
    MAPPING_OFFSET,
    MAPPING_FILE,
    MAPPING_BUILD_ID,
    MAPPING_HAS_FUNCTIONS,
    MAPPING_HAS_FILES,
    MAPPING_HAS_LINES,
    MAPPING_HAS_INLINES
};
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };

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
    struct tch_intern
        functions; /* with origins: a struct function each; its id is the number + 1 */
};

/* The name and the source file of a function with an origin. */
struct function {
    uint32_t name, source;
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

static uint64_t source_string(const struct writer *w, uint32_t id)
{
    return name_string(w, w->profile->stacks->names.count) + id;
}

/* Returns the number of the path of a file. Its build ID follows. */
static uint64_t file_string(const struct writer *w, size_t file)
{
    return source_string(w, w->profile->origins->sources.count) + 2 * file;
}

/* Returns the stacks whose frames are the locations. */
static const struct tch_stacks *stacks_of(const struct writer *w)
{
    return w->profile->origins ? &w->profile->origins->stacks : w->profile->stacks;
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
    const struct tch_stacks *stacks = stacks_of(w);
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
    size_t len = tch_stacks_frames(stacks_of(w), id, frames);
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

static void add_mapping(struct tch_buf *b, const struct writer *w, size_t i)
{
    const struct tch_origin_file *file = w->profile->origins->files + i;
    size_t message = tch_pb_begin(b, PROFILE_MAPPING);

    tch_pb_varint(b, MAPPING_ID, i + 1);
    tch_pb_varint(b, MAPPING_START, file->start);
    tch_pb_varint(b, MAPPING_LIMIT, file->limit);
    tch_pb_varint(b, MAPPING_OFFSET, file->offset);
    tch_pb_varint(b, MAPPING_FILE, file_string(w, i));
    tch_pb_varint(b, MAPPING_BUILD_ID, file_string(w, i) + 1);
    for (unsigned field = MAPPING_HAS_FUNCTIONS; field <= MAPPING_HAS_INLINES; field++)
        tch_pb_varint(b, field, 1);
    tch_pb_end(b, message);
}

/* Adds a location. Its lines are those of the origin, innermost first. */
static int add_location(struct tch_buf *b, struct writer *w, size_t i)
{
    const struct tch_origins *origins = w->profile->origins;
    const struct tch_origin *o = origins->list + i;
    size_t message = tch_pb_begin(b, PROFILE_LOCATION);

    tch_pb_varint(b, LOCATION_ID, i + 1);
    tch_pb_varint(b, LOCATION_MAPPING, o->file);
    tch_pb_varint(b, LOCATION_ADDRESS, o->address);
    for (uint32_t k = o->count; k > 0; k--) {
        const struct tch_origin_line *line = origins->lines + o->at + k - 1;
        struct function f = {line->function, line->source};
        uint32_t id = tch_intern_add(&w->functions, (const char *)&f, sizeof f);
        size_t part = tch_pb_begin(b, LOCATION_LINE);

        if (id == TCH_INTERN_NONE)
            return TACHO_ENOMEM;
        tch_pb_varint(b, LINE_FUNCTION, (uint64_t)id + 1);
        tch_pb_varint(b, LINE_LINE, line->line);
        tch_pb_end(b, part);
    }
    tch_pb_end(b, message);
    return 0;
}

static void add_origin_function(struct tch_buf *b, const struct writer *w, uint32_t id)
{
    size_t message = tch_pb_begin(b, PROFILE_FUNCTION);
    struct function f;

    memcpy(&f, tch_intern_text(&w->functions, id), sizeof f);
    tch_pb_varint(b, FUNCTION_ID, (uint64_t)id + 1);
    tch_pb_varint(b, FUNCTION_NAME, name_string(w, f.name));
    tch_pb_varint(b, FUNCTION_SYSTEM_NAME, name_string(w, f.name));
    if (f.source > 0)
        tch_pb_varint(b, FUNCTION_FILE, source_string(w, f.source - 1));
    tch_pb_end(b, message);
}

static int add_origins(struct tch_sink *sink, struct writer *w)
{
    const struct tch_origins *origins = w->profile->origins;
    int status = 0;

    for (size_t i = 0; i < origins->file_count; i++)
        add_mapping(&sink->b, w, i);
    for (size_t i = 0; i < origins->count && status == 0; i++) {
        status = add_location(&sink->b, w, i);
        tch_sink_step(sink);
    }
    for (uint32_t id = 0; id < w->functions.count; id++) {
        add_origin_function(&sink->b, w, id);
        tch_sink_step(sink);
    }
    return status;
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
    const struct tch_origins *origins = w->profile->origins;

    tch_pb_text(&sink->b, PROFILE_STRING, "");
    for (size_t i = 0; i < w->count; i++) {
        add_string(&sink->b, (struct tch_span){w->values[i].type, strlen(w->values[i].type)});
        tch_pb_text(&sink->b, PROFILE_STRING, w->values[i].unit);
    }
    for (uint32_t id = 0; id < names->count; id++) {
        struct tch_span name = tch_span_interned(names, id);

        /* An inlined function is one of the lines of a location. */
        if (origins && tch_frame_mark(name) == 'i')
            name = tch_frame_unmarked(name);
        add_string(&sink->b, name);
        tch_sink_step(sink);
    }
    for (uint32_t id = 0; origins && id < origins->sources.count; id++) {
        add_string(&sink->b, tch_span_interned(&origins->sources, id));
        tch_sink_step(sink);
    }
    for (size_t i = 0; origins && i < origins->file_count; i++) {
        const struct tch_origin_file *file = origins->files + i;

        add_string(&sink->b, (struct tch_span){file->path, strlen(file->path)});
        tch_pb_text(&sink->b, PROFILE_STRING, file->build_id);
    }
}

/* order: of the stacks; NULL: as they are. */
static int add_profile(struct writer *w, const uint32_t *order, struct tch_sink *sink)
{
    const struct tch_stacks *stacks = stacks_of(w);
    bool has_period = w->profile->period_ns > 0 && !stacks->before;
    int status = 0;

    for (size_t i = 0; i < w->count; i++)
        add_type(&sink->b, PROFILE_SAMPLE_TYPE, i);
    for (uint32_t i = 0; i < stacks->count; i++) {
        add_sample(&sink->b, w, order ? order[i] : i);
        tch_sink_step(sink);
    }
    if (w->profile->origins)
        status = add_origins(sink, w);
    for (uint32_t id = 0; !w->profile->origins && id < stacks->names.count; id++) {
        add_function(&sink->b, w, id);
        tch_sink_step(sink);
    }
    add_strings(sink, w);
    if (has_period) {
        add_type(&sink->b, PROFILE_PERIOD_TYPE, 1);
        tch_pb_varint(&sink->b, PROFILE_PERIOD, w->profile->period_ns);
    }
    tch_pb_varint(&sink->b, PROFILE_DEFAULT_TYPE, type_string(has_period));
    return status;
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
    if (status == 0 && !profile->origins)
        status = tch_stacks_sort(profile->stacks, &order, sink->err);
    if (status == 0)
        status = tch_deflate_open(&z, LEVEL, add_compressed, sink, sink->err);
    if (status == 0) {
        tch_sink_init(&plain, compress, z, sink->err);
        status = add_profile(&w, order, &plain) < 0 ? tch_fail_memory(sink->err) : 0;
        if (tch_sink_end(&plain) < 0)
            status = plain.status;
        if (status == 0)
            status = tch_deflate_finish(z);
    }
    tch_deflate_close(z);
    tch_intern_release(&w.functions);
    free(order);
    return status;
}
