/*
 * RVF, RuVector's binary format, as far as witness bundles need it. docs/witness.md has the layout.
 *
 * A file is a sequence of segments. A segment is a header of 64 bytes, the payload, and zeros up to
 * a multiple of 64 bytes. The payload of a witness segment is a chain of entries of 73 bytes each:
 * the SHAKE-256 of the entry before (zeros in the first), the hash of the recorded action, a time
 * in nanoseconds, and a type.
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
    TCH_RVF_HASH = 16,      /* bytes of a payload's SHAKE-256 in the header */
    TCH_RVF_ENTRY = 73,     /* bytes of an entry of a witness segment */
    TCH_RVF_LINK = 32,      /* bytes of an entry's SHAKE-256 in the next entry */
    TCH_RVF_META = 0x07,    /* type of a segment of JSON lines */
    TCH_RVF_WITNESS = 0x0A, /* type of a segment of entries */
};

/** Returns whether the data starts like an RVF file. It must have the first four bytes of the
    file, or all of a shorter file. */
bool tch_rvf_is(const void *data, size_t len);

/* ---- writing ---- */

/** Writes the header of a segment that is not compressed, with flags and time 0 and a SHAKE-256
    checksum. */
void tch_rvf_header(uint8_t out[TCH_RVF_HEADER], uint8_t type, uint64_t id, uint64_t length,
                    const uint8_t hash[TCH_RVF_HASH]);

/** Returns the number of zeros after a payload. */
size_t tch_rvf_padding(uint64_t length);

/** The hash of the entry before, which the next entry contains. It starts as zeros. */
struct tch_rvf_chain {
    uint8_t link[TCH_RVF_LINK];
};

/** Writes the next entry of the chain, of type "computation". `action` is a hash of 64
    hexadecimal digits. */
void tch_rvf_entry(struct tch_rvf_chain *c, const char *action, uint64_t time_ns,
                   uint8_t out[TCH_RVF_ENTRY]);

/** Returns whether this entry is the next of the chain, and advances the chain past it. */
bool tch_rvf_follows(struct tch_rvf_chain *c, const uint8_t entry[TCH_RVF_ENTRY]);

/* ---- reading ---- */

/** Reads segments one after the other. Messages of failures do not name the segment; `number`
    does. */
struct tch_rvf_reader {
    tch_lines_source *source; /**< reads the bytes of the file */
    void *ctx;
    uint64_t number;    /**< number of the segment, from 1 */
    uint64_t left;      /**< bytes of the payload that are not read yet */
    uint64_t length;    /**< bytes of the payload */
    uint64_t unchecked; /**< segments with a checksum other than SHAKE-256 */
    uint8_t header[TCH_RVF_HEADER];
    uint8_t type;
    bool open;   /**< the reader is inside a segment */
    bool strict; /**< headers must be as tch_rvf_header() writes them */
    struct tch_shake256 hash;
    uint8_t held[64]; /**< bytes of the payload that were read in advance */
    size_t held_len;
    size_t held_at;
};

/** Prepares a reader. ctx is borrowed and passed to source. */
void tch_rvf_init(struct tch_rvf_reader *r, tch_lines_source *source, void *ctx);

/** Checks the checksum and padding of the current segment and steps to the next one. Returns 1,
    0 at the end, TACHO_EPARSE, TACHO_EUNSUPPORTED, or the failure of the source. */
int tch_rvf_next(struct tch_rvf_reader *r, tacho_error *err);

/** Requires that the headers of this and all later segments are as tch_rvf_header() writes them.
    Returns 0 or TACHO_EPARSE. */
int tch_rvf_be_strict(struct tch_rvf_reader *r, tacho_error *err);

/** Reads from the payload of this segment; ctx is a struct tch_rvf_reader. Returns 0 at its end. */
tch_lines_source tch_rvf_read;

/** Returns whether the payload starts with `text`, of at most 64 bytes: 1, 0 or a failure. The
    bytes stay unread. */
int tch_rvf_starts_with(struct tch_rvf_reader *r, const char *text, tacho_error *err);

#endif
