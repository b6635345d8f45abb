/*
 * A filter for stdout that keeps foreign escape sequences away from the terminal.
 */
#ifndef CLI_CLEAN_OUT_H
#define CLI_CLEAN_OUT_H

#include <stdbool.h>

/** Makes everything printed to stdout pass the filter. Call it once, before anything is printed. */
void cli_clean_stdout(void);

/** Sets whether tacho's own colours pass. */
void cli_clean_colors(bool colors);

/** Declares all further output on stdout as data for programs: it passes unchanged unless stdout is
    a terminal. */
void cli_stdout_is_data(void);

/** Writes the bytes of an incomplete character that were held back. Call it after the last
    fflush(). */
void cli_clean_end(void);

#endif
