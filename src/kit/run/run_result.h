/*
 * Makes the result of a plan: what is known before its runs.
 */
#ifndef TCH_RUN_RESULT_H
#define TCH_RUN_RESULT_H

#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "kit/result/result.h"
#include "kit/result/run_folder.h"
#include "plan/run_plan.h"
#include "surroundings.h"

/**
 * Begins the result of command `index` of the plan: its head, without runs. Call
 * tch_result_release() in any case.
 *
 * @param group  id of the runs that are compared with it, or NULL
 * @return 0 or TACHO_ENOMEM
 */
int tch_run_result_begin(struct tch_result *r, const struct tch_run_plan *plan, size_t index,
                         const struct tch_folder *folder, const char *group, double alpha,
                         const struct tch_surroundings *s, tacho_error *err);

/** Records the SHA-256 of the program of command `index` and of the input, and the fingerprint of
    the run. Replaces earlier values. Returns 0 or TACHO_ENOMEM. */
int tch_run_result_program(struct tch_result *r, const struct tch_run_plan *plan, size_t index,
                           tacho_error *err);

#endif
