/*
 * Makes the counted runs of a command.
 */
#ifndef TCH_RUN_COUNT_H
#define TCH_RUN_COUNT_H

#include <signal.h>
#include <stddef.h>

#include <tacho/error.h>

#include "kit/result/counts.h"

struct tch_run_plan;

/** The counted runs of one command. */
struct tch_count_job {
    const struct tch_run_plan *plan;
    size_t index;                               /**< index of the command */
    const volatile sig_atomic_t *stop;          /**< not 0: stop now; may be NULL */
    int (*before)(void *ctx, tacho_error *err); /**< before each run; may be NULL */
    int (*after)(void *ctx, tacho_error *err);
    void *ctx;
};

/**
 * Makes the counted runs that the plan asks for. A count that cannot be made has the reason in
 * why_not.
 *
 * @param ret  all zero; released by the caller in any case
 * @return 0, TACHO_ENOMEM, TACHO_EIO (system_errno is ECANCELED if it was stopped), or what
 * `before` and `after` returned
 */
int tch_count_all(const struct tch_count_job *job, struct tch_counts *ret, tacho_error *err);

/**
 * Takes the stacks of all system calls and allocations in one more run for each of these, if they
 * were counted and are exact. A count without stacks has the reason in no_stacks.
 *
 * @return like tch_count_all()
 */
int tch_count_take_stacks(const struct tch_count_job *job, struct tch_counts *counts,
                          tacho_error *err);

#endif
