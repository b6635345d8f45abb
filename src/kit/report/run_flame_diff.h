/*
 * The differential flamegraph of two run folders.
 */
#ifndef TCH_RUN_FLAME_DIFF_H
#define TCH_RUN_FLAME_DIFF_H

#include <limits.h>

#include <tacho/error.h>

#include "base/buf.h"

/** Finds the folded stacks of a run's flamegraph in its folder. Returns 1, or 0 if there are
    none. */
int tch_folded_find(const char *folder, char path[PATH_MAX]);

/** Draws the changes from profile a to profile b, both folded stacks, as SVG. Frames are as wide as
    in b. Red frames cost more than in a, which is scaled to the same total. */
int tch_flame_diff(struct tch_buf *svg, const char *a, const char *b, const char *title,
                   tacho_error *err);

#endif
