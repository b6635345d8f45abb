/*
 * The documents that `tacho fingerprint` prints with --json.
 */
#ifndef TCH_FINGERPRINT_JSON_H
#define TCH_FINGERPRINT_JSON_H

#include "base/buf.h"

/** Adds tacho.fingerprint.v1. document is the JSON that was hashed, or NULL if that was not
    JSON. */
void tch_fingerprint_json(struct tch_buf *b, const char *kind, const char *hash,
                          const char *document, size_t len);

/** Adds one element of the differences. x and y are JSON, or NULL if that document lacks the
    path. */
void tch_fingerprint_difference_json(struct tch_buf *b, const char *path, const char *x,
                                     const char *y);

/** Adds tacho.fingerprint.diff.v1 and a line feed. */
void tch_fingerprint_diff_json(struct tch_buf *b, const struct tch_buf *differences);

/** Adds tacho.fingerprint.env.v1 and a line feed. document is that of tacho_environment(). */
void tch_fingerprint_env_json(struct tch_buf *b, const char *document, size_t len,
                              const char *machine_class);

#endif
