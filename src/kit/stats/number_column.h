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
    char column[256];       /**< its name; "" for plain lines and CSV without a header */
    uint64_t skipped;       /**< lines passed over, with skip */
    uint64_t first_skipped; /**< the first of them */
};

/**
 * Reads all lines. The first one decides the form: an object, fields with commas, or one number.
 *
 * @param column  a CSV column's name or its number from 1, a key of JSON objects ("a.b" goes into
 *                one); NULL: the only one there is, or wall_time_us
 * @param skip    pass over lines without a number there, instead of failing
 * @param take    called with the numbers, some at a time; never NaN nor infinite
 * @return 0, TACHO_EIO, TACHO_ENOMEM, TACHO_EINVAL about the column, TACHO_EPARSE with the line
 */
int tch_numbers_read(struct tch_lines *lines, const char *column, bool skip,
                     void (*take)(void *ctx, const double *values, size_t n), void *ctx,
                     struct tch_numbers *ret, tacho_error *err);

/**
 * Reads up to `most` lines such as "17", "-0.25": at most 15 digits, no blank, no exponent, ended
 * by LF. Stops at the first other line, and some bytes before the end of the text.
 *
 * @param took  how many bytes these lines are
 * @return how many there were
 */
size_t tch_plain_lines(const char *text, size_t len, double *values, size_t most, size_t *took);

#endif
