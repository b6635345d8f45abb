/*
 * What a chained line says: its members, by name. For lines of few members; entries are
 * witness_entry.h's.
 */
#ifndef TCH_WITNESS_MEMBER_H
#define TCH_WITNESS_MEMBER_H

#include <stdint.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "base/json_read.h"
#include "base/lines.h"

/** The value, raw: a string has its quotes. 0, or TACHO_EPARSE with the line. */
int tch_member_find(const struct tch_line *line, const char *name, struct tch_json_value *ret,
                    tacho_error *err);

/** A whole number. */
int tch_member_u64(const struct tch_line *line, const char *name, uint64_t *ret, tacho_error *err);

/** A text, which is added to b with a NUL behind it; TACHO_EPARSE too when it does not fit. */
int tch_member_text(const struct tch_line *line, const char *name, struct tch_buf *b,
                    tacho_error *err);

/** The same of a value read raw. 0, TACHO_EPARSE, TACHO_ENOMEM. */
int tch_raw_u64(const struct tch_json_value *value, uint64_t *ret);
int tch_raw_text(const struct tch_json_value *value, struct tch_buf *b);

#endif
