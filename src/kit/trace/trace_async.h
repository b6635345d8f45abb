/*
 * Async events, put together to spans by category and id, of a process or of the whole trace.
 *
 *     tch_async_init(&a, false);
 *     tch_async_add(&a, &model, &ev, &err);  ...        in any order
 *     tch_async_each(&a, each, ctx, &err);
 *     tch_async_release(&a);
 */
#ifndef TCH_TRACE_ASYNC_H
#define TCH_TRACE_ASYNC_H

#include "trace_spool.h"

struct tch_async {
    struct tch_spool events;
    bool by_category;
    struct tch_async_open *open; /* of one id */
    size_t depth, room;
    uint64_t unfinished; /**< begins without an end */
    uint64_t lone_ends;
};

/** Takes a span. Of its time, `counted` is in no other span of its id and name (or category). */
typedef int tch_async_each_fn(void *ctx, const struct tch_ev *span, uint64_t counted);

/** by_category: nested spans of one category count once, instead of those of one name. */
void tch_async_init(struct tch_async *a, bool by_category);
void tch_async_release(struct tch_async *a);

/** Keeps an event, without its arguments. Events of one moment meet in the order of their offsets.
 */
int tch_async_add(struct tch_async *a, const struct tch_model *m, const struct tch_ev *ev,
                  tacho_error *err);

/** Gives the spans, once all events are there. @return 0, a negative code, or what `each` did */
int tch_async_each(struct tch_async *a, tch_async_each_fn *each, void *ctx, tacho_error *err);

#endif
