/*
 * Ctrl-C and its like, for commands that end their work in order.
 */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <signal.h>

/** From now on SIGINT, SIGTERM and SIGHUP only make this the signal's number. */
const volatile sig_atomic_t *cli_catch_stop(void);

#endif
