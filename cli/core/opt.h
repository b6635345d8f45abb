/*
 * Parses the words after a command's name by the command's tables.
 *
 * cli_parse_args() checks all words before the command runs, so the command only sees valid ones:
 *
 *     status = cli_set_opts(args, &job, NULL);
 *     for (size_t i = 0; i < args->count; i++)
 *         read_file(args->operands[i]);
 */
#ifndef CLI_OPT_H
#define CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "cmd.h"
#include "term.h"

enum { PATH_MAX_TEXT = 128 };

struct args {
    const struct cmd *root; /**< the whole tree, for help and completion */
    const struct cmd *cmd;
    char path[PATH_MAX_TEXT]; /**< "tacho trace convert", for messages */

    char **operands; /**< NULL-terminated; the words that are not options */
    size_t count;
    const char *value; /**< value of the option that cli_next_opt() returned last */

    bool help;
    bool json;
    bool quiet;
    struct term out; /**< what stdout can display */
    struct term err; /**< what stderr can display */

    char **words; /**< all words, NULL-terminated */
    char **next;  /**< the word that cli_next_opt() reads next */
    char *bundle; /**< the unread rest of -abc, or NULL */
    bool no_more_opts;
};

/** Iterates over all options of cmd: its own, shared and common ones. Start with {.cmd = cmd}. */
struct opt_walk {
    const struct cmd *cmd;
    const struct opt *at;
    int table;
};

/** Returns the next option, or NULL after the last. */
const struct opt *cli_walk_opts(struct opt_walk *w);

/** Returns whether the option is in the command's own table, not in a shared one. */
bool cli_owns_opt(const struct cmd *cmd, const struct opt *opt);

/** Finds an option of cmd by its long name, which need not be NUL-terminated. Returns NULL if there
    is none. */
const struct opt *cli_find_opt(const struct cmd *cmd, const char *name, size_t len);

/** Finds an option of cmd by its letter. Returns NULL if there is none. */
const struct opt *cli_find_letter(const struct cmd *cmd, char letter);

/**
 * Parses words (NULL-terminated, after the command's name) for args->cmd. Prints errors on stderr.
 * Call cli_release_args() in any case.
 *
 * @return EXIT_OK, EXIT_USAGE, or EXIT_WORK when memory ran out
 */
int cli_parse_args(struct args *args, char **words);
void cli_release_args(struct args *args);

/** Returns the next of the command's own options in the order given and sets args->value. Returns
    NULL after the last. */
const struct opt *cli_next_opt(struct args *args);

/** Returns whether the operands follow "--", as a command to run does. */
bool cli_operands_are_command(const struct args *args);

/**
 * Stores the values of all options: the command's own in `own`, those of its second table in
 * `shared`. Prints an error for a value that is not allowed.
 *
 * @return EXIT_OK, or the status of the first option that fails
 */
int cli_set_opts(struct args *args, void *own, void *shared);

/** Stores the value of one option, args->value, in the struct that its table describes. */
int cli_set_opt(const struct args *args, const struct opt *opt, void *own, void *shared);

/** Sets the field that the option is bound to. Returns EXIT_OK, or EXIT_USAGE after an error
 * message. */
int cli_set_field(const struct args *args, const struct opt *opt, void *into);

/** Prints the error that args->value is not what option `name` needs; returns EXIT_USAGE. */
int cli_wrong_value(const struct args *args, const char *name, const char *wants);

/** Prints the error that memory ran out; returns EXIT_WORK. */
int cli_no_memory(void);

/** If the option belongs to a related command, prints why this command does not have it.
    Returns false, and prints nothing, for any other option. name may be NULL, letter 0. */
bool cli_refuse_opt(const struct args *args, const char *name, char letter);

/** Returns the index of value in choices, or -1. */
int cli_choice_index(const char *const *choices, const char *value);

/** Adds the choices as a sentence part: "bash, zsh or fish". */
void cli_add_choices(struct tch_buf *b, const char *const *choices);

/** Prints an error about wrong usage, refers to the command's help, and returns EXIT_USAGE. */
int cli_wrong_usage(const struct args *args, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/** Finds a sub-command by its name. Returns NULL if there is none. */
const struct cmd *cli_find_sub(const struct cmd *cmd, const char *name);

/** Calls cli_wrong_usage() for a word that is not a sub-command of args->cmd, with a suggestion. */
int cli_unknown_command(const struct args *args, const char *name);

/** Descends to a sub-command: sets args->cmd and extends args->path. */
void cli_enter_sub(struct args *args, const struct cmd *sub);

#endif
