/*
 * A filter for stdout and stderr that keeps foreign escape sequences away from the terminal.
 */
#ifndef CLI_CLEAN_OUT_H
#define CLI_CLEAN_OUT_H

#include <stdbool.h>

/** Makes everything printed to stdout and stderr pass the filter. Call it once, before anything is
    printed. Returns 0, or -1 when there is no memory; then nothing may be printed. */
int cli_clean_streams(void);

/** Sets whether tacho's own colours pass. */
void cli_clean_colors(bool on_stdout, bool on_stderr);

/** Declares all further output on stdout as data for programs: it passes unchanged unless stdout is
    a terminal. */
void cli_stdout_is_data(void);

/** Writes to stderr without the filter. Only for control sequences of tacho's own displays. */
void cli_stderr_control(const char *sequence);

/** Writes the bytes of incomplete characters that were held back. Call it after the last
    fflush(). */
void cli_clean_end(void);

#endif
