/*
 * The documents that `tacho flame` prints with --json.
 */
#ifndef TCH_FLAME_JSON_H
#define TCH_FLAME_JSON_H

#include <tacho/flame.h>

#include "base/buf.h"
#include "stacks.h"

/** Adds tacho.flame.capture.v1 and a line feed. */
void tch_flame_capture_json(struct tch_buf *b, const tacho_flame *flame);

/** Adds tacho.flame.v1 and a line feed: stacks read from `input` were written to `path`, and an
    earlier file there was kept as `previous`, unless that is NULL. */
void tch_flame_written_json(struct tch_buf *b, const struct tch_stacks *stacks, const char *path,
                            const char *previous, const char *format, const char *input);

#endif
