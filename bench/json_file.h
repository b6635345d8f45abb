/*
 * Measures speed and memory of reading the same lines from a file.
 */
#ifndef BENCH_JSON_FILE_H
#define BENCH_JSON_FILE_H

#include "bench.h"
#include "json_input.h"

/** Writes the lines to a temporary file and lets another process validate it, because the peak
    memory of this one includes the lines. Returns 0, or -1 after a message on stderr. */
int json_file_compare(const char *name, const struct json_input *in,
                      const struct bench_options *options);

/** Validates the lines of standard input in that process, and prints speed and peak memory. */
int json_file_read(const char *name, const struct bench_options *options);

#endif
