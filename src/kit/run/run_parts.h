/*
 * What the files of the loop share. Included by run.c and run_one.c only.
 */
#ifndef TCH_RUN_PARTS_H
#define TCH_RUN_PARTS_H

#include "run.h"

/** Before or after a run of one command, in the folder where that runs. As tch_run_hook(). */
int tch_run_hook_at(const struct tch_run *run, size_t index, const char *what, const char *line,
                    tacho_error *err);

/** Prepares and begins runs; each is to be awaited or taken then, in this order. */
int tch_run_begin(struct tch_run *run, const struct tch_job *jobs, size_t count, tacho_error *err);

/** 1: the next has ended, and sample is set; 0: the user has enough, and nothing runs any more. */
int tch_run_await(struct tch_run *run, size_t index, const struct tch_run_watch *watch,
                  struct tch_run_sample *sample, tacho_error *err);

/** The same for one that counts. 1 to go on, 0 to stop. */
int tch_run_take(struct tch_run *run, const struct tch_job *job, const struct tch_run_watch *watch,
                 tacho_error *err);

/** Is it a run to go on after? When it is not, run says why. */
bool tch_run_acceptable(struct tch_run *run, size_t index, const struct tch_run_sample *sample);

#endif
