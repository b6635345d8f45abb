/*
 * The documents that `tacho flame` prints with --json.
 */
#ifndef TCH_FLAME_JSON_H
#define TCH_FLAME_JSON_H

#include <tacho/flame.h>

#include "base/buf.h"
#include "kit/flame/stack/stacks.h"

/** Adds tacho.flame.capture.v1 and a line feed. */
void tch_flame_capture_json(struct tch_buf *b, const tacho_flame *flame);

/** A profile that was written to a file. */
struct tch_flame_written {
    const struct tch_stacks *stacks;
    uint64_t samples;     /**< number of samples */
    const char *unit;     /**< unit of the counts */
    const char *path;     /**< the file */
    const char *previous; /**< new path of an earlier file there, or NULL */
    const char *format;
    const char *input;
    const struct tch_changes *changes; /**< of a differential; otherwise NULL */
};

/** Adds tacho.flame.v1 and a line feed. */
void tch_flame_written_json(struct tch_buf *b, const struct tch_flame_written *written);

#endif
