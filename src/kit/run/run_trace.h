/*
 * Writes trace.json: the runs, their memory and power, and what the program recorded, on one clock.
 */
#ifndef TCH_RUN_TRACE_H
#define TCH_RUN_TRACE_H

#include <tacho/error.h>

#include "kit/result/result.h"

/**
 * Writes FOLDER/trace.json in Chrome's format: one span per run, counters from memory.csv and
 * power.csv, spans and instants of the recordings with their arguments, and those of Chrome traces.
 * Times are microseconds from the start of the run. The recordings stay, because they contain more
 * than this format can.
 */
int tch_run_trace(const struct tch_result *r, const char *folder, tacho_error *err);

#endif
