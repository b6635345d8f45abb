/*
 * Shows a run on the terminal: values with their units, the table, warnings, comparisons.
 */
#ifndef CLI_RUN_VIEW_H
#define CLI_RUN_VIEW_H

#include <limits.h>

#include "base/buf.h"
#include "cli/core/term.h"
#include "kit/report/run_comparison.h"
#include "kit/result/result.h"
#include "kit/run/run.h"

/** Returns the run folder that a path means: the folder itself, the folder of a run.json, or the
    latest run of OUT/NAME. May return `path`. */
const char *cli_run_folder(const char *path, char folder[PATH_MAX]);

/** Warns that a run is in progress or was killed, and says how many runs it has. */
void cli_warn_unfinished(const char *name, const struct tch_result *r, enum tch_run_life life);

/** Reports that a run cannot be read. If `path` is a file of another tool, says which. */
void cli_complain_of_folder(const char *path, const tacho_error *err);

/** Opens the run that an operand names, and warns if it is unfinished. `folder` is memory for the
    path, which must live as long as the run. Returns EXIT_OK, or EXIT_WORK after an error message.
    Call tch_report_close() in any case. */
int cli_open_run(struct tch_report_run *run, const char *operand, char folder[PATH_MAX]);

/** Reports how the failed run ended, and the last lines that it wrote to standard error. */
void cli_complain_of_run(const struct tch_run *run);

/**
 * Finishes runs that another command measured for itself, and prints what went wrong.
 *
 * @param measured     the result of tch_run_measure(), with its `err`
 * @param interrupted  message for runs that the user interrupted
 * @param unwritten    message for a result that cannot be written, without the reason
 * @return EXIT_OK when all runs are complete and recorded, else EXIT_WORK
 */
int cli_finish_runs(struct tch_run *run, int measured, const tacho_error *err,
                    const char *interrupted, const char *unwritten);

/** Adds the warnings that several commands share, once. */
void cli_add_shared_warnings(struct tch_buf *b, const struct term *term, const struct tch_run *run);

/** Adds all warnings: those that several commands share once, then those of each command. */
void cli_add_warnings(struct tch_buf *b, const struct term *term, const struct tch_run *run);

/** Adds one command: the warnings that it alone has, then its table. */
void cli_add_run(struct tch_buf *b, const struct term *term, const struct tch_run *run, size_t i);

/** Adds which of several commands is the fastest, and how many times as fast it is as each of the
    others. */
void cli_add_comparison(struct tch_buf *b, const struct term *term, const struct tch_comparison *c);

#endif
