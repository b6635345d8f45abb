/*
 * Finds the command that main()'s arguments name and runs it, for any tree of commands.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "cmd.h"

/** Runs the command that argv names in the tree under root and returns the exit status. It is
    EXIT_WORK if the output could not be written, whatever the command returned. */
int cli_main(const struct cmd *root, char **argv);

/* Commands that describe the tree of commands, whatever it contains. */
extern const struct cmd cmd_completion;
extern const struct cmd cmd_help;

#endif
