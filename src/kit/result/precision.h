/*
 * How often a run checks whether its median is precise enough, and what each check costs.
 */
#ifndef TCH_PRECISION_H
#define TCH_PRECISION_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TCH_RUNS_MAX = 1000000, /* limit of runs of one command */
    TCH_RUNS_UNTIL = 1000,  /* default of --max-runs */
};

#define TCH_PRECISION_CHECK_ALPHA 0.0294

/** Returns the number of checks of the precision: at 10, 20, 40, … runs up to max_runs. */
unsigned tch_precision_checks(uint64_t max_runs);

/**
 * Returns 1 - confidence of the interval at each check. Each check is a chance to stop by luck.
 * Only the last two checks matter: an interval halves in width when the number of runs grows
 * fourfold, so at earlier checks it was far too wide. The level for two interim analyses (S. J.
 * Pocock, 1977) therefore keeps TCH_RESULT_ALPHA; bench_promise measures it.
 */
double tch_precision_check_alpha(uint64_t max_runs);

/** Returns 1 - confidence of the intervals after n runs that stopped for another reason than their
    precision, such as --max-time. */
double tch_precision_alpha_left(uint64_t n, uint64_t max_runs);

/** Returns whether the precision is checked after n runs. */
bool tch_precision_check_due(uint64_t n, uint64_t max_runs);

#endif
