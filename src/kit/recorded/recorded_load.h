/*
 * Reads a run folder with all that its program recorded.
 */
#ifndef TCH_RECORDED_LOAD_H
#define TCH_RECORDED_LOAD_H

#include <tacho/error.h>

#include "kit/result/result.h"

enum tch_run_life { TCH_RUN_ENDED, TCH_RUN_GOING, TCH_RUN_KILLED };

/** Reads a run folder and writes nothing. A run that is in progress or was killed has no outcome on
    disk. r then gets one from the samples so far, with the state "running" or "recovered". Call
    tch_result_release() in any case. */
int tch_recorded_load(struct tch_result *r, const char *folder, enum tch_run_life *life,
                      tacho_error *err);

/** Returns the outcome of a run that was killed or is in progress. */
struct tch_result_end tch_recorded_end(enum tch_run_life life);

#endif
