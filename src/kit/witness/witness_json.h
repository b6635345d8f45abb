/*
 * The documents that `tacho witness` prints with --json.
 */
#ifndef TCH_WITNESS_JSON_H
#define TCH_WITNESS_JSON_H

#include <tacho/witness.h>

#include "base/buf.h"
#include "witness_compare.h"

/** Returns whether both files have the same entries. */
bool tch_witness_same(const struct tch_witness_comparison *c);

/** Adds tacho.witness.compare.v1 and a line feed. */
void tch_witness_comparison_json(struct tch_buf *b, const struct tch_witness_comparison *c,
                                 char *const *paths);

/** Counts the edges that an entry keeps. */
size_t tch_witness_kept(const tacho_witness_entry *e);

/** Returns "log", "bundle" or "rvf". */
const char *tch_witness_kind_name(enum tacho_witness_kind kind);

/** Adds one element of "entries": the entry that r has read last. */
void tch_witness_entry_json(struct tch_buf *b, const tacho_witness_entry *e,
                            const tacho_witness_reader *r);

/** Adds tacho.witness.show.v1 and a line feed. r was read to its end; entries is a JSON array. */
void tch_witness_show_json(struct tch_buf *b, const char *path, const tacho_witness_reader *r,
                           const struct tch_buf *entries);

/** The result of checking one file or folder. */
struct tch_witness_finding {
    const char *path;
    const char *kind;   /* "log", "bundle", "rvf", "seal" */
    uint64_t segments;  /* of an RVF file: their number, or the number of the invalid one */
    uint64_t unchecked; /* segments whose checksum is not SHAKE-256 */
    uint64_t logs;
    uint64_t entries; /* for a seal: number of files */
    uint64_t bytes;   /* for a seal: size of all files */
    bool closed;
    const char *hash;
    const char *why; /* NULL: it is valid */
    uint64_t line;   /* the invalid line; 0: the fault is not in a line */
};

/* Write tacho.witness.verify.v1: the begin, the findings, then the end with the number of bad
   ones. */
void tch_witness_verify_json_begin(struct tch_buf *b);
void tch_witness_finding_json(struct tch_buf *b, const struct tch_witness_finding *f);
void tch_witness_verify_json_end(struct tch_buf *b, uint64_t bad);

#endif
