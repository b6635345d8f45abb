/*
 * What programs recorded in the folders of their runs (iter/NNNN), put together in the run folder.
 */
#ifndef TCH_RUN_MERGE_H
#define TCH_RUN_MERGE_H

#include <tacho/error.h>

/**
 * profile.jsonl of all runs in one, latency.*.csv in latency.csv, memory.*.csv in
 * memory-program.csv, memory-detail.*.csv in memory-detail.csv, power.*.csv in power-program.csv;
 * in the order of the runs. What was taken over is removed, what is not known stays. A file that a
 * kill has cut loses its last line.
 */
int tch_run_merge(const char *folder, tacho_error *err);

#endif
