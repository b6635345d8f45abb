/*
 * Tables that describe commands: names, options, arguments and the function to run. Parsing, help,
 * shell completion and manual pages all use these tables, so they cannot disagree.
 */
#ifndef CLI_CMD_H
#define CLI_CMD_H

#include <stdbool.h>

#include "kit/config/setting.h"

struct args;

/** Exit statuses; they mean the same for all commands. */
enum {
    EXIT_OK = 0,
    EXIT_WORK = 1,     /**< the command could not do its work */
    EXIT_CHECK = 2,    /**< a check failed */
    EXIT_WARN = 3,     /**< only warnings, with --fail-on-warn */
    EXIT_UNJUDGED = 4, /**< there was nothing to judge */
    EXIT_USAGE = 64,   /**< wrong usage */
    EXIT_SIGINT = 130, /**< stopped by Ctrl-C; by SIGTERM 143, by SIGHUP 129 */
};

/** The kind of words that a shell offers for a value. */
enum complete {
    COMPLETE_NOTHING,
    COMPLETE_FILE,
    COMPLETE_DIR,
    COMPLETE_RUN,            /**< a run folder */
    COMPLETE_RUN_OR_PROGRAM, /**< a run folder; after "--" as COMPLETE_PROGRAM */
    COMPLETE_PROGRAM,        /**< a program of PATH, then its own arguments */
    COMPLETE_TOPIC,          /**< a command of tacho */
    COMPLETE_REF,            /**< a branch or tag of git */
    COMPLETE_BENCH,          /**< a bench of tacho.yaml */
};

/** Describes one option. A table ends with an entry whose name is NULL. */
struct opt {
    int id;                     /**< identifies the option in the command's own code, from 0 */
    const char *name;           /**< "json" for --json */
    char letter;                /**< 'j' for -j, or 0 */
    const char *arg;            /**< name of its value, "N"; NULL: the option takes no value */
    const char *help;           /**< one line, no full stop */
    const char *const *choices; /**< NULL-terminated list of allowed values, or NULL */
    enum complete complete;
    /** NULL-terminated list of values to suggest; others are allowed; or NULL. */
    const char *const *offers;
    const struct tch_setting *set; /**< the field that cli_set_opts() fills, or NULL */
    const char *not_a;             /**< rejects a wrong value with "'x' is not <not_a>"; or NULL */
    const char *rule;              /**< rejects a wrong value with "<rule>, not 'x'"; or NULL */
    /** Stores the value instead of cli_set_field(), or calls it. Returns an exit status. NULL:
        cli_set_field() alone. */
    int (*take)(void *into, const struct args *args, const struct opt *opt);
};

/** Binds an option to a field: .set = CLI_SET(struct job, file, .kind = TCH_SET_TEXT). */
#define CLI_SET(type, field, ...) \
    (&(const struct tch_setting){.offset = offsetof(type, field), __VA_ARGS__})
#define CLI_TEXT(type, field) .set = CLI_SET(type, field, .kind = TCH_SET_TEXT)
#define CLI_FLAG(type, field) .set = CLI_SET(type, field, .kind = TCH_SET_FLAG)
#define CLI_CHOICE(type, field, names) \
    .choices = (names), .set = CLI_SET(type, field, .kind = TCH_SET_CHOICE, .choices = (names))

/** Describes one argument that is not an option. A table ends with an entry whose name is NULL. */
struct arg {
    const char *name; /**< "FILE" */
    const char *help;
    bool optional;
    bool many; /**< takes this word and all following ones; only for the last argument */
    const char *const *choices;
    enum complete complete;
};

/** An example. A table ends with an entry whose line is NULL. */
struct example {
    const char *line; /**< the command line to type */
    const char *what; /**< a sentence that says what it does */
};

/** An environment variable or a file, for manual pages. A table ends with an entry whose name is
    NULL. */
struct man_item {
    const char *name;
    const char *help; /**< a sentence, with its full stop */
};

/** The meaning of an exit status for one command, in addition to or instead of the usual meanings
    of 0, 1 and 64. A table ends with an entry whose help is NULL. */
struct exit_note {
    int status;
    const char *help;
};

/** The exit note of a command that handles Ctrl-C and then exits with that status. */
#define EXIT_NOTE_STOPPED                                            \
    {                                                                \
        EXIT_SIGINT, "stopped by Ctrl-C (143: SIGTERM, 129: SIGHUP)" \
    }

/** An option of a related command or tool that this command does not have; or, for a command with
    sub-commands, a sub-command of another tool. A table ends with an entry whose name is NULL. */
struct refusal {
    const char *name;
    char letter;     /**< letter of an option, or 0 */
    const char *why; /**< the reason, and what to use instead */
};

struct cmd {
    const char *name;
    const char *summary;              /**< one line, no full stop */
    const char *usage;                /**< complete usage lines, each starting with "tacho" */
    const char *about;                /**< paragraphs separated by empty lines, or NULL */
    const struct opt *opts;           /**< its own options, or NULL; opt.c has the common ones */
    const struct opt *more_opts;      /**< a second table, shared with another command; or NULL */
    const struct refusal *refused;    /**< or NULL */
    const struct arg *args;           /**< NULL: it takes no arguments */
    const struct example *examples;   /**< or NULL */
    const struct exit_note *exits;    /**< or NULL */
    const struct man_item *variables; /**< variables that it reads or sets, or NULL */
    const struct man_item *files;     /**< files that it reads or writes, or NULL */
    const struct cmd *const *subs;    /**< NULL-terminated and sorted by name, or NULL */
    bool json;                        /**< takes --json */
    bool runs_program;                /**< the first argument ends the options */
    bool runs_alone;                  /**< has sub-commands, and runs itself if none is named */
    int (*run)(struct args *args);    /**< NULL: a sub-command must be named */
};

#endif
