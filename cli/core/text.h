/*
 * Fits text into columns of a terminal: wide and combining characters, truncating, wrapping.
 */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/** Returns the columns that a character takes: 0, 1 or 2. */
size_t cli_code_width(uint32_t code);

/** Returns the columns that text takes. A byte that is not UTF-8 takes one. */
size_t cli_text_width(const char *text, size_t len);

/** Returns the number of bytes of the longest start of text that fits into columns. It never ends
    inside a character or between a letter and its combining accents. */
size_t cli_text_fit(const char *text, size_t len, size_t columns);

/** Returns the number of bytes of the first line of text wrapped to columns, without trailing
    blanks. *next is the start of the second line. A word longer than a line is split. */
size_t cli_text_line(const char *text, size_t len, size_t columns, size_t *next);

/** Adds text truncated to columns, with an ellipsis if something is missing. */
void cli_add_cut(struct tch_buf *b, const char *text, size_t len, size_t columns, bool utf8);

/** Adds text wrapped to width, each line indented. Line feeds in the text start a new line. */
void cli_add_wrapped(struct tch_buf *b, const char *text, size_t indent, size_t width);

/** Adds text that is safe to display: control characters and bytes that are not UTF-8 become '?';
    without utf8 also all characters that are not ASCII. */
void cli_add_clean(struct tch_buf *b, const char *text, bool utf8);

void cli_add_blanks(struct tch_buf *b, size_t count);

#endif
