/*
 * Finds the traces that the runs of a folder left in iter/NNNN.
 */
#ifndef TCH_RECORDED_TRACES_H
#define TCH_RECORDED_TRACES_H

#include <tacho/error.h>

/** Receives the path of a trace. Returns 0 to continue; any other value stops. */
typedef int tch_recorded_trace_fn(const char *path, void *ctx, tacho_error *err);

/** Calls `each` for each recording. */
int tch_recorded_each_recording(const char *folder, tch_recorded_trace_fn *each, void *ctx,
                                tacho_error *err);

/** Calls `each` for each Chrome trace that a program wrote to FERRUM_TRACE_OUT. */
int tch_recorded_each_chrome(const char *folder, tch_recorded_trace_fn *each, void *ctx,
                             tacho_error *err);

#endif
