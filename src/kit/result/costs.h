/*
 * Describes the cost of recording: the number of a program's records times the cost of one.
 */
#ifndef TCH_COSTS_H
#define TCH_COSTS_H

#include <stdbool.h>

#include "base/buf.h"
#include "result.h"

/** Returns whether there were any records that metrics are computed from. */
bool tch_costs_counted(const struct tch_result_costs *costs);

/** Adds a text such as "1000 spans in each run cost about 25 us, 0.1% of the wall time (estimated:
    25 ns each, measured on this machine)". Adds nothing if nothing was counted. */
void tch_costs_describe(struct tch_buf *b, const struct tch_result_costs *costs, double wall_ns);

#endif
