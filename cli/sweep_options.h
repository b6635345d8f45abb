/*
 * The options of `tacho sweep`, made into a plan.
 */
#ifndef CLI_SWEEP_OPTIONS_H
#define CLI_SWEEP_OPTIONS_H

#include "run_options.h"
#include "sweep/sweep.h"

struct sweep_options {
    struct tch_sweep_plan plan;
    struct tch_grid grid;
    struct run_options run; /**< what is around a run */
    char *line;             /**< owned: the command as one line */
    char **baseline;        /**< owned: its words */
    char name[100];         /**< of the program, where none was given */
    const char *pareto;
    const char *cost;
    const char *along;
    const char *expect;
};

extern const struct opt sweep_opts[];

/** EXIT_OK, or what to end with after a complaint; sweep_options_release() in any case. */
int sweep_options_parse(struct sweep_options *o, struct args *args);
void sweep_options_release(struct sweep_options *o);

#endif
