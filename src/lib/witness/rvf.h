/*
 * RVF, RuVector's binary format, as far as witness bundles need it. docs/witness.md has the layout.
 *
 * A file is a sequence of segments: a header of 64 bytes, the payload, zeros up to a multiple of
 * 64 bytes. The payload of a witness segment is a chain of entries of 73 bytes: the SHAKE-256 of
 * the entry before (zeros in the first), the hash of what was done, nanoseconds, a type.
 */
#ifndef TCH_RVF_H
#define TCH_RVF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/lines.h"
#include "base/sha256.h"
#include "base/shake256.h"

enum {
    TCH_RVF_HEADER = 64,
    TCH_RVF_HASH = 16,      /* of a payload: the first bytes of its SHAKE-256 */
    TCH_RVF_ENTRY = 73,     /* of a witness segment */
    TCH_RVF_LINK = 32,      /* bytes of an entry's SHAKE-256 */
    TCH_RVF_META = 0x07,    /* types of segments */
    TCH_RVF_WITNESS = 0x0A, /* ... */
};

/** Says whether the first bytes of a file, four if it has as many, are those of RVF. */
bool tch_rvf_is(const void *data, size_t len);

/* ---- writing ---- */

/** Writes the header of a segment: not compressed, flags and time 0, SHAKE-256. */
void tch_rvf_header(uint8_t out[TCH_RVF_HEADER], uint8_t type, uint64_t id, uint64_t length,
                    const uint8_t hash[TCH_RVF_HASH]);

/** Returns the number of zeros after a payload. */
size_t tch_rvf_padding(uint64_t length);

/** The link to the entry before; starts as zeros. */
struct tch_rvf_chain {
    uint8_t link[TCH_RVF_LINK];
};

/** Writes the next entry of the chain, of type "computation". `action` has 64 digits. */
void tch_rvf_entry(struct tch_rvf_chain *c, const char *action, uint64_t time_ns,
                   uint8_t out[TCH_RVF_ENTRY]);

/** Says whether this entry follows in the chain, and steps over it. */
bool tch_rvf_follows(struct tch_rvf_chain *c, const uint8_t entry[TCH_RVF_ENTRY]);

/* ---- reading ---- */

/** Reads segments one after the other. Failures name no segment: that is `number`. */
struct tch_rvf_reader {
    tch_lines_source *source; /**< of the file's bytes */
    void *ctx;
    uint64_t number;    /**< of the segment, from 1 */
    uint64_t left;      /**< bytes of the payload that were not read */
    uint64_t length;    /**< of the payload */
    uint64_t unchecked; /**< segments with a checksum other than SHAKE-256 */
    uint8_t header[TCH_RVF_HEADER];
    uint8_t type;
    bool open;   /**< in a segment */
    bool strict; /**< headers must be as tch_rvf_header() writes them */
    struct tch_shake256 hash;
    uint8_t held[64]; /**< bytes that tch_rvf_peek() has read */
    size_t held_len;
    size_t held_at;
};

/** ctx is borrowed. */
void tch_rvf_init(struct tch_rvf_reader *r, tch_lines_source *source, void *ctx);

/** Steps to the next segment, after the checksum and padding of the one before were checked.
    Returns 1, 0 at the end, TACHO_EPARSE, TACHO_EUNSUPPORTED, or the failure of the source. */
int tch_rvf_next(struct tch_rvf_reader *r, tacho_error *err);

/** From this segment on, headers must be as tch_rvf_header() writes them. 0, TACHO_EPARSE. */
int tch_rvf_be_strict(struct tch_rvf_reader *r, tacho_error *err);

/** Reads from the payload of this segment; r is a struct tch_rvf_reader. 0 at its end. */
tch_lines_source tch_rvf_read;

/** Says whether the payload starts with `text`, of at most 64 bytes, without reading it. Returns 1,
    0 or a failure. */
int tch_rvf_starts_with(struct tch_rvf_reader *r, const char *text, tacho_error *err);

#endif
