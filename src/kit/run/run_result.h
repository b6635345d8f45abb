/*
 * Makes the result of a plan: its head when the runs begin, its outcome when they are over.
 */
#ifndef TCH_RUN_RESULT_H
#define TCH_RUN_RESULT_H

#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "kit/result/result.h"
#include "run_folder.h"
#include "run_plan.h"
#include "surroundings.h"

/** The page that compares the commands of one run. */
#define TCH_COMPARISON_FILE "compare.html"

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

/** How the runs of a command ended. Strings are borrowed. */
struct tch_run_end {
    const char *state;   /**< "complete", "interrupted", "failed", "recovered" */
    const char *stopped; /**< why no more runs were made: "runs", "precise", "max-time", … */
    uint64_t ended_unix_ns;
    double tacho_cpu_ns; /**< NAN: not known */
    uint64_t polls;
    double polls_cpu_ns; /**< NAN: not known */
    struct tch_result_server server;
    struct tch_power_origin power;
};

/** Adds the outcome to a result, and summarises it. Replaces an earlier one. Returns 0 or
    TACHO_ENOMEM. */
int tch_run_result_end(struct tch_result *r, const struct tch_run_end *end, tacho_error *err);

#endif
