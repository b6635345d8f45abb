/*
 * Events from a file, in processes of their own: wall time by threads, and peak memory.
 */
#ifndef BENCH_EVENT_FILE_H
#define BENCH_EVENT_FILE_H

#include "bench.h"
#include "json_input.h"

/** Writes the lines to a temporary file and has `program --scan` read it, over and over. */
int event_file_compare(const char *program, const struct json_input *in,
                       const struct bench_options *options);

/** What --scan does: reads stdin as `what` says ("validate" or "summary") on so many threads, and
    prints its wall seconds and peak memory. */
int event_file_scan(const char *what, const char *threads);

#endif
