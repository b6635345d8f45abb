/*
 * The JSON reader's window on a stream. Included by json_read.c only; the public face is
 * tch_json_open_stream() in json_read.h.
 */
#ifndef TCH_JSON_STREAM_H
#define TCH_JSON_STREAM_H

#include "json_read.h"

/** In a stream this many bytes stay unmarked behind the marked ones, so that an escape, a
    literal or a UTF-8 sequence that starts at a mark is in the window as a whole. */
enum { TCH_JSON_LOOKAHEAD = 64 };

/**
 * Gets more of the document into the window; all marks must have been taken. Keeps what is not
 * marked yet and what lies behind r->hold and *moved (NULL: nothing), and updates both.
 * @return false at the end of the document and on failure (then r->status is set)
 */
bool tch_json_refill(struct tch_json_reader *r, const char **moved);

/** Bytes that may be marked now, after a refill where that is needed. 0 at the end. */
size_t tch_json_usable_stream(struct tch_json_reader *r);

static inline size_t tch_json_usable(struct tch_json_reader *r)
{
    return r->source ? tch_json_usable_stream(r) : (size_t)(r->end - r->scanned);
}

/** Fills in line, column and offset of `at`, which is in the window. */
void tch_json_locate(const struct tch_json_reader *r, const char *at, tacho_error *err);

#endif
