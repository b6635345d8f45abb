/*
 * Joins async events to spans by category and id, within a process or the whole trace.
 *
 *     tch_async_init(&a, TCH_ASYNC_BY_NAME);
 *     tch_async_add(&a, &model, &ev, &err);  ...        in any order
 *     tch_async_each(&a, each, ctx, &err);
 *     tch_async_release(&a);
 */
#ifndef TCH_TRACE_ASYNC_H
#define TCH_TRACE_ASYNC_H

#include "trace_spool.h"

enum tch_async_use {
    TCH_ASYNC_BY_NAME,     /**< to sum up: nested spans of one name count once */
    TCH_ASYNC_BY_CATEGORY, /**< to sum up: nested spans of one category count once */
    TCH_ASYNC_WHOLE,       /**< to write them again: keeps their arguments */
};

struct tch_async {
    struct tch_spool events;
    enum tch_async_use use;
    struct tch_async_open *open; /* open spans of one id */
    size_t depth, room;
    struct tch_ev end;   /**< the end of the span that `each` receives */
    uint64_t unfinished; /**< begins without an end */
    uint64_t lone_ends;
};

/** Receives a span: its begin, with kind TCH_EV_SPAN and the duration. `counted` is the part of its
    time that no other span with its id and name (or category) covers. With TCH_ASYNC_WHOLE it also
    receives begins and ends without their other half, as events with TCH_EV_LONE. */
typedef int tch_async_each_fn(void *ctx, const struct tch_ev *span, uint64_t counted);

void tch_async_init(struct tch_async *a, enum tch_async_use use);
void tch_async_release(struct tch_async *a);

/** Keeps a begin or an end. Events with the same time are ordered by their offsets. Does not keep
    instants, which belong to no single span. */
int tch_async_add(struct tch_async *a, const struct tch_model *m, const struct tch_ev *ev,
                  tacho_error *err);

/** Passes on the spans after all events were added. @return 0, a negative code, or the result of
    `each` */
int tch_async_each(struct tch_async *a, tch_async_each_fn *each, void *ctx, tacho_error *err);

#endif
