/*
 * trace.json: the runs, what they held and drew, and what the program recorded, on one clock.
 */
#ifndef TCH_RUN_TRACE_H
#define TCH_RUN_TRACE_H

#include <tacho/error.h>

#include "receipt.h"

/** Each recording that a run left in iter/NNNN, by its path; anything but 0 ends it. */
typedef int tch_run_recording_fn(const char *path, void *ctx, tacho_error *err);
int tch_run_each_recording(const char *folder, tch_run_recording_fn *each, void *ctx,
                           tacho_error *err);

/** Each Chrome trace that a program wrote to FERRUM_TRACE_OUT, in the same way. */
int tch_run_each_chrome_trace(const char *folder, tch_run_recording_fn *each, void *ctx,
                              tacho_error *err);

/**
 * Writes FOLDER/trace.json, Chrome's format: one span a run, counters of memory.csv and power.csv,
 * spans and instants of the recordings with their arguments, and those of Chrome traces. Times are
 * microseconds from the start of the run. The recordings stay: they hold what this format cannot.
 */
int tch_run_trace(const struct tch_receipt *r, const char *folder, tacho_error *err);

#endif
