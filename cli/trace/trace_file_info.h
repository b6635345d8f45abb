/*
 * tacho trace info for what is no recording.
 */
#ifndef CLI_TRACE_FILE_INFO_H
#define CLI_TRACE_FILE_INFO_H

#include "cli/core/opt.h"

/** Prints what is in a trace of any format; an exit status. */
int cli_trace_file_info(struct args *args, const char *path);

#endif
