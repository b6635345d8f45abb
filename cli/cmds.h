/*
 * Every command, one a file: cmd_<name>.c. main.c lists them. cli/core/cli.h declares the commands
 * that describe the others.
 */
#ifndef CLI_CMDS_H
#define CLI_CMDS_H

#include "cli/core/cmd.h"

extern const struct cmd cmd_baseline;
extern const struct cmd cmd_calibrate;
extern const struct cmd cmd_compare;
extern const struct cmd cmd_doctor;
extern const struct cmd cmd_events;
extern const struct cmd cmd_fingerprint;
extern const struct cmd cmd_flame;
extern const struct cmd cmd_gate;
extern const struct cmd cmd_history;
extern const struct cmd cmd_import;
extern const struct cmd cmd_plan;
extern const struct cmd cmd_report;
extern const struct cmd cmd_run;
extern const struct cmd cmd_stats;
extern const struct cmd cmd_sweep;
extern const struct cmd cmd_trace;
extern const struct cmd cmd_watch;
extern const struct cmd cmd_witness;

struct tch_machine;

/** Runs tacho doctor on a machine, which in tests is a made-up one. */
int cli_doctor_examine(struct args *args, const struct tch_machine *machine);

#endif
