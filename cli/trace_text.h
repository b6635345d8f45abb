/*
 * What the sub-commands of tacho trace share: names made safe, notes about how a file was read.
 */
#ifndef CLI_TRACE_TEXT_H
#define CLI_TRACE_TEXT_H

#include "base/buf.h"
#include "opt.h"
#include "progress.h"
#include "trace/rewrite.h"

/** Starts a progress of reading `path`, to be ended by the caller, and options that drive it. */
struct trace_progress {
    struct progress progress;
};
struct tch_read_options trace_reading(struct trace_progress *p, const struct args *args,
                                      const char *path, bool with_args);

/** Says on stderr what of the file could not be read. The number of such warnings. */
int warn_of_losses(const struct tch_model *m, const char *path);

/** Says what was written and what was not; EXIT_OK, or EXIT_WARN when asked for. */
int tell_rewritten(const struct tch_rewritten *done, const char *in, const char *out,
                   const struct args *args, bool fail_on_warn);

/** "Chrome JSON (array), gzip". */
void add_kind(struct tch_buf *b, const struct tch_model *m);

#endif
