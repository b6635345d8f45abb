/*
 * Merges the files that programs wrote to the folders of their runs (iter/NNNN) into files of the
 * run folder.
 */
#ifndef TCH_RUN_MERGE_H
#define TCH_RUN_MERGE_H

#include <stdbool.h>

#include <tacho/error.h>

#include "advise.h"

/** Returns whether a name is that of a part, such as memory.4711.csv: whether it starts with
    `prefix` and ends with `suffix`. */
bool tch_run_part_is(const char *name, const char *prefix, const char *suffix);

/**
 * Merges profile.jsonl of all runs into profile.jsonl, latency.*.csv into latency.csv, memory.*.csv
 * into memory-program.csv, memory-detail.*.csv into memory-detail.csv and power.*.csv into
 * power-program.csv, in the order of the runs. A file that a kill truncated loses its last line.
 * The parts stay, so a merge that was killed is repeated. Warns of parts that are not regular
 * files.
 */
int tch_run_merge(const char *folder, struct tch_warnings *warnings, tacho_error *err);

/** Removes the parts of these files. Call it when run.json contains what the parts say about single
    runs. Other files stay. */
int tch_run_remove_parts(const char *folder, tacho_error *err);

#endif
