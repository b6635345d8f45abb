/*
 * Totals and percentiles of stages, and their order.
 */
#ifndef TCH_EVENT_STAGES_SUM_H
#define TCH_EVENT_STAGES_SUM_H

#include "event_stages.h"

/** Sorts groups and stages by their totals, largest first, then by name. */
void tch_stages_sort(struct tch_stages *s);

double tch_stage_total(const struct tch_stage *stage);

/** Returns the total of a group: its stage "total" (or "total_us") if it has one, else the sum of
   its times that are not nested. */
double tch_stage_group_total(const struct tch_stage_group *group, bool *is_stage);

struct tch_stage_summary {
    double total;
    double mean;
    double p50; /**< the median: for an even count, the mean of the two middle values */
    double p95; /**< by nearest rank, as p99 */
    double p99;
    double max;
    bool exact; /**< false: the percentiles are accurate to 0.4 % */
};

/** Summarises a stage, and sorts its values. */
void tch_stage_summarise(struct tch_stage *stage, struct tch_stage_summary *ret);

#endif
