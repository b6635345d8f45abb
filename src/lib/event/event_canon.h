/*
 * The one canonical form of an event, and of the JSON values in it.
 */
#ifndef TCH_EVENT_CANON_H
#define TCH_EVENT_CANON_H

#include <stdbool.h>

#include <tacho/event.h>

#include "base/buf.h"

/** Adds the event, without a line feed; b fails when memory runs out. */
void tch_event_canon(struct tch_buf *b, const tacho_event *event);

/**
 * Adds a value in canonical form: the order of members stays, of two with the same key the last
 * value counts, at the place of the first.
 *
 * @param sorted  the members of the value itself, if it is an object, are sorted by key
 * @return 0, TACHO_EPARSE when json is not one sound value, TACHO_ENOMEM or TACHO_ELIMIT; after a
 *         failure b has failed, or holds part of the value
 */
int tch_json_canon(struct tch_buf *b, const char *json, size_t len, bool sorted, tacho_error *err);

#endif
