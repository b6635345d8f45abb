/*
 * Verdicts on the terminal: differences, a table, and the intervals as a picture.
 */
#ifndef CLI_VERDICT_VIEW_H
#define CLI_VERDICT_VIEW_H

#include "base/buf.h"
#include "cli/core/term.h"
#include "kit/judge/findings.h"

void cli_add_findings(struct tch_buf *b, const struct term *term, const struct tch_findings *f);

/** Prints one format of f. Returns EXIT_OK, or EXIT_WORK after a complaint. */
struct tch_verdict_format;
int cli_print_findings(const struct tch_verdict_format *format, const struct tch_findings *f);

/** Checks that a file can be written, before anything is measured, and makes the folders above it.
    NULL and "-" are fine. Returns EXIT_OK, or EXIT_WORK after a complaint. */
int cli_check_output(const char *path);

/** Returns the exit status: 2 for a FAIL; 3 for a warning if `warn_fails` is set. */
int cli_findings_status(const struct tch_findings *f, bool warn_fails);

#endif
