/*
 * Shell completion: `tacho __complete WORDS`, which the scripts of cli/core/completion/ call. WORDS
 * are the words after `tacho` up to the cursor. The last one, which may be empty, is to be
 * completed.
 *
 * The first line of the output is an instruction to the shell:
 *
 * - `:words SKIP`: offer only the lines that follow.
 * - `:files SKIP`, `:dirs SKIP`, `:programs SKIP`: offer also files, folders, programs of PATH.
 * - `:command N`: complete from the word N (`tacho` is 0) as a command line of its own.
 *
 * Each following line is a word to offer, and after a tab its description, if it has one. The words
 * complete the last word without its first SKIP bytes, such as `--format=`. They are all words that
 * are possible there: the shell selects those that match what was typed, by its own rules.
 */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include <stddef.h>

#include "cmd.h"

/** Prints what a shell offers for the last of the words (NULL-terminated, after "__complete").
    Writes nothing to stderr or to files. Returns an exit status. */
int cli_complete(const struct cmd *root, char **words);

/** The scripts, which the build embeds. */
extern const char cli_completion_bash[], cli_completion_zsh[], cli_completion_fish[];
extern const size_t cli_completion_bash_len, cli_completion_zsh_len, cli_completion_fish_len;

#endif
