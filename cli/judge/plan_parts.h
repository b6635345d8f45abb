/*
 * Shared by the files of `tacho plan`.
 */
#ifndef CLI_PLAN_PARTS_H
#define CLI_PLAN_PARTS_H

#include "cli/run/run_options.h"
#include "kit/judge/run_pilot.h"

enum { SIDES = 2 };

/** The options of `tacho plan`, and the noise of its pilot. */
struct planning {
    /** Options of a pilot to run; first, so that -c and --name apply to it. */
    struct run_options run;
    double effect;
    double power;
    double alpha;
    uint64_t metrics;
    uint64_t pairs; /**< pairs of the pilot */
    const char *of;

    const char *folders[SIDES]; /**< run folders of the pilot; NULL: one run */
    struct tch_run_pilot pilot;
};

/** Adds the plan as JSON, or as text for the terminal. */
void cli_add_plan(struct tch_buf *b, const struct planning *p, const struct args *args);

#endif
