/*
 * A configuration whose texts may contain any bytes, like strings of JSON.
 */
#ifndef TCH_FINGERPRINT_CONFIG_H
#define TCH_FINGERPRINT_CONFIG_H

#include <tacho/fingerprint.h>

#include "base/buf.h"

enum { TCH_FINGERPRINT_LIMIT = 16 * 1024 * 1024 }; /* limit of a document, in bytes */

enum { TCH_CONFIG_TEXTS = 3 };

struct tch_config {
    const char *text[TCH_CONFIG_TEXTS]; /* model_commit, weights_hash, compiler_flags */
    size_t len[TCH_CONFIG_TEXTS];
    float lambda;
    float eps;
    uint64_t tau;
};

void tch_config_write(struct tch_buf *b, const struct tch_config *config);

/** Passes the text of b to the caller, or returns TACHO_ENOMEM. Releases b. */
int tch_hand_over(struct tch_buf *b, char **ret, size_t *len, tacho_error *err);

#endif
