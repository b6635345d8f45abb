/*
 * Writes the canonical form of an event.
 */
#ifndef TCH_EVENT_CANON_H
#define TCH_EVENT_CANON_H

#include <tacho/event.h>

#include "base/buf.h"

/** Passes the text in b to the caller, who frees it.
    @return 0, or TACHO_ENOMEM, TACHO_ELIMIT when b has failed */
int tch_event_give(struct tch_buf *b, char **ret, size_t *ret_len, tacho_error *err);

/** Adds the canonical form of the event, without a line feed. b fails without memory. */
void tch_event_canon(struct tch_buf *b, const tacho_event_view *event);

#endif
