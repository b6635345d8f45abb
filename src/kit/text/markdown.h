/*
 * Text in Markdown, as GitHub shows it.
 */
#ifndef TCH_MARKDOWN_H
#define TCH_MARKDOWN_H

#include "base/buf.h"

/** Adds text that Markdown shows unchanged, even in a cell of a table. It becomes no markup, HTML,
    link or mention (@name), and it stays on one line. */
void tch_add_md_text(struct tch_buf *b, const char *text);

/** Adds text as a code span, even if it contains backticks. */
void tch_add_md_code(struct tch_buf *b, const char *text);

#endif
