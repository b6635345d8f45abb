/*
 * Text as columns of a terminal: wide and combining characters, cutting, wrapping.
 */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/** Columns that the character takes: 0, 1 or 2. */
size_t cli_code_width(uint32_t code);

/** Columns that text takes; a byte that is not UTF-8 takes one. */
size_t cli_text_width(const char *text, size_t len);

/** Bytes of the longest start of text that fits in columns; never half a character, and never
    a letter without the accents that combine with it. */
size_t cli_text_fit(const char *text, size_t len, size_t columns);

/** Bytes of the first line of text wrapped to columns, without blanks at its end; *next is where
    the second starts. A word longer than a line is cut. */
size_t cli_text_line(const char *text, size_t len, size_t columns, size_t *next);

/** text cut to columns, with an ellipsis where something is missing. */
void cli_add_cut(struct tch_buf *b, const char *text, size_t len, size_t columns, bool utf8);

/** text wrapped to width, each line indented; line feeds in it start a new line. */
void cli_add_wrapped(struct tch_buf *b, const char *text, size_t indent, size_t width);

/** Safe to show: control characters and bytes that are not UTF-8 become '?', and without utf8
    each character that is not ASCII too. */
void cli_add_clean(struct tch_buf *b, const char *text, bool utf8);

void cli_add_blanks(struct tch_buf *b, size_t count);

#endif
