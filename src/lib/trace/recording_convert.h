/*
 * A recording becomes a trace that viewers open. One file a format, one table that lists them.
 */
#ifndef TCH_RECORDING_CONVERT_H
#define TCH_RECORDING_CONVERT_H

#include <stdbool.h>

#include <tacho/error.h>

#include "base/file.h"
#include "recording_file.h"

struct tch_trace_format {
    const char *extension; /**< ".json" */
    const char *name;      /**< for people */
    /** Writes all of r to out. */
    int (*write)(struct tch_recording *r, struct tch_replace *out, tacho_error *err);
};

extern const struct tch_trace_format tch_trace_chrome;
extern const struct tch_trace_format tch_trace_perfetto;

/** Where the extension of a trace begins in path, or NULL when it is none that can be written. */
const char *tch_trace_extension(const char *path);

/** Does the path end in .tacho? */
bool tch_trace_is_recording(const char *path);

/** Writes `out`, whole or not at all; what the walk counted goes to *ret (may be NULL; nothing in
   it points anywhere). */
int tch_trace_convert(const char *recording, const char *out, struct tch_recording *ret,
                      tacho_error *err);

/** Like tch_trace_convert(), from a descriptor, which it takes over: the recording may have no name
    any more. `recording` is for messages. */
int tch_trace_convert_fd(int fd, const char *recording, const char *out, struct tch_recording *ret,
                         tacho_error *err);

/** Copies the bytes of a recording, from a descriptor, which it takes over. */
int tch_trace_copy_fd(int fd, const char *recording, const char *out, tacho_error *err);

#endif
