/*
 * Shell completion scripts, generated from the tables of the commands; one file per shell.
 */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include "base/buf.h"
#include "cmd.h"

void cli_add_bash(struct tch_buf *b, const struct cmd *root);
void cli_add_zsh(struct tch_buf *b, const struct cmd *root);
void cli_add_fish(struct tch_buf *b, const struct cmd *root);

/** Calls visit for cmd and for all commands under it, with the full name of each. */
typedef void visit_cmd(struct tch_buf *b, const struct cmd *cmd, const char *path);
void cli_each_cmd(struct tch_buf *b, const struct cmd *cmd, const char *path, visit_cmd *visit);

/** Shell commands that list the branches and tags of git, and the benches of tacho.yaml. */
#define CLI_COMPLETE_REFS \
    "git for-each-ref '--format=%(refname:short)' refs/heads refs/tags refs/remotes 2>/dev/null"
#define CLI_COMPLETE_BENCHES "tacho gate --list 2>/dev/null"

/** Adds every word of a NULL-terminated list, separated by blanks. */
void cli_add_words(struct tch_buf *b, const char *const *words);

#endif
