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

/*
 * The usual event has plain names and numbers alone. It is put together without tch_buf, which
 * would take as long as all the rest. Each returns the byte behind, or NULL when it is not usual.
 */

enum { TCH_FIELD_MAX = 112 }; /* bytes that each field, and each name, may take */

/** A name that needs no escape, with quotes around it. */
char *tch_plain_put(char *out, const char *name);

/** The same as tch_members_put(). */
char *tch_numbers_put(char *out, tacho_fields fields);

#endif
