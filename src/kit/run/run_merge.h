/*
 * What programs recorded in the folders of their runs (iter/NNNN), put together in the run folder.
 */
#ifndef TCH_RUN_MERGE_H
#define TCH_RUN_MERGE_H

#include <stdbool.h>

#include <tacho/error.h>

/** Is that the name of a part, such as memory.4711.csv: does it start and end so? */
bool tch_run_part_is(const char *name, const char *prefix, const char *suffix);

/**
 * profile.jsonl of all runs in one, latency.*.csv in latency.csv, memory.*.csv in
 * memory-program.csv, memory-detail.*.csv in memory-detail.csv, power.*.csv in power-program.csv;
 * in the order of the runs. What was taken over is removed, what is not known stays. A file that a
 * kill has cut loses its last line.
 */
int tch_run_merge(const char *folder, tacho_error *err);

#endif
