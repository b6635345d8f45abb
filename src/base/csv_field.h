/*
 * Writes fields of CSV files as RFC 4180 defines them.
 */
#ifndef TCH_CSV_FIELD_H
#define TCH_CSV_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

/** Writes a field to out, which has room for 2 * len + 2 bytes, and returns its length. A field
   with a comma, a quote or a line end is quoted. */
size_t tch_csv_put(char *out, const char *text, size_t len);

/** Adds a field like tch_csv_put(). */
void tch_csv_add(struct tch_buf *b, const char *text, size_t len);

/** Adds a comma and a float as all CSV files write it: the shortest digits that read back the same,
    never with an exponent. NaN means not measured and becomes an empty field. */
void tch_csv_add_number(struct tch_buf *b, double value);

/** Adds a name that comes from elsewhere. Spreadsheets take a cell that begins with = + - @ for a
    formula, so such a name gets an apostrophe before it, unless it is a number. Control characters
    become '?'. With `raw` the name is added unchanged. */
void tch_csv_add_name(struct tch_buf *b, const char *text, size_t len, bool raw);

#endif
