/*
 * A run on the terminal: values with their units, the table, warnings, comparisons.
 */
#ifndef CLI_RUN_VIEW_H
#define CLI_RUN_VIEW_H

#include <limits.h>

#include "base/buf.h"
#include "cli/core/term.h"
#include "kit/report/run_comparison.h"
#include "kit/run/receipt.h"
#include "kit/run/run.h"

/** The folder of a run that is named by its folder, by the run.json in it, or by the folder whose
    latest run is meant. */
const char *cli_run_folder(const char *path, char folder[PATH_MAX]);

/** Warns that a run is still going or was killed, and says how many runs there are. */
void cli_warn_unfinished(const char *name, const struct tch_receipt *r, enum tch_run_life life);

/** Complains that a run cannot be read; of a file that is no run it says what it is. */
void cli_complain_of_folder(const char *path, const tacho_error *err);

/** What the command that failed did, and what it last said. */
void cli_complain_of_run(const struct tch_run *run);

/** The warnings that several commands have, once. */
void cli_add_shared_warnings(struct tch_buf *b, const struct term *term, const struct tch_run *run);

/** One command: the warnings that it alone has, then its table. */
void cli_add_run(struct tch_buf *b, const struct term *term, const struct tch_run *run, size_t i);

/** The fastest of several, and how many times as fast it is as each of the others. */
void cli_add_comparison(struct tch_buf *b, const struct term *term, const struct tch_comparison *c);

#endif
