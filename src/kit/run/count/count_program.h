/*
 * The command as counted runs see it: its file, its environment, and what a count depends on.
 */
#ifndef TCH_COUNT_PROGRAM_H
#define TCH_COUNT_PROGRAM_H

#include "count_backend.h"

/** Describes command `index` of the plan. tch_count_target_release() in any case. 0 or
    TACHO_ENOMEM. */
int tch_count_target_init(struct tch_count_target *t, const struct tch_run_plan *plan, size_t index,
                          tacho_error *err);
void tch_count_target_release(struct tch_count_target *t);

/** Says whether the program is set-uid, set-gid or has capabilities that we have not: whatever
    counts it takes these away. why: set then. */
bool tch_program_gains_rights(const char *file, char why[TCH_COUNT_TEXT]);

/** Writes what a count depends on beside the program: the C library, the CPU where that matters,
    and of tools their version, which is in `source`. */
void tch_count_key(const struct tch_count_backend *backend, const char *source,
                   char key[TCH_COUNT_TEXT]);

/** Returns a copy of t->env with NAME=VALUE in it; NULL without memory. For the counter, which
   frees nothing before it exits. */
char **tch_count_env_with(const struct tch_count_target *t, const char *name, const char *value);

#endif
