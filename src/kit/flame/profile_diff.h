/*
 * Two profiles in one: what one stack cost before, and now.
 */
#ifndef TCH_PROFILE_DIFF_H
#define TCH_PROFILE_DIFF_H

#include <stdbool.h>

#include <tacho/error.h>

#include "stacks.h"

/** After the first profile was read into stacks: it becomes "before", and the second one can be
    read into the same. TACHO_EINVAL when it was a differential itself. */
int tch_diff_begin(struct tch_stacks *stacks, tacho_error *err);

/** After the second one was read. normalize: the counts before are scaled to the same total. */
int tch_diff_end(struct tch_stacks *stacks, bool normalize, tacho_error *err);

#endif
