/*
 * From main()'s arguments to a command and back to an exit status, for any tree of commands.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "cmd.h"

/** Runs what argv names in the tree under root; returns the exit status. A result that stdout did
    not take makes it EXIT_WORK, whatever the command said. */
int cli_main(const struct cmd *root, char **argv);

#endif
