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

/**
 * Draws the changes from profile a to profile b, both folded stacks, as SVG. Frames are as wide as
 * in b. Red frames cost more time than in a, as recorded.
 *
 * @param table  gets the functions that changed most, as HTML; NULL: they are below the picture
 * @return 0, TACHO_EINVAL if the units of the two differ and cannot be converted, or another code
 */
int tch_flame_diff(struct tch_buf *svg, struct tch_buf *table, const char *a, const char *b,
                   const char *title, tacho_error *err);

#endif
