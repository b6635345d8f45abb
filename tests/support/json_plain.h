/*
 * A JSON validator as simple as possible, byte by byte, to compare the real reader with.
 */
#ifndef TEST_SUPPORT_JSON_PLAIN_H
#define TEST_SUPPORT_JSON_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

/** Returns whether data is one valid JSON document, nested at most max_depth deep. */
bool test_json_plain(const char *data, size_t len, unsigned max_depth);

#endif
