/*
 * The results of a sweep on the terminal.
 */
#ifndef CLI_SWEEP_VIEW_H
#define CLI_SWEEP_VIEW_H

#include "cli/core/term.h"
#include "kit/sweep/sweep_results.h"

/** The table of the cells; of many, those that are best. */
void cli_sweep_add_cells(struct tch_buf *b, const struct term *term, const struct tch_results *r);

/** How the cost grows; nothing where that was not fitted. */
void cli_sweep_add_growth(struct tch_buf *b, const struct term *term, const struct tch_results *r);

#endif
