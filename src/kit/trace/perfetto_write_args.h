/*
 * Arguments of events as Perfetto has them.
 */
#ifndef TCH_PERFETTO_WRITE_ARGS_H
#define TCH_PERFETTO_WRITE_ARGS_H

#include "base/buf.h"

/** Adds the members of a JSON object to the event that is being made in out. spare holds texts
    without their escapes for a while; when it fails, so does out. */
void tch_pf_put_args(struct tch_buf *out, struct tch_buf *spare, const char *json, size_t len);

#endif
