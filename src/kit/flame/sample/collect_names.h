/*
 * Converts the stacks of a collection, which are numbers of places, to stacks of names.
 */
#ifndef TCH_COLLECT_NAMES_H
#define TCH_COLLECT_NAMES_H

#include "collect_records.h"
#include "kit/symbol/symbol.h"

/** Adds every stack of c with its names to ret, whose name table is that of s. All places must be
    named. Counts in the programs of c how many places of JIT code have names. */
int tch_collect_names(struct tch_collect *c, struct tch_symbols *s, struct tch_stacks *ret,
                      tacho_error *err);

#endif
