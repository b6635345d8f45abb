/*
 * Recognises files of other profilers that tacho does not read, so that they are refused by name
 * and never drawn as if their lines were stacks.
 */
#ifndef TCH_FOREIGN_H
#define TCH_FOREIGN_H

#include "base/text_span.h"

struct tch_foreign {
    const char *what;   /**< "a callgrind profile" */
    const char *advice; /**< what to do instead */
};

/** Recognises a file by its first bytes. @return NULL if it may be text that tacho reads */
const struct tch_foreign *tch_foreign_find(struct tch_span head);

#endif
