/*
 * One entry as text and back; prev and hash are the chain's.
 */
#ifndef TCH_WITNESS_ENTRY_H
#define TCH_WITNESS_ENTRY_H

#include <tacho/witness.h>

#include "base/buf.h"
#include "base/lines.h"

/* The longest mask and what stands around it fit a line. */
enum { TCH_WITNESS_LINE_MAX = 64 << 20 };

/** Adds the object without its closing brace. TACHO_ELIMIT for a mask that is too long. */
int tch_witness_entry_add(struct tch_buf *b, const tacho_witness_entry *entry, tacho_error *err);

/** What an entry that was read points to; use it again for the next. */
struct tch_witness_room {
    struct tch_buf mask;
    struct tch_buf texts;
    struct tch_buf rest; /**< the line without its mask */
};

/** Reads the entry of a line. 0, TACHO_ENOMEM, TACHO_EPARSE. */
int tch_witness_entry_read(const struct tch_line *line, struct tch_witness_room *room,
                           tacho_witness_entry *ret, tacho_error *err);

#endif
