/*
 * The last step of a native capture: places become names.
 */
#ifndef TCH_STACK_NAMES_H
#define TCH_STACK_NAMES_H

#include "kit/flame/sample/collect_records.h"
#include "symbol.h"

/** Adds every stack of c with its names to ret, whose names are those of symbols. */
int tch_capture_names(const struct tch_collect *c, struct tch_symbols *symbols,
                      struct tch_stacks *ret, tacho_error *err);

#endif
