/*
 * The run folders of a cell that earlier processes made, for sweep*.c only. A cell has several if
 * the sweep was extended: a run folder that is complete is not changed.
 */
#ifndef TCH_SWEEP_RESUME_H
#define TCH_SWEEP_RESUME_H

#include "sweep_loop.h"

/** Finds the run folders of a unit, and decides what is left to do. Returns 0, TACHO_EINVAL if the
    program has changed, TACHO_EIO or TACHO_ENOMEM. */
int tch_sweep_find_unit(struct tch_sweep *sweep, size_t i, tacho_error *err);

/** Keeps the unit's folder as an earlier one; the next run gets a new folder. */
int tch_sweep_keep_folder(struct tch_sweep_unit *unit, tacho_error *err);

/** Frees what a unit owns. */
void tch_sweep_forget_unit(struct tch_sweep_unit *unit);

#endif
