/*
 * Writes the canonical form of an event.
 */
#ifndef TCH_EVENT_CANON_H
#define TCH_EVENT_CANON_H

#include <tacho/event.h>

#include "base/buf.h"

/** Adds the event, without a line feed. b fails without memory. */
void tch_event_canon(struct tch_buf *b, const tacho_event *event);

#endif
