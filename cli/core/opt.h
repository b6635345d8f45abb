/*
 * The words after a command's name, parsed by its tables.
 *
 * cli_parse_args() checks them all before the command runs, so that the command sees valid ones
 * only:
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

    char **operands; /**< NULL-ended; what is not an option */
    size_t count;
    const char *value; /**< of the option that cli_next_opt() returned last */

    bool help;
    bool json;
    bool quiet;
    struct term out; /**< how text on stdout may look */
    struct term err; /**< ... and on stderr */

    char **words; /**< all of them, NULL-ended */
    char **next;  /**< where cli_next_opt() is */
    char *bundle; /**< the rest of -abc it is in, or NULL */
    bool no_more_opts;
};

/** All options of cmd: its own, those it shares, the common ones. Start with {.cmd = cmd}. */
struct opt_walk {
    const struct cmd *cmd;
    const struct opt *at;
    int table;
};

/** The next one, or NULL after the last. */
const struct opt *cli_walk_opts(struct opt_walk *w);

/** The next one that takes a value, or NULL after the last. */
const struct opt *cli_walk_valued_opts(struct opt_walk *w);

/** Finds an option of cmd by its long name, which need not be NUL-terminated. NULL: there is none.
 */
const struct opt *cli_find_opt(const struct cmd *cmd, const char *name, size_t len);

/**
 * Parses words (NULL-ended, after the command's name) for args->cmd. Complains on stderr.
 *
 * @return EXIT_OK, EXIT_USAGE, or EXIT_WORK when memory ran out; cli_release_args() in any case
 */
int cli_parse_args(struct args *args, char **words);
void cli_release_args(struct args *args);

/** The command's own options in the order given, each with args->value; NULL after the last. */
const struct opt *cli_next_opt(struct args *args);

/** Says whether the operands follow "--", as a command to run does. */
bool cli_operands_are_command(const struct args *args);

/**
 * Takes all options of the command: its own into `own`, those of its second table into `shared`.
 * Complains about a value that is not allowed.
 *
 * @return EXIT_OK, or another status at the first that fails
 */
int cli_set_opts(struct args *args, void *own, void *shared);

/** Takes one option, with args->value, into the struct that its table is about. */
int cli_set_opt(const struct args *args, const struct opt *opt, void *own, void *shared);

/** Sets the field that the option is bound to. EXIT_OK, or EXIT_USAGE after a complaint. */
int cli_set_field(const struct args *args, const struct opt *opt, void *into);

/** Complains that args->value is not what option `name` needs; returns EXIT_USAGE. */
int cli_wrong_value(const struct args *args, const char *name, const char *wants);

/** Complains that memory ran out; returns EXIT_WORK. */
int cli_no_memory(void);

/** Complains that the command does not take an option which a related one does, and says why;
    false: it is none of these. name may be NULL, letter 0. */
bool cli_refuse_opt(const struct args *args, const char *name, char letter);

/** Where value is in choices, or -1. */
int cli_choice_index(const char *const *choices, const char *value);

/** "bash, zsh or fish". */
void cli_add_choices(struct tch_buf *b, const char *const *choices);

/** Complains about how the command was called, says where to read on; returns EXIT_USAGE. */
int cli_wrong_usage(const struct args *args, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/** Which of the sub-commands is called name, or NULL. */
const struct cmd *cli_find_sub(const struct cmd *cmd, const char *name);

/** cli_wrong_usage() for a word that is no sub-command of args->cmd. */
int cli_unknown_command(const struct args *args, const char *name);

/** Goes one level down: args->cmd becomes sub, and the path its. */
void cli_enter_sub(struct args *args, const struct cmd *sub);

#endif
