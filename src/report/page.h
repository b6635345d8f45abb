/*
 * The style and the script of report.html, put into the program by the build.
 */
#ifndef TCH_REPORT_PAGE_H
#define TCH_REPORT_PAGE_H

#include <stddef.h>

extern const char tch_report_css[];
extern const size_t tch_report_css_len;
extern const char tch_report_js[];
extern const size_t tch_report_js_len;

#endif
