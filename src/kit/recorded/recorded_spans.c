/* Reads the spans of a recording or a Chrome trace. */
#include <limits.h>
#include <stdio.h>

#include "base/fail.h"
#include "kit/trace/trace_async.h"
#include "kit/trace/trace_load.h"
#include "recorded_reading.h"

/* Returns the part of a span that no earlier span of its name on its track covers. Spans come in
   the order of tracks and times. */
static int64_t not_covered(struct tch_recorded_series *s, const struct tch_ev *ev)
{
    int64_t end = ev->ts + ev->dur;
    int64_t from = ev->ts;

    if (s->durations.count == 0 || s->track != ev->track)
        s->reach = INT64_MIN;
    s->track = ev->track;
    if (s->reach > from)
        from = s->reach;
    if (end > s->reach)
        s->reach = end;
    return end > from ? end - from : 0;
}

static int add_span(struct tch_reading *f, const struct tch_model *m, const struct tch_ev *ev)
{
    int status = tch_reading_note(f, TCH_FROM_SPANS, tch_intern_text(&m->texts, ev->name),
                                  tch_intern_len(&m->texts, ev->name));

    for (size_t i = 0; i < f->series_count && status == 0; i++)
        if (f->series[i].asked.source == TCH_FROM_SPANS && f->series[i].name == ev->name)
            status = tch_reading_add(f, &f->series[i], (uint64_t)ev->dur,
                                     (double)not_covered(&f->series[i], ev));
    return status;
}

struct asyncs {
    struct tch_reading *f;
    const struct tch_model *m;
};

static int add_async(void *ctx, const struct tch_ev *ev, uint64_t counted)
{
    const struct asyncs *a = ctx;
    struct tch_reading *f = a->f;
    int status = tch_reading_note(f, TCH_FROM_SPANS, tch_intern_text(&a->m->texts, ev->name),
                                  tch_intern_len(&a->m->texts, ev->name));

    for (size_t i = 0; i < f->series_count && status == 0; i++)
        if (f->series[i].asked.source == TCH_FROM_SPANS && f->series[i].name == ev->name)
            status = tch_reading_add(f, &f->series[i], (uint64_t)ev->dur, (double)counted);
    return status;
}

static int read_spans(struct tch_reading *f, struct tch_trace_load *load)
{
    struct asyncs asyncs = {f, &load->model};
    struct tch_async async;
    struct tch_ev ev;
    int more = 0;
    int status = 0;

    tch_async_init(&async, false);
    for (size_t i = 0; i < f->series_count; i++) {
        f->series[i].track = UINT32_MAX; /* another trace has other tracks */
        f->series[i].name =
            tch_intern_find(&load->model.texts, f->series[i].asked.text, f->series[i].asked.len);
    }
    while (status == 0 && (more = tch_trace_load_next(load, &ev, f->err)) > 0)
        if (ev.kind == TCH_EV_SPAN)
            status = add_span(f, &load->model, &ev);
        else if (ev.kind == TCH_EV_ASYNC)
            status = tch_async_add(&async, &load->model, &ev, f->err);
    if (status == 0 && more == 0)
        status = tch_async_each(&async, add_async, &asyncs, f->err);
    tch_async_release(&async);
    return status == 0 ? more : status;
}

int tch_reading_spans(struct tch_reading *f, const char *name)
{
    static const struct tch_trace_read_options options = {0};
    struct tch_trace_load load;
    char path[PATH_MAX];
    int status;

    if (snprintf(path, sizeof path, "%s/%s", f->folder, name) >= PATH_MAX)
        return tch_fail(f->err, TACHO_ELIMIT, 0, "the path of '%.60s' is too long", name);
    status = tch_trace_load_open(&load, path, &options, tch_by_track_and_time, f->err);
    if (status == 0)
        status = read_spans(f, &load);
    f->spans += (double)(load.model.by_kind[TCH_EV_SPAN] + load.model.by_kind[TCH_EV_BEGIN]) +
                (double)load.model.by_kind[TCH_EV_ASYNC] / 2;
    f->lost += load.model.dropped + load.model.bad.count + (status == TACHO_EPARSE);
    tch_trace_load_close(&load);
    /* Not a trace, or truncated before its first record. */
    return status == TACHO_EPARSE ? 0 : status;
}
