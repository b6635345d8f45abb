/*
 * A sweep: one command over a grid of parameters, one run folder per cell, block after block.
 *
 *     tch_sweep_open(&sweep, &plan, &err);            // open the folder, read earlier samples
 *     tch_sweep_measure(&sweep, &watch, &err);
 *     tch_sweep_finish(&sweep, &err);                 // complete run.json of each complete cell
 *     tch_results_load(&results, &sweep, &err);       // sweep_results.h
 *     tch_sweep_release(&sweep);
 *
 * OUT/NAME/ contains sweep.json and, in cells/, the run folders. These run folders are the only
 * record of the progress: every sample is written to one of them as soon as it is taken, with the
 * number of its run. A kill cannot leave them inconsistent with another record, because there is
 * none.
 */
#ifndef TCH_SWEEP_LOOP_H
#define TCH_SWEEP_LOOP_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "kit/result/result.h"
#include "kit/run/plan/run_plan.h"
#include "kit/run/surroundings.h"
#include "sweep_grid.h"
#include "sweep_order.h"
#include "sweep_parts.h"

#define TCH_SWEEP_SCHEMA "tacho.sweep.v1"

enum { TCH_SWEEP_REPEAT = 10, TCH_SWEEP_BASELINE = 4096 };

/**
 * The plan of a sweep. Everything is borrowed. {name} may occur in words, env and the texts that
 * tch_plan_text() returns.
 */
struct tch_sweep_plan {
    const char *name;
    const struct tch_grid *grid;
    const char *const *argv;
    const char *line;                 /**< argv as it is shown */
    const char *const *baseline_argv; /**< NULL: none */
    const char *baseline;             /**< baseline_argv as it is shown */
    struct tch_run_plan run; /**< everything but the command; its own commands are ignored */
    uint64_t repeat;         /**< blocks, which is runs per cell */
    uint64_t seed;
    bool fresh; /**< ignore what earlier processes did */
    bool retry; /**< run failed cells again */
};

enum tch_sweep_unit_state {
    TCH_UNIT_PENDING, /**< runs are missing */
    TCH_UNIT_COMPLETE,
    TCH_UNIT_FAILED,
};

/** A cell or a baseline. */
struct tch_sweep_unit {
    char *folder;   /**< absolute path of its run folder; NULL: none yet */
    char **earlier; /**< run folders that are complete, oldest first: the sweep was extended */
    size_t earlier_count;
    uint32_t earlier_runs;
    uint32_t done; /**< runs in all folders */
    uint32_t total;
    enum tch_sweep_unit_state state;
    bool closed; /**< run.json is complete */
    uint64_t last_ns;
    uint64_t polls; /**< number of polls of this process */
    uint64_t polls_ns;
    uint32_t server_runs;                /**< runs with a server in this process */
    struct tch_result_server server_use; /**< sums over these runs, except for the peak */
};

struct tch_sweep {
    const struct tch_sweep_plan *plan;
    char folder[PATH_MAX];
    char shown[PATH_MAX];
    char id[TCH_RUN_ID]; /**< the group of all its runs */
    char started_at[TCH_TIME_TEXT];
    size_t cells;
    size_t baselines;
    uint32_t *baseline;      /**< number of each cell's baseline */
    uint32_t *baseline_cell; /**< one cell of each baseline */
    tch_params baseline_uses;
    struct tch_sweep_unit *units; /**< the cells, then the baselines */
    struct tch_order order;       /**< of a part of all cells */
    struct tch_parts parts;
    char *asked; /**< the elements of "parts" in sweep.json */
    struct tch_surroundings surroundings;
    bool idle_tried; /**< the idle power was measured, or could not be */
    struct tch_power_origin power;
    int lock_fd;
    uint64_t runs_done; /**< completed runs of all units, including those of earlier processes */
    uint64_t runs_total;
    size_t flames_missing;   /**< requested flamegraphs that could not be made */
    tacho_error flame_error; /**< why the first of them is missing */
    bool left_running;       /**< a run left orphaned processes */
    bool interrupted;
    bool resumed;    /**< an earlier process started this sweep */
    const char *now; /**< current activity, for the progress display */
};

/** Callbacks of the caller. */
struct tch_sweep_watch {
    const volatile sig_atomic_t *stop; /**< not 0: stop now; may be NULL */
    /** Called after each run. failure is why the cell failed in this run, or NULL. */
    void (*step)(void *ctx, const struct tch_sweep *sweep, size_t unit, const char *failure);
    void *ctx;
};

/**
 * Opens the sweep's folder, locks it and reads the runs that are there. A plan with more blocks,
 * more values of a parameter or a longer time limit extends the sweep in the folder. The caller
 * releases sweep even on failure.
 *
 * @return 0, or TACHO_EINVAL (bad plan, or the folder contains another sweep), TACHO_EIO,
 * TACHO_ELIMIT (another process uses the folder), TACHO_ENOMEM
 */
int tch_sweep_open(struct tch_sweep *sweep, const struct tch_sweep_plan *plan, tacho_error *err);

/** Makes the missing runs. A failed cell is marked in its unit and is not an error. */
int tch_sweep_measure(struct tch_sweep *sweep, const struct tch_sweep_watch *watch,
                      tacho_error *err);

/** Completes the results of the units that have all their runs. */
int tch_sweep_finish(struct tch_sweep *sweep, tacho_error *err);

/** Removes the lock of the folder. After that only a seal may be written to the folder. */
void tch_sweep_unlock(struct tch_sweep *sweep);

void tch_sweep_release(struct tch_sweep *sweep);

/** Writes a unit's name: "lambda=0.3_tau=2", or "baseline". */
void tch_sweep_name(const struct tch_sweep *sweep, size_t unit, char name[TCH_CELL_NAME]);

/** Estimates from the runs made so far how many nanoseconds the missing ones take; 0: unknown. */
double tch_sweep_left_ns(const struct tch_sweep *sweep);

/** Adds the beginning of sweep.json (plan and folder) and leaves the object open. */
void tch_sweep_head(const struct tch_sweep *sweep, struct tch_buf *b);

#endif
