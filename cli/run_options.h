/*
 * The options of `tacho run`, made into a plan.
 */
#ifndef CLI_RUN_OPTIONS_H
#define CLI_RUN_OPTIONS_H

#include "opt.h"
#include "run/plan.h"

struct run_options {
    struct tch_run_plan plan;
    struct tch_run_command commands[TCH_COMMANDS_MAX];
    char **words[TCH_COMMANDS_MAX]; /**< owned: the argv of -c */
    char *names[TCH_COMMANDS_MAX];  /**< owned */
    char *line;                     /**< owned: the operands as one line */
    const char *shell_argv[TCH_COMMANDS_MAX][4];
    struct tch_metric *metrics;
    const char **env;
    const char **labels;
    char *paths[3]; /**< owned: absolute forms of --cwd, --input, --config */
    bool pass_status;
    bool seal;
    bool fail_on_warn;
};

extern const struct opt run_opts[];

/** EXIT_OK, or what to end with after a complaint; run_options_release() in any case. */
int run_options_parse(struct run_options *o, struct args *args);
void run_options_release(struct run_options *o);

#endif
