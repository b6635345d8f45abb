/*
 * UTF-8, as RFC 3629 has it: no overlong forms, no surrogates, nothing past U+10FFFF.
 */
#ifndef TCH_UTF8_H
#define TCH_UTF8_H

#include <stddef.h>
#include <stdint.h>

/** Bytes (1 to 4) of the character that starts at text, or 0 where there is none. len >= 1. */
size_t tch_utf8_step(const char *text, size_t len);

/** Bytes from the start of text that are valid; len when all of it is. */
size_t tch_utf8_valid(const char *text, size_t len);

/** Writes the code point (not a surrogate, at most U+10FFFF) to out; returns 1 to 4. */
size_t tch_utf8_put(char out[4], uint32_t code);

#endif
