/*
 * Reads a text in every way that the JSON reader has: by each scanner of this CPU, from memory and
 * as a stream in pieces. All must give the same result.
 */
#ifndef TEST_SUPPORT_JSON_WAYS_H
#define TEST_SUPPORT_JSON_WAYS_H

#include "base/json_read.h"

/** A source that returns `len` bytes in pieces of `piece`. */
struct test_pieces {
    const char *data;
    size_t len;
    size_t piece;
};

ssize_t test_pieces_read(void *ctx, char *buf, size_t size);

/** Reads the text in every way. Returns the status of the first way, and whether all ways agree on
    it, on the place of the error and, for a valid text, on every value. */
int test_json_every_way(const char *data, size_t len, tacho_error *err, bool *agree);

/** Reads like test_json_every_way(), but with only one of the streams, chosen by a number. For
    callers that try many texts. */
int test_json_some_ways(const char *data, size_t len, unsigned pick, tacho_error *err, bool *agree);

#endif
