/*
 * A cell or a baseline as a plan that src/run understands: placeholders filled, parameters as
 * labels and as the fingerprinted configuration. Included by sweep*.c only.
 */
#ifndef TCH_SWEEP_UNIT_H
#define TCH_SWEEP_UNIT_H

#include "sweep_loop.h"

struct tch_unit_plan {
    struct tch_run_plan run;
    struct tch_run_command command;
    char name[TCH_CELL_NAME];
    char out[PATH_MAX];
    char **owned; /**< every text that was made */
    size_t owned_count;
    const char **argv;
    const char **env;
    const char **labels;
};

enum { TCH_PLAN_TEXTS = 6 };

/** The i-th text around a run that may hold {name}; the first is that of --output, into which
    baselines do not follow the cells. */
const char **tch_plan_text(struct tch_run_plan *plan, size_t i);

/** 0, TACHO_ENOMEM, TACHO_ELIMIT; release in any case. */
int tch_unit_plan_init(struct tch_unit_plan *p, const struct tch_sweep *sweep, size_t unit,
                       tacho_error *err);
void tch_unit_plan_release(struct tch_unit_plan *p);

/** The sweep's surroundings with the unit's parameters as configuration; only config and its hash
    are the unit's own: free(ret->config). */
int tch_unit_config(struct tch_surroundings *ret, const struct tch_sweep *sweep, size_t unit,
                    tacho_error *err);

#endif
