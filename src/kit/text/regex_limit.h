/*
 * Regular expressions of limited size.
 *
 * The C library expands repetitions: "((a{1,200}){1,200}){1,200}" becomes eight million nodes,
 * which takes minutes and gigabytes, and no signal handler can stop it.
 */
#ifndef TCH_REGEX_LIMIT_H
#define TCH_REGEX_LIMIT_H

#include <regex.h>

#include <tacho/error.h>

/** Compiles an extended expression. The caller frees it with regfree(). flags are
    passed to regcomp(), with REG_EXTENDED. Returns 0, TACHO_EINVAL with only the reason as message,
   or TACHO_ENOMEM. */
int tch_regex_compile(regex_t *ret, const char *text, int flags, tacho_error *err);

/** Searches a text by regexec(), which reports a search that ran out of memory as "not found"; this
    function does not. Returns 1: found, 0: not found, TACHO_ENOMEM. Has no limits: see
    limited_child.h. */
int tch_regex_search(const regex_t *regex, const char *text, size_t count, regmatch_t *ret,
                     int flags);

#endif
