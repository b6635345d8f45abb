/*
 * Writes trace.json: the runs, their memory and power, and what the program recorded, on one clock.
 */
#ifndef TCH_RUN_TRACE_H
#define TCH_RUN_TRACE_H

#include <tacho/error.h>

#include "kit/result/result.h"

/** Receives the path of each recording that a run left in iter/NNNN. Returns 0 to continue; any
    other value stops. */
typedef int tch_run_recording_fn(const char *path, void *ctx, tacho_error *err);
int tch_run_each_recording(const char *folder, tch_run_recording_fn *each, void *ctx,
                           tacho_error *err);

/** Calls fn for each Chrome trace that a program wrote to FERRUM_TRACE_OUT. */
int tch_run_each_chrome_trace(const char *folder, tch_run_recording_fn *each, void *ctx,
                              tacho_error *err);

/**
 * Writes FOLDER/trace.json in Chrome's format: one span per run, counters from memory.csv and
 * power.csv, spans and instants of the recordings with their arguments, and those of Chrome traces.
 * Times are microseconds from the start of the run. The recordings stay, because they contain more
 * than this format can.
 */
int tch_run_trace(const struct tch_result *r, const char *folder, tacho_error *err);

#endif
