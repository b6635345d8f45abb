/*
 * Finds members of a chained line by name. It is meant for lines with few members; witness_entry.h
 * reads entries.
 */
#ifndef TCH_WITNESS_MEMBER_H
#define TCH_WITNESS_MEMBER_H

#include <stdint.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "base/json_read.h"
#include "base/lines.h"

/** Finds the raw value; a string has its quotes. Returns 0, or TACHO_EPARSE with the line
    number. */
int tch_member_find(const struct tch_line *line, const char *name, struct tch_json_value *ret,
                    tacho_error *err);

/** Reads a whole number. */
int tch_member_u64(const struct tch_line *line, const char *name, uint64_t *ret, tacho_error *err);

/** Adds a text to b, terminated by NUL. Returns TACHO_EPARSE also when it does not fit. */
int tch_member_text(const struct tch_line *line, const char *name, struct tch_buf *b,
                    tacho_error *err);

/** Read a raw value. They return 0, TACHO_EPARSE or TACHO_ENOMEM. */
int tch_raw_u64(const struct tch_json_value *value, uint64_t *ret);
int tch_raw_text(const struct tch_json_value *value, struct tch_buf *b);

#endif
