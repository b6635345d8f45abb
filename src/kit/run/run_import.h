/*
 * Reads the output of a run as a result file of another tool.
 */
#ifndef TCH_RUN_IMPORT_H
#define TCH_RUN_IMPORT_H

#include "plan/metric_rule.h"

/** Adds a column for each benchmark and metric in the standard output of the last run, and its
    value: the median, because the repetitions inside a process are one run. Returns 0, TACHO_EPARSE
    if the output cannot be read or says that a benchmark failed, TACHO_ELIMIT, TACHO_EIO or
    TACHO_ENOMEM. */
int tch_run_import(struct tch_result *r, const struct tch_run_outputs *outputs, tacho_error *err);

#endif
