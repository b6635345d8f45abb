/*
 * Writes one event of a Chrome trace file in the form that ferrum uses.
 */
#ifndef TCH_CHROME_EVENT_H
#define TCH_CHROME_EVENT_H

#include <tacho/trace.h>

#include "base/buf.h"

enum {
    TCH_CHROME_EVENT_MAX = 16 << 20, /**< limit of an event that is read, in bytes */
    TCH_CHROME_EVENT_LIMIT = 256 << 20,
};

/**
 * Adds an event to b.
 *
 * @param args  NULL, or a JSON object that replaces the arguments of the event
 * @return 0, TACHO_EINVAL, TACHO_ENOMEM; after a failure b has failed, or holds part of the event
 */
int tch_chrome_event_add(struct tch_buf *b, const tacho_trace_event *event, const char *args,
                         tacho_error *err);

#endif
