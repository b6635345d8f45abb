/*
 * What the files of the options of `tacho run` share. Included by run_*.c only.
 */
#ifndef CLI_RUN_OPTION_PARTS_H
#define CLI_RUN_OPTION_PARTS_H

#include "run_options.h"

/** Ids of  and . */
enum {
    RUNS,
    PRECISION,
    MAX_TIME,
    MAX_RUNS,
    WARMUP,
    COMMAND,
    SHELL,
    SETUP,
    PREPARE,
    SERVER,
    READY,
    CONCLUDE,
    CLEANUP,
    TIMEOUT,
    CWD,
    ENV,
    INPUT,
    OUTPUT,
    ALLOW_NONZERO,
    CPU,
    NO_ASLR,
    FLAME,
    TRACE,
    WORK,
    NAME,
    LABEL,
    METRIC,
    CONFIG,
    INTERVAL,
    POWER,
    OUT,
    PASS_STATUS,
    FAIL_ON_WARN,
    SEAL,
};

/** A command by -c, and a name by --name. */
int cli_run_commands_add(struct run_options *o, const struct args *args);
int cli_run_commands_name(struct run_options *o, const struct args *args);

/** After the last option: every command has words and a name of its own. */
int cli_run_commands_finish(struct run_options *o, const struct args *args);

/** Complains; EXIT_WORK. */
int cli_no_memory(void);

#endif
