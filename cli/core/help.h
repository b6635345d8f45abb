/*
 * What a stranger reads about a command, made from its table: on the terminal, and as a man page.
 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "base/buf.h"
#include "cmd.h"
#include "term.h"

/** The whole help. path is the command's full name, "tacho trace convert". */
void cli_add_help(struct tch_buf *b, const struct term *term, const struct cmd *cmd,
                  const char *path);

/** Usage and the sub-commands alone, for one who typed nothing after a command that has some. */
void cli_add_short_help(struct tch_buf *b, const struct term *term, const struct cmd *cmd,
                        const char *path);

/** A page in man(7) macros. The sub-commands' pages are named in it, but for those of a command
    below the first level, which are sections of its page. */
void cli_add_man(struct tch_buf *b, const struct cmd *cmd, const char *path);

/** What the command means by ending with status, or NULL: it never does. */
const char *cli_exit_meaning(const struct cmd *cmd, int status);

/** "-q, --quiet", "--width N". */
void cli_add_opt_name(struct tch_buf *b, const struct opt *opt);

/** What it is for, and its allowed values unless the text names each of them. */
void cli_add_opt_help(struct tch_buf *b, const struct opt *opt);

#endif
