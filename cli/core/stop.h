/*
 * Handles Ctrl-C and similar signals for commands that finish their work in order.
 */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <signal.h>

/** From now on, these signals remove the temporary files of unfinished outputs before they end the
    process. Signals that are ignored stay ignored. */
void cli_clean_up_on_stop(void);

/** From now on, SIGINT, SIGTERM, SIGHUP and SIGQUIT only store their number in the variable
   returned. If SIGHUP is ignored, as under nohup, it stays ignored. */
const volatile sig_atomic_t *cli_catch_stop(void);

/** Records that a signal arrived, for a command with its own handler. */
void cli_note_stop(int sig);

/** Returns the exit status of the command: 128 plus the signal's number if one arrived, else
    status. */
int cli_stopped_status(int status);

#endif
