/*
 * Merges the files that programs wrote to the folders of their runs (iter/NNNN) into files of the
 * run folder.
 */
#ifndef TCH_RECORDED_MERGE_H
#define TCH_RECORDED_MERGE_H

#include <tacho/error.h>

#include "kit/result/warnings.h"

/**
 * Merges profile.jsonl of all runs into profile.jsonl, latency.*.csv into latency.csv, memory.*.csv
 * into memory-program.csv, memory-detail.*.csv into memory-detail.csv and power.*.csv into
 * power-program.csv, in the order of the runs. A file that a kill truncated loses its last line.
 * The parts stay, so a merge that was killed is repeated. Warns of parts that are not regular
 * files.
 */
int tch_recorded_merge(const char *folder, struct tch_warnings *warnings, tacho_error *err);

/** Removes the parts of these files. Call it when run.json contains what the parts say about single
    runs. Other files stay. */
int tch_recorded_remove_parts(const char *folder, tacho_error *err);

#endif
