/*
 * Lines of HdrHistogram's logs.
 */
#ifndef TCH_HISTOGRAM_LINE_H
#define TCH_HISTOGRAM_LINE_H

#include "histogram.h"

/** Decodes the last field of a line of a log and adds the binary form of its histogram. */
int tch_histogram_line_bytes(const char *line, size_t len, struct tch_buf *out, tacho_error *err);

#endif
