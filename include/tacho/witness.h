/*
 * Witness logs: records of decisions in a form that can be verified later.
 *
 *     tacho_witness_open("witness.jsonl", &w, &err);
 *     tacho_tensor_hash(q, n, q_hash); ...
 *     tacho_witness_add(w, &entry, &err);       once per sample
 *     tacho_witness_close(w, &err);
 *
 * An entry is one line of JSON: q_hash, k_hash, keep_mask, cut_cost, lambda, tau, eps, timestamp,
 * and then prev and hash. hash is the SHA-256 of the line's bytes before `,"hash"`, prev is the
 * hash of the line before (64 zeros in the first), so that a line that was changed, left out or
 * moved is detected. Closing adds a last line that counts the entries: a log without it may have
 * lost lines at its end. A bundle is a file of several such logs with their configuration and
 * machine, in RuVector's binary format RVF. docs/witness.md describes both formats.
 *
 * Nothing here is secret: anyone who can write a file can write a valid one. Keep the last hash
 * elsewhere to verify the file against it.
 */
#ifndef TACHO_WITNESS_H
#define TACHO_WITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api.h"
#include "error.h"
#include "fingerprint.h"

TACHO_BEGIN_DECLS

/** Limit of the number of values in a keep_mask. */
#define TACHO_WITNESS_MASK_MAX 10000000

/** A decision. When written, its texts are borrowed for the call; when read, they are valid until
    the next call. */
typedef struct tacho_witness_entry {
    const char *q_hash; /**< hash of the tensors, by tacho_tensor_hash(); terminated by NUL */
    const char *k_hash;
    const uint8_t *keep_mask; /**< one byte per value, 0 or 1; NULL when keep_count is 0 */
    size_t keep_count;
    float cut_cost; /**< NaN and infinities are written as null, and read as NaN */
    float lambda;
    uint64_t tau;
    float eps;
    uint64_t timestamp; /**< set by the caller; seconds since 1970 by convention */
} tacho_witness_entry;

/**
 * Writes the line of an entry without prev, hash and line feed, for a program that checks or keeps
 * such lines itself.
 *
 * @param ret      set on success only, terminated by NUL; the caller frees it with free()
 * @param ret_len  bytes without the NUL; may be NULL
 * @return 0, TACHO_ENOMEM, TACHO_ELIMIT when the mask is too long
 */
TACHO_API TACHO_MUST_CHECK int tacho_witness_line(const tacho_witness_entry *entry, char **ret,
                                                  size_t *ret_len, tacho_error *err);

/* ---- writing a log ---- */

/** A log that is being written. One thread at a time. */
typedef struct tacho_witness tacho_witness;

/**
 * Starts a log, which replaces an existing file. Missing folders are made.
 *
 * @return 0, TACHO_ENOMEM, TACHO_EIO
 */
TACHO_API TACHO_MUST_CHECK int tacho_witness_open(const char *path, tacho_witness **ret,
                                                  tacho_error *err);

/**
 * Adds an entry by one write(2), so that a kill loses no entry. After a failure, every later call
 * returns the same failure.
 *
 * @return 0, TACHO_ENOMEM, TACHO_EIO, TACHO_ELIMIT when the mask is too long
 */
TACHO_API int tacho_witness_add(tacho_witness *w, const tacho_witness_entry *entry,
                                tacho_error *err);

/**
 * Adds the last line and frees w, which may be NULL. If an entry failed, no last line is written.
 *
 * @return 0, or the first failure; the log then lacks its last line
 */
TACHO_API TACHO_MUST_CHECK int tacho_witness_close(tacho_witness *w, tacho_error *err);

/* ---- a bundle ---- */

/** The parts of a bundle. Texts are terminated by NUL. Start with TACHO_WITNESS_PACK_INIT. */
typedef struct tacho_witness_pack {
    size_t size;             /**< set by TACHO_WITNESS_PACK_INIT */
    const char *config;      /**< a JSON object of the user; NULL: {} */
    const char *environment; /**< from tacho_environment(); NULL: {} */
    const char *const *logs; /**< paths of closed logs */
    size_t log_count;
} tacho_witness_pack;

#define TACHO_WITNESS_PACK_INIT                         \
    {                                                   \
        sizeof(tacho_witness_pack), NULL, NULL, NULL, 0 \
    }

/**
 * Writes a bundle as an RVF file, complete or not at all. Returns TACHO_EPARSE for a log that is
 * not valid, and TACHO_EUNSUPPORTED for a path that is not a regular file. Each log is named after
 * its file, without the folder and ".jsonl".
 *
 * @param hash  set to the hash of the bundle's last line, to be kept elsewhere; may be NULL
 */
TACHO_API TACHO_MUST_CHECK int tacho_witness_pack_write(const char *path,
                                                        const tacho_witness_pack *pack,
                                                        char hash[TACHO_SHA256_TEXT],
                                                        tacho_error *err);

/* ---- reading and checking ---- */

/** Reads a log, a bundle or an RVF file and checks every line and every segment. */
typedef struct tacho_witness_reader tacho_witness_reader;

/** Opens a reader of a file. The caller closes it. Returns 0, TACHO_EIO, TACHO_ENOMEM. */
TACHO_API TACHO_MUST_CHECK int
tacho_witness_reader_open(const char *path, tacho_witness_reader **ret, tacho_error *err);

/** Opens a reader of memory, which is borrowed until the reader is closed. */
TACHO_API TACHO_MUST_CHECK int tacho_witness_reader_open_mem(const char *data, size_t len,
                                                             tacho_witness_reader **ret,
                                                             tacho_error *err);

/** Closes the reader. Accepts NULL. */
TACHO_API void tacho_witness_reader_close(tacho_witness_reader *r);

/**
 * Reads the next entry.
 *
 * @return 1; 0 at the end, also of a log that is not closed; TACHO_EPARSE
 * for an invalid line, with its number in err->line, or for an invalid segment, which err->message
 * names, and from then on at every call; TACHO_EUNSUPPORTED for an RVF file with signed segments or
 * compressed witness segments; TACHO_EIO, TACHO_ENOMEM
 */
TACHO_API TACHO_MUST_CHECK int tacho_witness_next(tacho_witness_reader *r, tacho_witness_entry *ret,
                                                  tacho_error *err);

/** The kind of a file. Values are stable. */
enum tacho_witness_kind {
    TACHO_WITNESS_LOG = 1,
    TACHO_WITNESS_BUNDLE = 2,
    TACHO_WITNESS_RVF = 3 /**< an RVF file of another program: its witness segments are checked and
                             counted, and tacho_witness_next() returns no entries */
};

/* The following functions describe the file as far as it was read. They are final once
   tacho_witness_next() has returned 0. Texts are valid until the next call of tacho_witness_next()
   for r. */

/** Returns the kind of the file. */
TACHO_API enum tacho_witness_kind tacho_witness_reader_kind(const tacho_witness_reader *r);

/** Returns whether the last line was read. A log that was not closed may have lost lines at its
    end. */
TACHO_API bool tacho_witness_reader_is_closed(const tacho_witness_reader *r);

/** Returns the number of logs: 1 for a log; for TACHO_WITNESS_RVF the number of witness
    segments. */
TACHO_API uint64_t tacho_witness_reader_log_count(const tacho_witness_reader *r);

/** Returns the number of entries of all logs. */
TACHO_API uint64_t tacho_witness_reader_entry_count(const tacho_witness_reader *r);

/** Returns the line of the last entry in its log; in a bundle of lines, which earlier versions
   wrote, its line in the file. */
TACHO_API uint64_t tacho_witness_reader_line(const tacho_witness_reader *r);

/** Returns the segment of an RVF file that is being read, from 1; 0 for other files. */
TACHO_API uint64_t tacho_witness_reader_segment(const tacho_witness_reader *r);

/** Returns the number of segments whose checksum is not SHAKE-256 and was not checked. */
TACHO_API uint64_t tacho_witness_reader_unchecked(const tacho_witness_reader *r);

/** Returns the hash of the last line, or of the last entry of TACHO_WITNESS_RVF; "" before. */
TACHO_API const char *tacho_witness_reader_hash(const tacho_witness_reader *r);

/** Returns the name of the log that is being read; NULL unless the file is a bundle. In a bundle of
    lines, which earlier versions wrote, it is the name of the log before. */
TACHO_API const char *tacho_witness_reader_log_name(const tacho_witness_reader *r);

/** Return the canonical JSON of a bundle's configuration and environment, and its hash; NULL unless
    the file is a bundle. */
TACHO_API const char *tacho_witness_reader_config(const tacho_witness_reader *r);
TACHO_API const char *tacho_witness_reader_config_hash(const tacho_witness_reader *r);
TACHO_API const char *tacho_witness_reader_environment(const tacho_witness_reader *r);
TACHO_API const char *tacho_witness_reader_environment_hash(const tacho_witness_reader *r);

TACHO_END_DECLS

#endif
