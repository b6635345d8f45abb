/*
 * Keeps where the frames of a collection come from, for formats that have addresses and lines.
 */
#ifndef TCH_COLLECT_ORIGINS_H
#define TCH_COLLECT_ORIGINS_H

#include "collect_records.h"
#include "kit/flame/stack/origins.h"
#include "kit/symbol/symbol.h"

/** Fills in ret, which is empty. Call it after tch_collect_names(), with symbols that have lines.
   ret takes the paths of source files from s. Returns 0, TACHO_ENOMEM or TACHO_ELIMIT; release ret
   in any case. */
int tch_collect_origins(const struct tch_collect *c, struct tch_symbols *s, struct tch_origins *ret,
                        tacho_error *err);

#endif
