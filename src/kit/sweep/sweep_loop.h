/*
 * A sweep: one command over a grid of parameters, each cell a run of its own, block after block.
 *
 *     tch_sweep_open(&sweep, &plan, &err);      the folder, and what is there of it already
 *     tch_sweep_measure(&sweep, &watch, &err);
 *     tch_sweep_finish(&sweep, &err);           run.json of each cell that has all its runs
 *     tch_results_load(&results, &sweep, &err); sweep_results.h
 *     tch_sweep_release(&sweep);
 *
 * OUT/NAME/ holds sweep.json and, in cells/, the run folders. The record of what was done is these
 * run folders alone: every sample is in one of them when it is taken, with the number of its run.
 * There is no other record that a kill could leave behind or ahead of them.
 */
#ifndef TCH_SWEEP_LOOP_H
#define TCH_SWEEP_LOOP_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "kit/run/receipt.h"
#include "kit/run/run_plan.h"
#include "sweep_grid.h"
#include "sweep_order.h"

#define TCH_SWEEP_SCHEMA "tacho.sweep.v1"

enum { TCH_SWEEP_REPEAT = 10, TCH_SWEEP_BASELINE = 4096 };

/** What is to be done. Everything is borrowed. Words, env and what tch_plan_text() gives may hold
 * {name}. */
struct tch_sweep_plan {
    const char *name;
    const struct tch_grid *grid;
    const char *const *argv;
    const char *line;                 /**< argv for people */
    const char *const *baseline_argv; /**< NULL: none */
    const char *baseline;             /**< the same for people */
    struct tch_run_plan run; /**< all that is around a run; its commands are not looked at */
    uint64_t repeat;         /**< blocks: runs of each cell */
    uint64_t seed;
    bool fresh; /**< what is there of it is left aside */
    bool retry; /**< cells that failed are run again */
};

enum tch_sweep_unit_state {
    TCH_UNIT_PENDING, /**< no run yet, or not all */
    TCH_UNIT_COMPLETE,
    TCH_UNIT_FAILED,
};

/** A cell or a baseline. */
struct tch_sweep_unit {
    char *folder; /**< of its run, absolute; NULL: none yet */
    uint32_t done;
    uint32_t total;
    enum tch_sweep_unit_state state;
    bool closed; /**< run.json has its end */
    uint64_t last_ns;
    uint64_t polls; /**< by this process */
    uint64_t polls_ns;
    uint32_t server_runs;                 /**< runs with a server in this process */
    struct tch_run_server_use server_use; /**< sums over these, but for the peak */
};

struct tch_sweep {
    const struct tch_sweep_plan *plan;
    char folder[PATH_MAX];
    char shown[PATH_MAX];
    char id[TCH_RUN_ID]; /**< the group of all its runs */
    char started_at[TCH_TIME_TEXT];
    size_t cells;
    size_t baselines;
    uint32_t *baseline;      /**< of each cell */
    uint32_t *baseline_cell; /**< of each baseline: one of its cells */
    tch_params baseline_uses;
    struct tch_sweep_unit *units; /**< the cells, then the baselines */
    struct tch_order order;
    struct tch_surroundings surroundings;
    struct tch_power_origin power;
    int lock_fd;
    uint64_t runs_done; /**< of all units, those of earlier processes too */
    uint64_t runs_total;
    size_t flames_missing;   /**< that were asked for and could not be had */
    tacho_error flame_error; /**< why, of the first */
    bool left_running;       /**< a run has left processes behind */
    bool interrupted;
    bool resumed;    /**< something was there */
    const char *now; /**< what it is at */
};

/** Callbacks of the caller. */
struct tch_sweep_watch {
    const volatile sig_atomic_t *stop; /**< not 0: end now; may be NULL */
    /** After each run; failure: why the cell failed in it, or NULL. */
    void (*step)(void *ctx, const struct tch_sweep *sweep, size_t unit, const char *failure);
    void *ctx;
};

/**
 * sweep is released by the caller in any case.
 *
 * @return 0, or TACHO_EINVAL (the plan; or the folder holds another sweep), TACHO_EIO, TACHO_ELIMIT
 *         (another process is at work in it), TACHO_ENOMEM
 */
int tch_sweep_open(struct tch_sweep *sweep, const struct tch_sweep_plan *plan, tacho_error *err);

/** Makes the runs that are missing. A failed cell is marked in its unit and is no error. */
int tch_sweep_measure(struct tch_sweep *sweep, const struct tch_sweep_watch *watch,
                      tacho_error *err);

/** Completes the receipts of the units that have all their runs. */
int tch_sweep_finish(struct tch_sweep *sweep, tacho_error *err);

/** Removes the lock of the folder, which nothing may be written to any more but a seal. */
void tch_sweep_unlock(struct tch_sweep *sweep);

void tch_sweep_release(struct tch_sweep *sweep);

/** "lambda=0.3_tau=2", or "baseline". */
void tch_sweep_name(const struct tch_sweep *sweep, size_t unit, char name[TCH_CELL_NAME]);

/** Estimates how many nanoseconds the missing runs take, by the runs made so far; 0: not known. */
double tch_sweep_left_ns(const struct tch_sweep *sweep);

/** The beginning of sweep.json, the object left open: what is swept, how, where. */
void tch_sweep_head(const struct tch_sweep *sweep, struct tch_buf *b);

#endif
