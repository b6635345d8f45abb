/*
 * Every command, one a file: cmd_<name>.c. main.c lists them.
 */
#ifndef CLI_CMDS_H
#define CLI_CMDS_H

#include "cmd.h"

extern const struct cmd cmd_completion;
extern const struct cmd cmd_doctor;
extern const struct cmd cmd_help;
extern const struct cmd cmd_run;

#endif
