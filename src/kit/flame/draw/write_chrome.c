/*
 * Writes a Chrome trace: samples in the order of time as nested spans, one track per thread. Frames
 * that consecutive samples share become one span. Input without times has an order only; there each
 * sample lasts one microsecond.
 */
#include <stdlib.h>

#include "base/fail.h"
#include "base/number.h"
#include "lib/trace/chrome_writer.h"
#include "profile_formats.h"

/* The track of one thread. */
struct track {
    const struct tch_stacks *stacks;
    struct tch_sink *sink;
    struct tch_model model;
    struct tch_chrome chrome;
    uint32_t category;
    uint32_t number; /* track number in the model */
    size_t depth;
    uint32_t names[TCH_STACK_DEEPEST];
};

/* Returns the number of a text in the model. A failure is recorded in the sink. */
static uint32_t add_text(struct track *t, struct tch_span text)
{
    uint32_t number = tch_model_text(&t->model, text.p, text.len);

    if (number == TCH_INTERN_NONE && t->sink->status == 0)
        t->sink->status = tch_fail_memory(t->sink->err);
    return number;
}

/* Adds the begin or the end of a span. A complete span would have to follow the spans inside it,
   and readers nest spans of equal length in the order of the file. */
static void add_edge(struct track *t, enum tch_ev_kind kind, uint32_t name, uint64_t now)
{
    struct tch_ev ev = {.kind = (uint8_t)kind,
                        .phase = kind == TCH_EV_BEGIN ? 'B' : 'E',
                        .ts = (int64_t)now,
                        .name = add_text(t, tch_span_interned(&t->stacks->names, name)),
                        .category = t->category,
                        .track = t->number};

    if (t->sink->status == 0)
        tch_chrome_add(&t->chrome, &ev);
}

static void close_spans(struct track *t, size_t depth, uint64_t now)
{
    while (t->depth > depth)
        add_edge(t, TCH_EV_END, t->names[--t->depth], now);
}

static void open_spans(struct track *t, uint32_t stack, uint64_t now)
{
    const char *at = tch_stacks_first(t->stacks, stack);
    uint32_t len = t->stacks->list[stack].len;
    uint32_t name = 0;
    uint32_t i = 0;

    for (; i < len; i++) {
        name = tch_stacks_next(&at);
        if (i >= t->depth || t->names[i] != name)
            break;
    }
    close_spans(t, i, now);
    for (; i < len; i++) {
        t->names[t->depth++] = name;
        add_edge(t, TCH_EV_BEGIN, name, now);
        if (i + 1 < len)
            name = tch_stacks_next(&at);
    }
}

static int by_thread_and_time(const void *a, const void *b)
{
    const struct tch_sample *x = a;
    const struct tch_sample *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return 0;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Returns the usual time between two samples of a thread; 0 if there are fewer than two. */
static uint64_t usual_gap(const struct tch_sample *list, size_t count, uint64_t *scratch)
{
    size_t n = 0;

    for (size_t i = 1; i < count; i++)
        if (list[i].thread == list[i - 1].thread)
            scratch[n++] = list[i].time_ns - list[i - 1].time_ns;
    qsort(scratch, n, sizeof *scratch, by_value);
    return n > 0 ? scratch[n / 2] : 0;
}

/* Parses the numbers of "comm-PID/TID". The track keeps the text as its name. */
static void start_track(struct track *t, struct tch_span thread, uint32_t number)
{
    size_t slash = tch_span_rfind(thread, "/");
    size_t dash = tch_span_rfind(thread, "-");
    uint64_t pid = 0, tid = number;
    uint32_t name;

    t->depth = 0;
    if (slash < thread.len &&
        tch_parse_u64_n(thread.p + slash + 1, thread.len - slash - 1, INT32_MAX, &tid) == 0 &&
        dash < slash)
        tch_parse_u64_n(thread.p + dash + 1, slash - dash - 1, INT32_MAX, &pid);
    name = add_text(t, thread.len > 0 ? thread : (struct tch_span){"stacks", 6});
    t->number = tch_model_track(&t->model, pid, tid);
    if (t->number == TCH_INTERN_NONE && t->sink->status == 0)
        t->sink->status = tch_fail_memory(t->sink->err);
    if (t->sink->status < 0)
        return;
    t->model.tracks[t->number].name = name;
    tch_chrome_name_track(&t->chrome, t->number);
}

static void add_tracks(struct track *t, const struct tch_timeline *timeline,
                       const struct tch_sample *list, uint64_t gap)
{
    uint64_t first = timeline->count ? list[0].time_ns : 0;

    for (size_t i = 1; i < timeline->count; i++)
        first = list[i].time_ns < first ? list[i].time_ns : first;
    for (size_t i = 0; i < timeline->count && t->sink->status == 0; i++) {
        const struct tch_sample *s = list + i;
        bool last = i + 1 == timeline->count || s[1].thread != s->thread;
        uint64_t now = s->time_ns - first;
        uint64_t end;

        if (i == 0 || s[-1].thread != s->thread)
            start_track(t, tch_span_interned(&timeline->threads, s->thread), s->thread);
        open_spans(t, s->stack, now);
        /* A thread without samples for a long time was not running. */
        end = timeline->timed ? now + gap : now + s->weight * 1000;
        if (last || s[1].time_ns - s->time_ns > (timeline->timed ? 2 * gap : UINT64_MAX))
            close_spans(t, 0, end);
    }
}

static int write_tracks(struct track *t, const struct tch_profile *profile,
                        const struct tch_sample *list, uint64_t gap, struct tch_sink *sink)
{
    t->stacks = profile->stacks;
    t->sink = sink;
    tch_model_init(&t->model);
    tch_chrome_init(&t->chrome, &t->model, sink, ",\n");
    t->category = add_text(t, (struct tch_span){"sample", 6});
    tch_sink_add(sink, "[\n", 2);
    add_tracks(t, profile->timeline, list, gap);
    if (t->chrome.any)
        tch_sink_add(sink, "\n", 1);
    tch_sink_add(sink, "]\n", 2);
    tch_chrome_release(&t->chrome);
    tch_model_release(&t->model);
    return sink->status;
}

int tch_write_chrome(const struct tch_profile *profile, const struct tch_format_options *options,
                     struct tch_sink *sink)
{
    const struct tch_timeline *timeline = profile->timeline;
    size_t count = timeline ? timeline->count : 0;
    struct tch_sample *list = malloc((count + 1) * sizeof *list);
    uint64_t *scratch = malloc((count + 1) * sizeof *scratch);
    struct track *track = malloc(sizeof *track);
    uint64_t now = 0;
    int status;

    (void)options;
    if (!timeline) {
        status = tch_fail(sink->err, TACHO_EINVAL, 0, "a Chrome trace needs the order of time");
        goto out;
    }
    if (!list || !scratch || !track) {
        status = tch_fail(sink->err, TACHO_ENOMEM, 0, "out of memory for %zu samples", count);
        goto out;
    }
    if (count > 0)
        memcpy(list, timeline->list, count * sizeof *list);
    if (timeline->timed)
        qsort(list, count, sizeof *list, by_thread_and_time);
    else
        for (size_t i = 0; i < count; i++) { /* one sample after the other */
            list[i].time_ns = now;
            now += list[i].weight * 1000;
        }
    status = write_tracks(track, profile, list, usual_gap(list, count, scratch), sink);
out:
    free(list);
    free(scratch);
    free(track);
    return status;
}
