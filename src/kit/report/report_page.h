/*
 * The frame of report.html: its style and its script are put into the program by the build.
 */
#ifndef TCH_REPORT_PAGE_H
#define TCH_REPORT_PAGE_H

#include <stddef.h>

#include "base/buf.h"

/** A page up to its content, and from there on; `from`: what it was made of. */
void tch_page_open(struct tch_buf *b, const char *title);
void tch_page_close(struct tch_buf *b, const char *from);

extern const char tch_report_css[];
extern const size_t tch_report_css_len;
extern const char tch_report_js[];
extern const size_t tch_report_js_len;

#endif
