/*
 * A JSON validator as plain as can be, byte by byte, to hold the real reader against.
 */
#ifndef TEST_SUPPORT_JSON_PLAIN_H
#define TEST_SUPPORT_JSON_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

/** Is data one sound JSON document, nested at most max_depth deep? */
bool test_json_plain(const char *data, size_t len, unsigned max_depth);

#endif
