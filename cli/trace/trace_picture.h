/*
 * A trace as a picture in the terminal: one lane a track, time across.
 */
#ifndef CLI_TRACE_PICTURE_H
#define CLI_TRACE_PICTURE_H

#include "base/buf.h"
#include "cli/core/term.h"
#include "kit/trace/trace_summary.h"

/** Lanes of the busiest tracks, and what their letters and colours mean. */
void cli_trace_add_picture(struct tch_buf *b, const struct tch_trace_summary *s,
                           const struct term *term);

#endif
