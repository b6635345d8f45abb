/*
 * Plans inside a sweep, included by sweep*.c only: the "plan" of sweep.json, and the plan of one
 * cell or baseline for kit/run, with its placeholders filled and its parameters as labels and as
 * the fingerprinted configuration.
 */
#ifndef TCH_SWEEP_UNIT_H
#define TCH_SWEEP_UNIT_H

#include "sweep_loop.h"

/** Writes the "plan" of sweep.json, which identifies a sweep. config_hash: of the configuration
    file, or "". */
void tch_sweep_plan_write(struct tch_buf *b, const struct tch_sweep_plan *plan,
                          const char *config_hash);

/** Compares two such plans. 0 when they are the same; else -1, and the name of the first member
    that differs. */
int tch_sweep_plan_same(const char *a, size_t a_len, const char *b, size_t b_len, char *what,
                        size_t size);

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
    are the unit's own: free(ret->config), free(ret->config_canonical). */
int tch_unit_config(struct tch_surroundings *ret, const struct tch_sweep *sweep, size_t unit,
                    tacho_error *err);

#endif
