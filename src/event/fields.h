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

#endif
