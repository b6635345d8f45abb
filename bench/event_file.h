/*
 * Events from a file, in processes of their own: wall time by threads, and peak memory.
 */
#ifndef BENCH_EVENT_FILE_H
#define BENCH_EVENT_FILE_H

#include "bench.h"
#include "json_input.h"

/** Writes the lines to a temporary file and lets `program --scan` read it repeatedly. */
int event_file_compare(const char *program, const struct json_input *in,
                       const struct bench_options *options);

/** Implements --scan: reads stdin as `what` says ("validate" or "summary") on this many threads,
    and prints the wall time in seconds and the peak memory. */
int event_file_scan(const char *what, const char *threads);

#endif
