/*
 * The command in the form that counted runs need: its file, its environment, and what a count
 * depends on.
 */
#ifndef TCH_COUNT_PROGRAM_H
#define TCH_COUNT_PROGRAM_H

#include "count_backend.h"

/** Describes command `index` of the plan. Returns 0 or TACHO_ENOMEM. Call
    tch_count_target_release() in any case. */
int tch_count_target_init(struct tch_count_target *t, const struct tch_run_plan *plan, size_t index,
                          tacho_error *err);
void tch_count_target_release(struct tch_count_target *t);

/** Returns whether the program is set-uid, set-gid or has capabilities that we do not have. It
    would lose these rights while it is counted. If so, sets why. */
bool tch_program_gains_rights(const char *file, char why[TCH_COUNT_TEXT]);

/** Writes what a count depends on besides the program: the C library, the CPU if that matters, and
    the version of the tool, which is in `source`. */
void tch_count_key(const struct tch_count_backend *backend, const char *source,
                   char key[TCH_COUNT_TEXT]);

/** Returns a copy of t->env with NAME=VALUE added; NULL if memory runs out. Called in the counter,
    which frees nothing before it exits. */
char **tch_count_env_with(const struct tch_count_target *t, const char *name, const char *value);

#endif
