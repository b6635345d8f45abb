/*
 * Converts a recording to a trace that viewers open. Each format has a file, and one table lists
 * them.
 */
#ifndef TCH_RECORDING_CONVERT_H
#define TCH_RECORDING_CONVERT_H

#include <stdbool.h>

#include <tacho/error.h>

#include "base/sink.h"
#include "recording_file.h"

struct tch_trace_format {
    const char *extension; /**< ".json" */
    const char *name;      /**< shown in messages */
    /** Writes all of r by calls of `write`, which gets ctx. */
    int (*write)(struct tch_recording *r, tch_sink_write *write, void *ctx, tacho_error *err);
};

extern const struct tch_trace_format tch_trace_chrome;
extern const struct tch_trace_format tch_trace_perfetto;

/** Returns the format for the extension of path, ignoring a final .gz, or NULL when there is
    none. */
const struct tch_trace_format *tch_trace_format_of(const char *path);

/** Returns where the extension of path begins, including a final .gz, or the end of path when it
    has no extension. */
const char *tch_trace_extension(const char *path);

/** Returns whether the path ends in .tacho. */
bool tch_trace_is_recording(const char *path);

/** Writes `out`, all of it or nothing. A name that ends in .gz selects gzip, and an unknown
    extension selects Chrome JSON. Copies the counts of the walk to *ret, which may be NULL. The
    pointers in *ret are not valid. */
int tch_trace_convert(const char *recording, const char *out, struct tch_recording *ret,
                      tacho_error *err);

/** Does what tch_trace_convert() does, from a descriptor, which it closes: the recording may not
    have a name any more. `recording` is used in messages. */
int tch_trace_convert_fd(int fd, const char *recording, const char *out, struct tch_recording *ret,
                         tacho_error *err);

/** Copies the bytes of a recording from a descriptor, which it closes. */
int tch_trace_copy_fd(int fd, const char *recording, const char *out, tacho_error *err);

#endif
