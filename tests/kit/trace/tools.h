/* Functions and data that the tests of the trace tools share. */
#ifndef TEST_TRACE_TOOLS_H
#define TEST_TRACE_TOOLS_H

#include "kit/trace/trace_summary.h"

extern const struct tch_trace_read_options tools_plain;
extern const struct tch_trace_read_options tools_with_args;

/** Chrome JSON with everything that the format has, and with difficult names and arguments. */
extern const char tools_full[];

/** Writes a file into the test's folder and returns its path. */
const char *tools_put(const char *name, const char *text);

/** Reads a whole file. The caller frees the text. */
char *tools_content(const char *path);

/** Converts a trace. Fails the test if that fails. */
void tools_convert(const char *in, const char *out);

/** Finds a row of a summary. Fails the test if there is none. */
const struct tch_trace_summary_row *tools_row(const struct tch_trace_summary *s, const char *name);

#endif
