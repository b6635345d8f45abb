/*
 * Shows the distribution of numbers on the terminal: a table and a histogram.
 */
#ifndef CLI_STATS_VIEW_H
#define CLI_STATS_VIEW_H

#include "cli/core/opt.h"
#include "kit/stats/stats_json.h"

/** Adds the report as text. The bins must be set if a histogram is to be drawn. */
void cli_add_stats(struct tch_buf *b, const struct tch_stats_report *job, const struct args *args);

#endif
