/*
 * Writes JSON in canonical form, so that the same value always has the same text.
 */
#ifndef TCH_JSON_CANON_H
#define TCH_JSON_CANON_H

#include <stddef.h>

#include <tacho/error.h>

#include "buf.h"

enum tch_json_canon_flags {
    TCH_CANON_SORTED = 1, /**< sort the members of the value itself by key, if it is an object */
    TCH_CANON_FINITE = 2, /**< write numbers as the nearest double, refuse those beyond all doubles;
                             without it every number keeps its value */
    TCH_CANON_UNIQUE = 4, /**< refuse two members with the same key */
};

/**
 * Adds a value in canonical form: compact, strings with as few escapes as possible, numbers as
 * short as possible. Members keep their order. Of two with the same key, the first
 * keeps its place and gets the value of the last.
 *
 * @param flags  of enum tch_json_canon_flags
 * @return 0, TACHO_EPARSE when json is not one valid value, TACHO_ENOMEM or TACHO_ELIMIT; after a
 *         failure b has failed, or holds part of the value
 */
int tch_json_canon(struct tch_buf *b, const char *json, size_t len, unsigned flags,
                   tacho_error *err);

#endif
