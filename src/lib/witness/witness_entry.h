/*
 * Writes and reads an entry of a witness log. witness_chain.h handles its members prev and hash.
 */
#ifndef TCH_WITNESS_ENTRY_H
#define TCH_WITNESS_ENTRY_H

#include <tacho/witness.h>

#include "base/buf.h"
#include "base/lines.h"

/* Limit of a line, in bytes. A line with the longest mask fits. */
enum { TCH_WITNESS_LINE_MAX = 64 << 20 };

/** Adds the object without its closing brace. Returns TACHO_ELIMIT for a mask that is too long. */
int tch_witness_entry_add(struct tch_buf *b, const tacho_witness_entry *entry, tacho_error *err);

/** The memory that an entry points to. It can be reused for the next entry. */
struct tch_witness_room {
    struct tch_buf mask;
    struct tch_buf texts;
    struct tch_buf rest; /**< the line without its mask */
};

/** Reads the entry of a line. Returns 0, TACHO_ENOMEM or TACHO_EPARSE. */
int tch_witness_entry_read(const struct tch_line *line, struct tch_witness_room *room,
                           tacho_witness_entry *ret, tacho_error *err);

#endif
