/*
 * The quick way through lines that hold a short number each and nothing else.
 */
#ifndef TCH_PLAIN_LINES_H
#define TCH_PLAIN_LINES_H

#include <stddef.h>

/**
 * Reads up to `most` lines such as "17", "-0.25": no more than 15 digits, no blank, no exponent,
 * ended by LF. Stops at the first that is another, and some bytes before the end of the text.
 *
 * @param took  how many bytes these lines are
 * @return how many there were
 */
size_t tch_plain_lines(const char *text, size_t len, double *values, size_t most, size_t *took);

#endif
