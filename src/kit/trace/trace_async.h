/*
 * Joins async events to spans by category and id, within a process or the whole trace.
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
    struct tch_async_open *open; /* open spans of one id */
    size_t depth, room;
    uint64_t unfinished; /**< begins without an end */
    uint64_t lone_ends;
};

/** Receives a span. `counted` is the part of its time that no other span with its id and name (or
    category) covers. */
typedef int tch_async_each_fn(void *ctx, const struct tch_ev *span, uint64_t counted);

/** Initialises a. by_category: nested spans of one category count once; otherwise nested spans of
    one name do. */
void tch_async_init(struct tch_async *a, bool by_category);
void tch_async_release(struct tch_async *a);

/** Keeps an event, without its arguments. Events with the same time are ordered by their
    offsets. */
int tch_async_add(struct tch_async *a, const struct tch_model *m, const struct tch_ev *ev,
                  tacho_error *err);

/** Passes on the spans after all events were added. @return 0, a negative code, or the result of
    `each` */
int tch_async_each(struct tch_async *a, tch_async_each_fn *each, void *ctx, tacho_error *err);

#endif
