/*
 * What the two back ends around perf share.
 */
#ifndef TCH_BACKEND_PERF_H
#define TCH_BACKEND_PERF_H

#include "backend_tool.h"

/** Runs `perf record` into `data`, which may exist afterwards even on failure. */
int tch_perf_record(struct tch_capture *c, const char *data, tacho_error *err);

/** Starts `perf script` of `data` with its output into the descriptor `out`, which is closed here.
    argv is room for its words. */
int tch_perf_script(const struct tch_capture *c, const char *data, int out, struct tch_tool *tool,
                    const char **argv, tacho_error *err);

enum { TCH_PERF_SCRIPT_WORDS = 8 };

/** Whether `perf record` may sample: it may have rights that we have not. */
int tch_perf_works(tacho_error *err);

#endif
