/*
 * Fields as the members of a JSON object.
 */
#ifndef TCH_EVENT_FIELDS_H
#define TCH_EVENT_FIELDS_H

#include <tacho/event.h>

#include "base/buf.h"

/**
 * Adds {"key":value,...}, sorted by key; of two with the same key the last one counts.
 *
 * @return 0, TACHO_EINVAL when a field is not allowed, TACHO_ENOMEM; b may fail as well
 */
int tch_fields_put(struct tch_buf *b, tacho_fields fields, tacho_error *err);

/** The same without the braces, of which the opening one is the last byte of b. */
int tch_members_put(struct tch_buf *b, tacho_fields fields, tacho_error *err);

/** Adds a name as a JSON string, where no comma is needed; it ends with a NUL. */
void tch_name_put(struct tch_buf *b, const char *name, size_t len);

#endif
