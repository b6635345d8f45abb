/*
 * UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing beyond U+10FFFF.
 */
#ifndef TCH_UTF8_H
#define TCH_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

/** U+FFFD, shown in place of what cannot be shown. */
#define TCH_UTF8_REPLACEMENT      0xFFFDu
#define TCH_UTF8_REPLACEMENT_TEXT "\xEF\xBF\xBD"

/** Returns the bytes (1 to 4) of the character that starts at text, or 0 when it is invalid. len >=
    1. */
size_t tch_utf8_step(const char *text, size_t len);

/** Returns how many bytes from the start of text are valid; len when all of them are. */
size_t tch_utf8_valid(const char *text, size_t len);

/** Writes the code point (not a surrogate, at most U+10FFFF) to out; returns 1 to 4. */
size_t tch_utf8_put(char out[4], uint32_t code);

/** Reads the character that starts at text. Returns its bytes (1 to 4), or 0 when it is invalid.
    len >= 1. */
size_t tch_utf8_decode(const char *text, size_t len, uint32_t *code);

/** Returns whether people may be shown a character: not a control except tab, U+2028, U+2029, a
   code point that is not a character, or one that changes the direction of writing, which would let
   a name look like another. */
bool tch_utf8_is_shown(uint32_t code);

/** Reads a character to show to people, like tch_utf8_decode(). *code is U+FFFD for a byte that is
    not UTF-8, and for characters that tch_utf8_is_shown() refuses. Returns 1 to 4. */
size_t tch_utf8_shown(const char *text, size_t len, uint32_t *code);

/** Adds text; each byte that is not part of valid UTF-8 becomes U+FFFD. */
void tch_utf8_add(struct tch_buf *b, const char *text, size_t len);

/** Returns whether c is a byte of a multi-byte character, and not its first. */
static inline bool tch_utf8_is_tail(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

/** Returns whether c is a blank of text files and of JSON: a space, tab, CR or LF. */
static inline bool tch_is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/** Returns the bytes of white space at the start of text. White space has Unicode's property
    White_Space: U+00A0 is, U+200B and the byte order mark are not. */
size_t tch_utf8_white_space(const char *text, size_t len);

/** Returns whether c is a visible ASCII character. A fast first test where white space may be. */
static inline bool tch_utf8_is_graphic(char c)
{
    return c > ' ' && c < 0x7F;
}

/** Returns whether c is an ASCII control character. */
static inline bool tch_utf8_is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7F;
}

/** Returns whether text is empty, or white space alone. */
static inline bool tch_utf8_is_blank(const char *text, size_t len)
{
    return len == 0 || (!tch_utf8_is_graphic(text[0]) && tch_utf8_white_space(text, len) == len);
}

/** Removes the white space at both ends. */
void tch_utf8_trim(const char **text, size_t *len);

#endif
