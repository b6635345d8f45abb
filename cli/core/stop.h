/*
 * Ctrl-C and its like, for commands that end their work in order.
 */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <signal.h>

/** From now on SIGINT, SIGTERM and SIGHUP only make this the signal's number. A SIGHUP that is
    ignored, as under nohup, stays so. */
const volatile sig_atomic_t *cli_catch_stop(void);

/** For a command with a handler of its own: that a signal came. */
void cli_note_stop(int sig);

/** The exit status of the command: 128 and the number of the signal when one came, else status. */
int cli_stopped_status(int status);

#endif
