/*
 * Writes fields as the members of a JSON object.
 */
#ifndef TCH_EVENT_FIELDS_H
#define TCH_EVENT_FIELDS_H

#include <tacho/event.h>

#include "base/buf.h"

/**
 * Adds {"key":value,...}, sorted by key. When a key occurs twice, the last field counts.
 *
 * @return 0, TACHO_EINVAL when a field is not allowed, TACHO_ENOMEM; b may fail as well
 */
int tch_fields_put(struct tch_buf *b, tacho_fields fields, tacho_error *err);

/** Adds the members without the braces. The last byte of b must be the opening brace. */
int tch_members_put(struct tch_buf *b, tacho_fields fields, tacho_error *err);

/*
 * Most events contain only plain names and numbers. These functions write them without tch_buf,
 * which would take as long as everything else. Each returns the end of the text, or NULL for any
 * other content.
 */

enum { TCH_FIELD_MAX = 112 }; /* limit of the bytes of a field or a name */

/** Writes a name that needs no escape, in quotes. */
char *tch_plain_put(char *out, const char *name);

/** Writes members like tch_members_put(). */
char *tch_numbers_put(char *out, tacho_fields fields);

#endif
