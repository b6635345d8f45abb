/*
 * A recording becomes a trace that viewers open. One file a format, one table that lists them.
 */
#ifndef TCH_RECORDING_CONVERT_H
#define TCH_RECORDING_CONVERT_H

#include <stdbool.h>

#include <tacho/error.h>

#include "base/sink.h"
#include "recording_file.h"

struct tch_trace_format {
    const char *extension; /**< ".json" */
    const char *name;      /**< for people */
    /** Writes all of r by `write`, which gets ctx. */
    int (*write)(struct tch_recording *r, tch_sink_write *write, void *ctx, tacho_error *err);
};

extern const struct tch_trace_format tch_trace_chrome;
extern const struct tch_trace_format tch_trace_perfetto;

/** Returns the format that the extension of path, without a .gz at its end, names; NULL: none. */
const struct tch_trace_format *tch_trace_format_of(const char *path);

/** Returns where the extension of path begins, .gz included; its end when there is none. */
const char *tch_trace_extension(const char *path);

/** Does the path end in .tacho? */
bool tch_trace_is_recording(const char *path);

/** Writes `out`, whole or not at all, as gzip when it ends in .gz, in Chrome JSON when its
   extension names no format; what the walk counted goes to *ret (may be NULL; nothing in it points
   anywhere). */
int tch_trace_convert(const char *recording, const char *out, struct tch_recording *ret,
                      tacho_error *err);

/** Like tch_trace_convert(), from a descriptor, which it takes over: the recording may have no name
    any more. `recording` is for messages. */
int tch_trace_convert_fd(int fd, const char *recording, const char *out, struct tch_recording *ret,
                         tacho_error *err);

/** Copies the bytes of a recording, from a descriptor, which it takes over. */
int tch_trace_copy_fd(int fd, const char *recording, const char *out, tacho_error *err);

#endif
