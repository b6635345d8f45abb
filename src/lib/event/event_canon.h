/*
 * Writes the canonical form of an event, and of the JSON values in it.
 */
#ifndef TCH_EVENT_CANON_H
#define TCH_EVENT_CANON_H

#include <stdbool.h>

#include <tacho/event.h>

#include "base/buf.h"

/** Adds the event, without a line feed. b fails without memory. */
void tch_event_canon(struct tch_buf *b, const tacho_event *event);

/**
 * Adds a value in canonical form. Members keep their order; of two with the same key, the first
 * keeps its place and gets the value of the last.
 *
 * @param sorted  sort the members of the value itself by key, if it is an object
 * @return 0, TACHO_EPARSE when json is not one sound value, TACHO_ENOMEM or TACHO_ELIMIT; after a
 *         failure b has failed, or holds part of the value
 */
int tch_json_canon(struct tch_buf *b, const char *json, size_t len, bool sorted, tacho_error *err);

#endif
