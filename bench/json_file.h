/*
 * The same lines from a file instead of memory: how fast, and in how little memory.
 */
#ifndef BENCH_JSON_FILE_H
#define BENCH_JSON_FILE_H

#include "bench.h"
#include "json_input.h"

/** Writes the lines to a temporary file and has another process validate it: this one holds the
    lines, so its own peak says nothing. 0, or -1 after saying on stderr what is wrong. */
int json_file_compare(const char *name, const struct json_input *in,
                      const struct bench_options *options);

/** What that process does: validates the lines of standard input and prints speed and peak. */
int json_file_read(const char *name, const struct bench_options *options);

#endif
