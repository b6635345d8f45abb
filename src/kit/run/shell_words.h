/*
 * A command line cut into words as a shell does it, without running one: blanks, '...', "...",
 * backslashes. What would need a shell (pipes, variables, globs) is refused by name, never passed
 * on as text in silence.
 */
#ifndef TCH_SHELL_WORDS_H
#define TCH_SHELL_WORDS_H

#include <stddef.h>

#include <tacho/error.h>

/** NULL-ended; one allocation: free() it. 0, TACHO_EINVAL, TACHO_ENOMEM, or TACHO_EUNSUPPORTED when
    the line needs a shell. */
int tch_words_split(const char *line, char ***ret, tacho_error *err);

#endif
