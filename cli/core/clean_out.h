/*
 * The stream behind stdout, through which no escape sequence of others reaches a terminal.
 */
#ifndef CLI_CLEAN_OUT_H
#define CLI_CLEAN_OUT_H

#include <stdbool.h>

/** Makes all that is printed to stdout pass the filter. Call it once, before anything is printed.
 */
void cli_clean_stdout(void);

/** Lets our own colours pass, or nothing of the kind. */
void cli_clean_colors(bool colors);

/** What follows on stdout is for programs: it passes unchanged, unless stdout is a terminal. */
void cli_stdout_is_data(void);

/** Writes what was held back for a character that never came to its end. After the last fflush().
 */
void cli_clean_end(void);

#endif
