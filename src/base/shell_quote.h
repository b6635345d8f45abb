/*
 * Quotes words so that a shell reads them back unchanged.
 */
#ifndef TCH_SHELL_QUOTE_H
#define TCH_SHELL_QUOTE_H

#include "buf.h"

/** Adds a word, in single quotes if a shell would otherwise change or split it. */
void tch_shell_quote(struct tch_buf *b, const char *word);

#endif
