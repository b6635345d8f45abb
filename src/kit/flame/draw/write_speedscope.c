/*
 * Writes speedscope's JSON: https://www.speedscope.app/file-format-schema.json. With a timeline
 * there is one profile per thread, in the order of time; without one, a single profile of all
 * stacks.
 */
#include <stdlib.h>

#include "base/json_write.h"
#include "profile_formats.h"

static void add_shared(const struct tch_stacks *stacks, struct tch_sink *sink)
{
    tch_json_key(&sink->b, "shared");
    tch_json_begin_object(&sink->b);
    tch_json_key(&sink->b, "frames");
    tch_json_begin_array(&sink->b);
    for (uint32_t id = 0; id < stacks->names.count; id++) {
        struct tch_span name = tch_span_interned(&stacks->names, id);

        tch_json_begin_object(&sink->b);
        tch_json_key(&sink->b, "name");
        tch_json_string(&sink->b, name.p, name.len);
        tch_json_end_object(&sink->b);
        tch_sink_step(sink);
    }
    tch_json_end_array(&sink->b);
    tch_json_end_object(&sink->b);
}

static void add_sample(const struct tch_stacks *stacks, uint32_t id, struct tch_sink *sink)
{
    const char *at = tch_stacks_first(stacks, id);

    tch_json_begin_array(&sink->b);
    for (uint32_t i = 0; i < stacks->list[id].len; i++)
        tch_json_u64(&sink->b, tch_stacks_next(&at));
    tch_json_end_array(&sink->b);
    tch_sink_step(sink);
}

/* Returns the unit of the weights, by a name of speedscope's schema. */
static const char *unit_of(const struct tch_profile *profile)
{
    bool bytes = profile->unit && strcmp(profile->unit, "bytes") == 0;

    return bytes || tch_unit_ns(profile->unit) > 0 ? profile->unit : "none";
}

static void begin_profile(struct tch_sink *sink, const struct tch_profile *profile,
                          struct tch_span name, uint64_t total)
{
    tch_json_begin_object(&sink->b);
    tch_json_put_text(&sink->b, "type", "sampled");
    tch_json_key(&sink->b, "name");
    tch_json_string(&sink->b, name.p, name.len);
    tch_json_put_text(&sink->b, "unit", unit_of(profile));
    tch_json_put_u64(&sink->b, "startValue", 0);
    tch_json_put_u64(&sink->b, "endValue", total);
}

static int add_stacks(const struct tch_profile *profile, struct tch_sink *sink)
{
    const struct tch_stacks *stacks = profile->stacks;
    uint32_t *order = NULL;
    int status = tch_stacks_sort(stacks, &order, sink->err);

    if (status < 0)
        return status;
    begin_profile(sink, profile, (struct tch_span){profile->name, strlen(profile->name)},
                  tch_stacks_total(stacks));
    tch_json_key(&sink->b, "samples");
    tch_json_begin_array(&sink->b);
    for (uint32_t i = 0; i < stacks->count; i++)
        add_sample(stacks, order[i], sink);
    tch_json_end_array(&sink->b);
    tch_json_key(&sink->b, "weights");
    tch_json_begin_array(&sink->b);
    for (uint32_t i = 0; i < stacks->count; i++) {
        tch_json_u64(&sink->b, stacks->list[order[i]].count);
        tch_sink_step(sink);
    }
    tch_json_end_array(&sink->b);
    tch_json_end_object(&sink->b);
    free(order);
    return 0;
}

static void add_thread(const struct tch_profile *profile, uint32_t thread, struct tch_sink *sink)
{
    const struct tch_timeline *t = profile->timeline;
    uint64_t total = 0;
    struct tch_span name = tch_span_interned(&t->threads, thread);

    for (size_t i = 0; i < t->count; i++)
        total += t->list[i].thread == thread ? t->list[i].weight : 0;
    begin_profile(sink, profile, name, total);
    tch_json_key(&sink->b, "samples");
    tch_json_begin_array(&sink->b);
    for (size_t i = 0; i < t->count; i++)
        if (t->list[i].thread == thread)
            add_sample(profile->stacks, t->list[i].stack, sink);
    tch_json_end_array(&sink->b);
    tch_json_key(&sink->b, "weights");
    tch_json_begin_array(&sink->b);
    for (size_t i = 0; i < t->count; i++)
        if (t->list[i].thread == thread) {
            tch_json_u64(&sink->b, t->list[i].weight);
            tch_sink_step(sink);
        }
    tch_json_end_array(&sink->b);
    tch_json_end_object(&sink->b);
}

int tch_write_speedscope(const struct tch_profile *profile,
                         const struct tch_format_options *options, struct tch_sink *sink)
{
    bool timed = profile->timeline && profile->timeline->timed;
    int status = 0;

    (void)options;
    tch_json_begin_object(&sink->b);
    tch_json_put_text(&sink->b, "$schema", "https://www.speedscope.app/file-format-schema.json");
    tch_json_put_text(&sink->b, "exporter", "tacho");
    tch_json_put_text(&sink->b, "name", profile->name);
    tch_json_put_u64(&sink->b, "activeProfileIndex", 0);
    add_shared(profile->stacks, sink);
    tch_json_key(&sink->b, "profiles");
    tch_json_begin_array(&sink->b);
    if (!timed)
        status = add_stacks(profile, sink);
    for (uint32_t i = 0; timed && i < profile->timeline->threads.count; i++)
        add_thread(profile, i, sink);
    tch_json_end_array(&sink->b);
    tch_json_end_object(&sink->b);
    tch_json_line_end(&sink->b);
    return status < 0 ? status : sink->status;
}
