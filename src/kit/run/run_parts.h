/*
 * What the files of the loop share. Included by run.c and run_one.c only.
 */
#ifndef TCH_RUN_PARTS_H
#define TCH_RUN_PARTS_H

#include "run.h"

/** Like tch_run_hook(), in the folder where the command runs. */
int tch_run_hook_at(const struct tch_run *run, size_t index, const char *what, const char *line,
                    tacho_error *err);

/** Prepares and starts runs. Call tch_run_await() or tch_run_collect() for each, in the same order.
 */
int tch_run_begin(struct tch_run *run, const struct tch_job *jobs, size_t count, tacho_error *err);

/** Waits for the next run. On interrupt, aborts the current run and keeps the completed ones.
    1 with the sample set, or 0 when nothing runs any more. */
int tch_run_await(struct tch_run *run, size_t index, const struct tch_run_watch *watch,
                  struct tch_run_sample *sample, tacho_error *err);

/** Waits for the next counted run and adds its sample. 1 to continue, 0 to stop. */
int tch_run_collect(struct tch_run *run, const struct tch_job *job,
                    const struct tch_run_watch *watch, tacho_error *err);

/** Says whether the next run may follow this one. When it may not, sets run->state and the like. */
bool tch_run_acceptable(struct tch_run *run, size_t index, const struct tch_run_sample *sample);

#endif
