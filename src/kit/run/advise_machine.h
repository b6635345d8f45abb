/*
 * Warnings about the machine on which commands were run.
 */
#ifndef TCH_ADVISE_MACHINE_H
#define TCH_ADVISE_MACHINE_H

#include "kit/result/warnings.h"

/** The machine's counters at one moment. The difference of two shows what happened between them. */
struct tch_machine_state {
    double busy_s; /**< CPU time of all CPUs and processes, including stolen time; NAN: not known */
    double at_s;   /**< CLOCK_MONOTONIC */
    double throttled; /**< how often the CPUs were slowed down; NAN: not known */
    double own_s;     /**< CPU time of this process and its reaped children */
};

void tch_machine_read(struct tch_machine_state *state);

/** Warns of the governor, of other busy programs and of throttling between the two moments. */
void tch_advise_machine(struct tch_warnings *w, const struct tch_machine_state *before,
                        const struct tch_machine_state *after);

#endif
