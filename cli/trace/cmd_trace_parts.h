/*
 * The sub-commands of tacho trace, one file per sub-command (cmd_trace_<name>.c). cmd_trace.c lists
 * them.
 */
#ifndef CLI_CMD_TRACE_PARTS_H
#define CLI_CMD_TRACE_PARTS_H

#include "cli/core/cmd.h"

extern const struct cmd cmd_trace_compare;
extern const struct cmd cmd_trace_convert;
extern const struct cmd cmd_trace_info;
extern const struct cmd cmd_trace_merge;
extern const struct cmd cmd_trace_recover;
extern const struct cmd cmd_trace_slice;
extern const struct cmd cmd_trace_summary;
extern const struct cmd cmd_trace_validate;

#endif
