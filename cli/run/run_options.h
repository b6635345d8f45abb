/*
 * Turns the options of `tacho run` into a plan.
 */
#ifndef CLI_RUN_OPTIONS_H
#define CLI_RUN_OPTIONS_H

#include "cli/core/opt.h"
#include "kit/run/plan/run_plan.h"

struct run_options {
    struct tch_run_plan plan; /**< first, so that its settings apply to this struct */
    struct tch_run_command commands[TCH_COMMANDS_MAX];
    char **words[TCH_COMMANDS_MAX]; /**< owned: the argv of -c */
    char *names[TCH_COMMANDS_MAX];  /**< owned */
    char *lines[TCH_COMMANDS_MAX];  /**< owned: each command as one line, secrets masked */
    const char *shell_argv[TCH_COMMANDS_MAX][4];
    struct tch_metric_rule *metrics;
    const char **env;
    const char **labels;
    const char **keep_env;
    char *paths[3]; /**< owned: absolute forms of --cwd, --input, --config */
    size_t name_count;
    const char *hooks[TCH_HOOKS][TCH_COMMANDS_MAX]; /**< lines of each hook, in the order given */
    size_t hook_count[TCH_HOOKS];
    const struct opt *given[16]; /**< options given so far that apply to all commands */
    size_t given_count;
    const struct opt *once; /**< one of these that was given twice, or NULL */
    uint64_t max_time_ns;   /**< value of --max-time; 0: not given */
    bool until_precise;     /**< --precision or --max-runs was given */
    bool in_sweep;          /**< --input may contain {NAME} */
    bool count_runs_given;  /**< --count-runs was given */
    bool pass_status;
    bool fail_on_warn;
};

enum {
    RUN_OPTS_MORE =
        256, /* room for --env, --keep-env and --label besides those of the command line */
};

extern const struct opt cli_run_opts[];

/** Options that `tacho run` and `tacho sweep` share. */
extern const struct opt cli_plan_opts[];

/** Variables that tacho sets for a command, for manual pages. */
extern const struct man_item cli_run_variables[];

/** Sets all options to their defaults. Call cli_run_options_release() in any case. */
int cli_run_options_init(struct run_options *o, const struct args *args);

/** Checks that the options can be combined. Returns EXIT_OK, or another status after an error
    message. */
int cli_run_options_check(struct run_options *o, const struct args *args);

/**
 * Parses and checks all options of `tacho run`. Returns EXIT_OK, or the status to exit with after
 * an error message. Call cli_run_options_release() in any case.
 */
int cli_run_options_parse(struct run_options *o, struct args *args);
void cli_run_options_release(struct run_options *o);

/** Joins words to one line, quoted as a person would type it. Returns NULL without memory. */
char *cli_join_words(char **words);

/** Splits a line of -c into words, which the caller frees. Returns EXIT_OK, or another status after
    an error message, which shows the line as `shown`. */
int cli_split_command(const struct args *args, const char *line, const char *shown, char ***ret);

/** Add a command of -c, and a name of --name, to struct run_options. */
int cli_run_commands_add(void *into, const struct args *args, const struct opt *opt);
int cli_run_commands_name(void *into, const struct args *args, const struct opt *opt);

/** Gives every command its words and a unique name. Call it after the last option. */
int cli_run_commands_finish(struct run_options *o, const struct args *args);

#endif
