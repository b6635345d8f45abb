/*
 * The results of `tacho stats` as a table and a drawing.
 */
#ifndef CLI_STATS_VIEW_H
#define CLI_STATS_VIEW_H

#include "cli/core/opt.h"
#include "kit/stats/stats_json.h"

void cli_stats_add_text(struct tch_buf *b, const struct tch_stats_report *job,
                        const struct args *args);

#endif
