/*
 * A command describes itself: what it is called, what it takes, how it is run. Parsing, help,
 * shell completion and man pages all come from these tables, so that they cannot disagree.
 */
#ifndef CLI_CMD_H
#define CLI_CMD_H

#include <stdbool.h>

#include "base/setting.h"

struct args;

/** What the command ends with, whatever the sub-command. */
enum {
    EXIT_OK = 0,
    EXIT_WORK = 1,     /**< could not do the work */
    EXIT_CHECK = 2,    /**< a check failed */
    EXIT_WARN = 3,     /**< only warnings, with --fail-on-warn */
    EXIT_UNJUDGED = 4, /**< there was nothing usable to judge */
    EXIT_USAGE = 64,   /**< wrong usage */
    EXIT_SIGINT = 130, /**< stopped by Ctrl-C; by SIGTERM 143, by SIGHUP 129 */
};

/** What a shell offers in the place of a value. */
enum complete {
    COMPLETE_NOTHING,
    COMPLETE_FILE,
    COMPLETE_DIR,
    COMPLETE_PROGRAM, /**< a program of PATH, then its own arguments */
    COMPLETE_TOPIC,   /**< a command of ours */
    COMPLETE_REF,     /**< a branch or tag of git */
    COMPLETE_BENCH,   /**< a bench of tacho.yaml */
};

/** One option. A table of them ends with an entry without name. */
struct opt {
    int id;                     /**< tells it from others where the command asks, from 0 */
    const char *name;           /**< "json" for --json */
    char letter;                /**< 'j' for -j, or 0 */
    const char *arg;            /**< what its value is called, "N"; NULL: it takes none */
    const char *help;           /**< one line, no full stop */
    const char *const *choices; /**< NULL-ended: the only values allowed; or NULL */
    enum complete complete;
    const char *const *offers;     /**< NULL-ended: values to offer among others; or NULL */
    const struct tch_setting *set; /**< the field that cli_set_opts() fills; or NULL */
    const char *not_a;             /**< of a wrong value, for "'x' is not <not_a>"; or NULL */
    const char *rule;              /**< of a wrong value, for "<rule>, not 'x'"; or NULL */
    /** Takes the value in place of, or around, cli_set_field(); or NULL. An exit status. */
    int (*take)(void *into, const struct args *args, const struct opt *opt);
};

/** Binds an option to a field: .set = CLI_SET(struct job, file, .kind = TCH_SET_TEXT). */
#define CLI_SET(type, field, ...) \
    (&(const struct tch_setting){.offset = offsetof(type, field), __VA_ARGS__})
#define CLI_TEXT(type, field) .set = CLI_SET(type, field, .kind = TCH_SET_TEXT)
#define CLI_FLAG(type, field) .set = CLI_SET(type, field, .kind = TCH_SET_FLAG)
#define CLI_CHOICE(type, field, names) \
    .choices = (names), .set = CLI_SET(type, field, .kind = TCH_SET_CHOICE, .choices = (names))

/** One argument that is not an option. A table of them ends with an entry without name. */
struct arg {
    const char *name; /**< "FILE" */
    const char *help;
    bool optional;
    bool many; /**< this one and all that follow; the last of its table */
    const char *const *choices;
    enum complete complete;
};

/** A table of examples ends with an entry without line. */
struct example {
    const char *line; /**< what to type */
    const char *what; /**< what that does */
};

/** A variable of the environment or a file, for manual pages. Ends with an entry without name. */
struct man_item {
    const char *name;
    const char *help; /**< a sentence, with its full stop */
};

/** What an exit status means for one command, beyond or in place of what 0, 1 and 64 always mean.
    Ends with an entry without help. */
struct exit_note {
    int status;
    const char *help;
};

/** The note of a command that stops in order: cli_main() ends with that status. */
#define EXIT_NOTE_STOPPED                                                  \
    {                                                                      \
        EXIT_SIGINT, "stopped by Ctrl-C (143: by SIGTERM, 129: by SIGHUP)" \
    }

/** An option of a related command or tool that this command does not have, or, where the command
   has sub-commands, a sub-command of another tool. Ends with an entry without name. */
struct refusal {
    const char *name;
    char letter;     /**< of an option; or 0 */
    const char *why; /**< and what to use instead */
};

struct cmd {
    const char *name;
    const char *summary;              /**< one line, no full stop */
    const char *usage;                /**< whole, from "tacho"; several lines are several usages */
    const char *about;                /**< paragraphs with an empty line between; or NULL */
    const struct opt *opts;           /**< its own; the common ones are opt.c's; or NULL */
    const struct opt *more_opts;      /**< a second table, shared with another command; or NULL */
    const struct refusal *refused;    /**< or NULL */
    const struct arg *args;           /**< or NULL: it takes none */
    const struct example *examples;   /**< or NULL */
    const struct exit_note *exits;    /**< or NULL */
    const struct man_item *variables; /**< that it reads or sets; or NULL */
    const struct man_item *files;     /**< that it reads or writes; or NULL */
    const struct cmd *const *subs;    /**< NULL-ended, alphabetical; or NULL */
    bool json;                        /**< takes --json */
    bool runs_program;                /**< the first argument ends the options */
    bool runs_alone;                  /**< has subs, and runs itself when none is named */
    int (*run)(struct args *args);    /**< NULL: it has subs, one of which must be named */
};

#endif
