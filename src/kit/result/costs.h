/*
 * Describes the cost of recording: the number of a program's records times the cost of one, and the
 * start and end of its recordings.
 */
#ifndef TCH_COSTS_H
#define TCH_COSTS_H

#include <stdbool.h>

#include "base/buf.h"
#include "result.h"

/** Recordings that cost more than this part of the median run are warned of. */
#define TCH_COSTS_LARGE 0.01

/** Returns whether there were recordings, or records that metrics are computed from. */
bool tch_costs_counted(const struct tch_result_costs *costs);

/** Adds a text such as "1000 spans in each run cost about 25 us, 0.1% of the wall time (estimated:
    25 ns each, measured on this machine)". Adds nothing if nothing was counted. */
void tch_costs_describe(struct tch_buf *b, const struct tch_result_costs *costs, double wall_ns);

/** Warns if starting and ending the recordings took more than TCH_COSTS_LARGE of the median run. */
void tch_costs_advise(struct tch_warnings *w, const struct tch_result_costs *costs, double wall_ns);

#endif
