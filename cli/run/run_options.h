/*
 * The options of `tacho run`, made into a plan.
 */
#ifndef CLI_RUN_OPTIONS_H
#define CLI_RUN_OPTIONS_H

#include "cli/core/opt.h"
#include "kit/run/run_plan.h"

struct run_options {
    struct tch_run_plan plan; /**< first, so that its settings apply to this struct */
    struct tch_run_command commands[TCH_COMMANDS_MAX];
    char **words[TCH_COMMANDS_MAX]; /**< owned: the argv of -c */
    char *names[TCH_COMMANDS_MAX];  /**< owned */
    char *lines[TCH_COMMANDS_MAX];  /**< owned: each command as one line, secrets masked */
    const char *shell_argv[TCH_COMMANDS_MAX][4];
    struct tch_metric *metrics;
    const char **env;
    const char **labels;
    const char **keep_env;
    char *paths[3]; /**< owned: absolute forms of --cwd, --input, --config */
    size_t name_count;
    const char *hooks[TCH_HOOKS][TCH_COMMANDS_MAX]; /**< in the order given */
    size_t hook_count[TCH_HOOKS];
    const struct opt *given[16]; /**< options that hold for all commands */
    size_t given_count;
    const struct opt *once; /**< one of them that was given again; or NULL */
    uint64_t max_time_ns;   /**< as given; 0: not */
    bool until_precise;     /**< --precision or --max-runs was given */
    bool in_sweep;          /**< --input may hold {NAME} */
    bool pass_status;
    bool fail_on_warn;
};

enum {
    RUN_OPTS_MORE = 256, /* --env, --keep-env and --label beyond those of the command line */
};

extern const struct opt cli_run_opts[];

/** What is around a run, whoever makes it. */
extern const struct opt cli_plan_opts[];

/** Variables that are set for a command that is run, for manual pages. */
extern const struct man_item cli_run_variables[];

/** Everything at its default; cli_run_options_release() in any case. */
int cli_run_options_init(struct run_options *o, const struct args *args);

/** Do the options fit each other? As above. */
int cli_run_options_check(struct run_options *o, const struct args *args);

/** All for tacho run: EXIT_OK, or what to end with after a complaint; cli_run_options_release() in
 * any case. */
int cli_run_options_parse(struct run_options *o, struct args *args);
void cli_run_options_release(struct run_options *o);

/** The words as a person would type them; NULL without memory. */
char *cli_join_words(char **words);

/** Splits a line of -c into words, which the caller frees; EXIT_OK, or another status after a
    complaint, which shows the line as `shown`. */
int cli_split_command(const struct args *args, const char *line, const char *shown, char ***ret);

/** Take a command by -c, and a name by --name, into struct run_options. */
int cli_run_commands_add(void *into, const struct args *args, const struct opt *opt);
int cli_run_commands_name(void *into, const struct args *args, const struct opt *opt);

/** After the last option: gives every command words and a name of its own. */
int cli_run_commands_finish(struct run_options *o, const struct args *args);

#endif
