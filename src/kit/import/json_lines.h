/*
 * Reads a file of JSON lines, among which other lines may be.
 */
#ifndef TCH_JSON_LINES_H
#define TCH_JSON_LINES_H

#include "import_read.h"

/** Calls `document` for each line that is a JSON object. A line that begins like one and is broken
    becomes a problem. */
void tch_import_json_lines(struct tch_import_input *in,
                           void (*document)(struct tch_import_input *in,
                                            const struct tch_json_node *root, void *ctx),
                           void *ctx);

#endif
