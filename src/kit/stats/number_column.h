/*
 * Reads numbers from a file: plain lines, a column of CSV, a key of JSON lines.
 */
#ifndef TCH_NUMBER_COLUMN_H
#define TCH_NUMBER_COLUMN_H

#include <stdbool.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/lines.h"

enum tch_numbers_form { TCH_NUMBERS_PLAIN, TCH_NUMBERS_CSV, TCH_NUMBERS_JSON };

/** Facts about the file, besides its numbers. */
struct tch_numbers {
    enum tch_numbers_form form;
    char column[256];       /**< its name; "" for plain lines and for CSV without a header */
    uint64_t skipped;       /**< number of lines skipped, if skip is set */
    uint64_t first_skipped; /**< number of the first skipped line */
};

/**
 * Reads all lines. The first line decides the format: a JSON object, fields with commas, or one
 * number.
 *
 * @param column  name of a CSV column or its number from 1, or a key of JSON objects ("a.b" is a
 * member of a nested object); NULL: the only column there is, or wall_time_us
 * @param skip    skip lines without a number there, instead of failing
 * @param take    called with batches of numbers, which are never NaN or infinite
 * @return 0, TACHO_EIO, TACHO_ENOMEM, TACHO_EINVAL if the column cannot be found, TACHO_EPARSE with
 * the line
 */
int tch_numbers_read(struct tch_lines *lines, const char *column, bool skip,
                     void (*take)(void *ctx, const double *values, size_t n), void *ctx,
                     struct tch_numbers *ret, tacho_error *err);

/**
 * Reads up to `most` lines such as "17" or "-0.25": at most 15 digits, no blanks, no exponent,
 * terminated by LF. Stops at the first other line, and some bytes before the end of the text.
 *
 * @param took  set to the length of these lines in bytes
 * @return the number of lines read
 */
size_t tch_plain_lines(const char *text, size_t len, double *values, size_t most, size_t *took);

#endif
