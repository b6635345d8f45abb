/*
 * Fills in an error and returns its code in one statement: return tch_fail(err, TACHO_EPARSE, line,
 * "...").
 */
#ifndef TCH_FAIL_H
#define TCH_FAIL_H

#include <tacho/error.h>

/** Fills err, unless it is NULL, and returns code. line is 0 when the failure is not about a
    line. */
int tch_fail(tacho_error *err, int code, uint64_t line, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

enum { TCH_ERROR_TEXT = 80 };

/** Returns the text of an errno, which may be in `room`. */
const char *tch_error_text(int number, char room[TCH_ERROR_TEXT]);

/** Fills err for a failed system call: the sentence, ": " and the text of the errno `number`.
    Returns TACHO_ENOMEM for ENOMEM, TACHO_EIO for every other. */
int tch_fail_errno(tacho_error *err, int number, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/**
 * Fills err, unless it is NULL, with "out of memory".
 *
 * @return TACHO_ENOMEM
 */
int tch_fail_memory(tacho_error *err);

/** Copies a failure into err, unless it is NULL, and returns its code. */
int tch_fail_again(tacho_error *err, const tacho_error *why);

#endif
