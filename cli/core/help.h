/*
 * Help texts and manual pages, generated from the tables of the commands.
 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "base/buf.h"
#include "cmd.h"
#include "term.h"

/** Adds the whole help of a command. path is its full name, "tacho trace convert". */
void cli_add_help(struct tch_buf *b, const struct term *term, const struct cmd *cmd,
                  const char *path);

/** Adds only usage and sub-commands, for a command that was called without a sub-command. */
void cli_add_short_help(struct tch_buf *b, const struct term *term, const struct cmd *cmd,
                        const char *path);

/** Adds a manual page in man(7) macros. The page refers to the pages of the sub-commands. Commands
    below the first level have no pages for theirs: those are sections of the same page. */
void cli_add_man(struct tch_buf *b, const struct cmd *cmd, const char *path);

/** Returns the meaning of an exit status of the command, or NULL if the command never returns
    it. */
const char *cli_exit_meaning(const struct cmd *cmd, int status);

/** Adds the name of an option: "-q, --quiet" or "--width N". */
void cli_add_opt_name(struct tch_buf *b, const struct opt *opt);

/** Adds the help of an option, and its allowed values unless the help names all of them. */
void cli_add_opt_help(struct tch_buf *b, const struct opt *opt);

#endif
