/*
 * Runs perf, as two back ends do.
 */
#ifndef TCH_BACKEND_PERF_H
#define TCH_BACKEND_PERF_H

#include "backend_tool.h"

/** Runs `perf record` into `data`. The file may exist even on failure. */
int tch_perf_record(struct tch_capture *c, const char *data, tacho_error *err);

enum { TCH_PERF_SCRIPT_WORDS = 8 };

/** Starts `perf script` of `data` with its output to the descriptor `out`, and closes `out`. argv
    has room for TCH_PERF_SCRIPT_WORDS words. */
int tch_perf_script(const struct tch_capture *c, const char *data, int out, struct tch_tool *tool,
                    const char **argv, tacho_error *err);

/** Checks whether `perf record` can sample; it may have privileges that this process lacks. */
int tch_perf_works(tacho_error *err);

#endif
