/*
 * Finds the members of a case, which is one JSON object, by path.
 */
#ifndef TEST_EVENT_VECTORS_H
#define TEST_EVENT_VECTORS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json_read.h"

/** Finds the raw value at a path such as "input.text" or "expect.lines.0". Returns false when
    there is none. */
bool vector_find(const char *json, size_t len, const char *path, struct tch_json_value *ret);

/** Returns the raw value at a path. Fails the test when there is none. */
struct tch_json_value vector_value(const char *json, size_t len, const char *path);

/** Returns the unescaped string at a path. Its length is strlen() unless ret_len says otherwise.
    The caller frees it. */
char *vector_text(const char *json, size_t len, const char *path, size_t *ret_len);

/** Does the same for a raw value. */
char *vector_unescape(const struct tch_json_value *raw, size_t *ret_len);

/** Returns "expect_preserve_order", "expect_serde_json_145" or "expect": the first that the case
    has. */
const char *vector_expect(const char *json, size_t len);

#endif
