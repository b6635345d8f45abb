/*
 * Lines that prove each other: JSON objects of which each ends with the hash of the line before and
 * with its own.
 *
 *     {..., "prev":"<hash of the line before>","hash":"<SHA-256 of all bytes before ,"hash">"}
 *
 * What the objects say is others' business: entries of a log, logs of a bundle, files of a seal.
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

/** b holds, from `start` on, an object without its closing brace: it gets prev, hash, the brace and
    a line feed, and is the chain's last line then. */
void tch_chain_add(struct tch_chain *c, struct tch_buf *b, size_t start);

/** Is this the next line of the chain? 0, or TACHO_EPARSE with the line and what is wrong. */
int tch_chain_check(struct tch_chain *c, const struct tch_line *line, tacho_error *err);

#endif
