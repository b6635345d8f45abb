/*
 * Every way the JSON reader can be made to read a text: each scanner this CPU has, from memory
 * and as a stream that comes in pieces. All must say the same.
 */
#ifndef TEST_SUPPORT_JSON_WAYS_H
#define TEST_SUPPORT_JSON_WAYS_H

#include "base/json_read.h"

/** A source that hands out `len` bytes in pieces of `piece`. */
struct test_pieces {
    const char *data;
    size_t len;
    size_t piece;
};

ssize_t test_pieces_read(void *ctx, char *buf, size_t size);

/** Reads the text in every way; returns what the first one said, and whether all agree on
    that, on the place of the error and, for a sound one, on every value pulled. */
int test_json_every_way(const char *data, size_t len, tacho_error *err, bool *agree);

/** The same with only one of the streams, which a number picks: for who tries many texts. */
int test_json_some_ways(const char *data, size_t len, unsigned pick, tacho_error *err, bool *agree);

#endif
