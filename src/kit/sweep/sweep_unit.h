/*
 * Plans inside a sweep, for sweep*.c only: the "plan" of sweep.json, and the plan of one cell or
 * baseline for kit/run. In the latter placeholders are filled, and the parameters are labels and
 * the fingerprinted configuration.
 */
#ifndef TCH_SWEEP_UNIT_H
#define TCH_SWEEP_UNIT_H

#include "sweep_loop.h"

/** Writes the "plan" of sweep.json, which identifies a sweep. config_hash is the hash of the
    configuration file, or "". */
void tch_sweep_plan_write(struct tch_buf *b, const struct tch_sweep_plan *plan,
                          const char *config_hash);

/** Returns 0 when plan b is plan a, or extends it by other values of the same parameters, another
    number of blocks or a longer time limit; otherwise -1 with the name of the first member that
    differs. */
int tch_sweep_plan_extends(const char *a, size_t a_len, const char *b, size_t b_len, char *what,
                           size_t size);

struct tch_unit_plan {
    struct tch_run_plan run;
    struct tch_run_command command;
    char name[TCH_CELL_NAME];
    char out[PATH_MAX];
    char **owned; /**< all texts that were allocated */
    size_t owned_count;
    const char **argv;
    const char **env;
    const char **labels;
};

enum { TCH_PLAN_TEXTS = 6 };

/** Returns the i-th text of a plan that may contain {name}. The first is the path of
   --command-output, which baselines do not share with the cells. */
const char **tch_plan_text(struct tch_run_plan *plan, size_t i);

/** Makes the plan of a unit. Returns 0, TACHO_ENOMEM or TACHO_ELIMIT. Call tch_unit_plan_release()
    even after a failure. */
int tch_unit_plan_init(struct tch_unit_plan *p, const struct tch_sweep *sweep, size_t unit,
                       tacho_error *err);
void tch_unit_plan_release(struct tch_unit_plan *p);

/** Copies the sweep's surroundings and sets the unit's parameters as the configuration. The caller
    frees ret->config and ret->config_canonical; everything else belongs to the sweep. */
int tch_unit_config(struct tch_surroundings *ret, const struct tch_sweep *sweep, size_t unit,
                    tacho_error *err);

#endif
