/*
 * Chained lines: JSON objects that end with the hash of the line before and with their own hash, so
 * that no line can be changed, added or removed unnoticed.
 *
 *     {..., "prev":"<hash of the line before>","hash":"<SHA-256 of all bytes before ,"hash">"}
 *
 * The objects are entries of a log, logs of a bundle, or files of a seal.
 */
#ifndef TCH_WITNESS_CHAIN_H
#define TCH_WITNESS_CHAIN_H

#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "base/lines.h"
#include "base/sha256.h"

struct tch_chain {
    char last[TCH_SHA256_HEX]; /**< hash of the line before; 64 zeros at the start */
};

void tch_chain_init(struct tch_chain *c);

/** Adds prev, hash, the closing brace and a line feed to the object that starts at `start` in b.
    The object becomes the last line of the chain. */
void tch_chain_add(struct tch_chain *c, struct tch_buf *b, size_t start);

/** Checks that this is the next line of the chain. Returns 0, or TACHO_EPARSE with the line
    number and the reason. */
int tch_chain_check(struct tch_chain *c, const struct tch_line *line, tacho_error *err);

#endif
