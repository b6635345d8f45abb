/*
 * The environment of a run: machine, system, compiler, variables.
 */
#ifndef TCH_ENVIRONMENT_H
#define TCH_ENVIRONMENT_H

#include <tacho/fingerprint.h>

/** Does what tacho_environment() does, with /proc and /sys below a root ("" for this machine).
    The values of the variables in `keep` (terminated by NULL, or NULL) are not masked. */
int tch_environment(const char *root, const char *compiler, const char *const *keep, char **ret,
                    size_t *len, tacho_error *err);

#endif
