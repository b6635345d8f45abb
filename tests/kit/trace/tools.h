/* What the tests of the trace tools share: a trace, and its way through files. */
#ifndef TEST_TRACE_TOOLS_H
#define TEST_TRACE_TOOLS_H

#include "kit/trace/trace_summary.h"

extern const struct tch_trace_read_options tools_plain;
extern const struct tch_trace_read_options tools_with_args;

/** Chrome JSON of all that the format has, with what is hard in names and arguments. */
extern const char tools_full[];

/** A file in the test's folder; its path. */
const char *tools_put(const char *name, const char *text);

/** All of a file; the caller frees it. */
char *tools_content(const char *path);

/** Must succeed. */
void tools_convert(const char *in, const char *out);

/** Must be there. */
const struct tch_trace_summary_row *tools_row(const struct tch_trace_summary *s, const char *name);

#endif
