/*
 * Splits a command line into words as a shell does, without running one: blanks, '...', "...",
 * backslashes. Refuses syntax that needs a shell (pipes, variables, globs) by name and never passes
 * it on as text silently.
 */
#ifndef TCH_SHELL_WORDS_H
#define TCH_SHELL_WORDS_H

#include <stddef.h>

#include <tacho/error.h>

/** Splits a line. *ret is NULL-terminated and one allocation; free() it. Returns 0, TACHO_EINVAL,
    TACHO_ENOMEM, or TACHO_EUNSUPPORTED if the line needs a shell. */
int tch_words_split(const char *line, char ***ret, tacho_error *err);

#endif
