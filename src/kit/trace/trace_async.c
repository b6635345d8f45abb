/* Joins async events to spans by id. */
#include "trace_async.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"

struct tch_async_open {
    struct tch_ev ev;
    uint64_t hidden; /* nanoseconds of inner spans that were counted already */
};

void tch_async_init(struct tch_async *a, enum tch_async_use use)
{
    *a = (struct tch_async){.use = use};
    tch_spool_init(&a->events, tch_by_async_id);
}

void tch_async_release(struct tch_async *a)
{
    tch_spool_release(&a->events);
    free(a->open);
    a->open = NULL;
}

/* Keeps an event. Its lane is the process that the id belongs to; 0: the whole trace. */
int tch_async_add(struct tch_async *a, const struct tch_model *m, const struct tch_ev *given,
                  tacho_error *err)
{
    struct tch_ev ev = *given;

    if (ev.phase == 'n')
        return 0;
    ev.lane = ev.flags & TCH_EV_LOCAL ? m->tracks[ev.track].process + 1 : 0;
    if (a->use != TCH_ASYNC_WHOLE)
        ev.args_len = 0;
    return tch_spool_add(&a->events, &ev, err);
}

static bool counts_with(const struct tch_async *a, const struct tch_ev *x, const struct tch_ev *y)
{
    return a->use == TCH_ASYNC_BY_CATEGORY ? x->category == y->category : x->name == y->name;
}

static int begin_span(struct tch_async *a, const struct tch_ev *ev, tacho_error *err)
{
    if (tch_array_reserve(&a->open, &a->room, a->depth + 1) < 0)
        return tch_fail_memory(err);
    a->open[a->depth++] = (struct tch_async_open){.ev = *ev};
    return 0;
}

/* Counts a begin or an end without its other half, and passes it on if the caller wants these. */
static int meet_lone(struct tch_async *a, struct tch_ev ev, tch_async_each_fn *each, void *ctx)
{
    if (ev.phase == 'b')
        a->unfinished++;
    else
        a->lone_ends++;
    ev.flags |= TCH_EV_LONE;
    return a->use == TCH_ASYNC_WHOLE ? each(ctx, &ev, 0) : 0;
}

static int leave_id(struct tch_async *a, tch_async_each_fn *each, void *ctx)
{
    int status = 0;

    for (size_t i = 0; status == 0 && i < a->depth; i++)
        status = meet_lone(a, a->open[i].ev, each, ctx);
    a->depth = 0;
    return status;
}

/* Closes the last span of that name; others with the same id stay open. */
static int end_span(struct tch_async *a, const struct tch_ev *ev, tch_async_each_fn *each,
                    void *ctx)
{
    size_t at = a->depth, outer;
    struct tch_async_open span;
    uint64_t dur;

    while (at > 0 && a->open[at - 1].ev.name != ev->name)
        at--;
    if (at == 0)
        return meet_lone(a, *ev, each, ctx);
    a->end = *ev;
    span = a->open[at - 1];
    span.ev.kind = TCH_EV_SPAN;
    span.ev.dur = ev->ts - span.ev.ts;
    dur = (uint64_t)span.ev.dur;
    outer = at - 1;
    while (outer > 0 && !counts_with(a, &a->open[outer - 1].ev, ev))
        outer--;
    if (outer > 0)
        a->open[outer - 1].hidden += dur;
    memmove(&a->open[at - 1], &a->open[at], (a->depth - at) * sizeof *a->open);
    a->depth--;
    return each(ctx, &span.ev, dur > span.hidden ? dur - span.hidden : 0);
}

int tch_async_each(struct tch_async *a, tch_async_each_fn *each, void *ctx, tacho_error *err)
{
    struct tch_ev ev, before = {0};
    int more = 0, status = tch_spool_sort(&a->events, err);

    while (status == 0 && (more = tch_spool_next(&a->events, &ev, err)) > 0) {
        if (!tch_same_async(&before, &ev))
            status = leave_id(a, each, ctx);
        before = ev;
        if (status == 0)
            status = ev.phase == 'b' ? begin_span(a, &ev, err) : end_span(a, &ev, each, ctx);
    }
    if (status == 0 && more == 0)
        status = leave_id(a, each, ctx);
    return status != 0 ? status : more;
}
