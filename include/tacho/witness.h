/*
 * Witness logs: what was decided about which input, in a form that can be proved afterwards.
 *
 *     tacho_witness_open("witness.jsonl", &w, &err);
 *     tacho_tensor_hash(q, n, q_hash); ...
 *     tacho_witness_add(w, &entry, &err);       one a sample
 *     tacho_witness_close(w, &err);
 *
 * An entry is one line of JSON: q_hash, k_hash, keep_mask, cut_cost, lambda, tau, eps, timestamp,
 * and then prev and hash. hash is the SHA-256 of the line's bytes before `,"hash"`, prev is the
 * hash of the line before (64 zeros in the first), so that a line that was changed, left out or
 * moved is found. Closing adds a last line that counts the entries: a log without it may have lost
 * lines at its end. A bundle is a file of several such logs with the configuration and the machine
 * they belong to. docs/witness.md has both formats whole.
 *
 * Nothing here is secret: who can write a file can write a sound one. Keep the last hash elsewhere,
 * and the file can be held against it.
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

/** What a keep_mask may have at most. */
#define TACHO_WITNESS_MASK_MAX 10000000

/** One decision. Written: all borrowed for the call. Read: valid until the next call. */
typedef struct tacho_witness_entry {
    const char *q_hash; /**< of the tensors, as tacho_tensor_hash() gives it; end with a NUL */
    const char *k_hash;
    const uint8_t *keep_mask; /**< a byte an entry, 0 or 1; NULL where keep_count is 0 */
    size_t keep_count;
    float cut_cost; /**< NaN and infinities are written as null, and read as NaN */
    float lambda;
    uint64_t tau;
    float eps;
    uint64_t timestamp; /**< the caller's; seconds since 1970 by convention */
} tacho_witness_entry;

/** The line of an entry without prev and hash, and without a line feed. The caller frees it. */
TACHO_API TACHO_MUST_CHECK int tacho_witness_line(const tacho_witness_entry *entry, char **ret,
                                                  size_t *len, tacho_error *err);

/* ---- writing a log ---- */

/** A log that is being written. One thread at a time. */
typedef struct tacho_witness tacho_witness;

/**
 * Starts a log, in place of the file that is there; folders are made.
 *
 * @return 0, TACHO_ENOMEM, TACHO_EIO
 */
TACHO_API TACHO_MUST_CHECK int tacho_witness_open(const char *path, tacho_witness **ret,
                                                  tacho_error *err);

/**
 * Adds an entry, in one write(2): what was added before a kill is there. A failure is sticky.
 *
 * @return 0, TACHO_ENOMEM, TACHO_EIO, TACHO_ELIMIT when the mask is too long
 */
TACHO_API int tacho_witness_add(tacho_witness *w, const tacho_witness_entry *entry,
                                tacho_error *err);

/**
 * Adds the last line and frees w, which may be NULL. After a failed entry there is no last line.
 *
 * @return 0, or what failed: the log is not closed then
 */
TACHO_API TACHO_MUST_CHECK int tacho_witness_close(tacho_witness *w, tacho_error *err);

/* ---- a bundle ---- */

/** What goes into a bundle. Texts end with a NUL. */
typedef struct tacho_witness_pack {
    const char *config;      /**< a JSON object of the user's; NULL: {} */
    const char *environment; /**< as tacho_environment() gives it; NULL: {} */
    const char *const *logs; /**< paths of closed logs */
    size_t log_count;
} tacho_witness_pack;

/**
 * Writes a bundle, whole or not at all. A log that is not sound is not packed: TACHO_EPARSE. Each
 * log has the name of its file without folder and ".jsonl".
 *
 * @param hash  of the bundle's last line, to be kept elsewhere; may be NULL
 */
TACHO_API TACHO_MUST_CHECK int tacho_witness_pack_write(const char *path,
                                                        const tacho_witness_pack *pack,
                                                        char hash[TACHO_SHA256_TEXT],
                                                        tacho_error *err);

/* ---- reading, which is checking ---- */

/** Reads a log or a bundle line by line; every line is checked before it is given. */
typedef struct tacho_witness_reader tacho_witness_reader;

TACHO_API TACHO_MUST_CHECK int
tacho_witness_reader_open(const char *path, tacho_witness_reader **ret, tacho_error *err);

/** The same from memory, which is borrowed until the reader is closed. */
TACHO_API TACHO_MUST_CHECK int tacho_witness_reader_open_mem(const char *data, size_t len,
                                                             tacho_witness_reader **ret,
                                                             tacho_error *err);

/** Accepts NULL. */
TACHO_API void tacho_witness_reader_close(tacho_witness_reader *r);

/**
 * The next entry.
 *
 * @return 1; 0 at the end, of a log that is not closed too: see tacho_witness_info; TACHO_EPARSE
 *         where a line is not sound, err->line being the first that is not, and then always;
 *         TACHO_EIO, TACHO_ENOMEM
 */
TACHO_API TACHO_MUST_CHECK int tacho_witness_next(tacho_witness_reader *r, tacho_witness_entry *ret,
                                                  tacho_error *err);

/** What is known of the file so far; all of it once tacho_witness_next() returned 0. */
typedef struct tacho_witness_info {
    bool bundle;
    bool closed;        /**< its last line was there */
    uint64_t logs;      /**< of a bundle */
    uint64_t entries;   /**< of all logs */
    uint64_t line;      /**< of the entry given last */
    const char *hash;   /**< of the line read last */
    const char *config; /**< of a bundle: canonical JSON; NULL in a log, as are the next */
    const char *config_hash;
    const char *environment;
    const char *environment_hash;
    const char *log; /**< of the log that ended last */
} tacho_witness_info;

/** Texts are valid until the next call for r. */
TACHO_API void tacho_witness_info_get(const tacho_witness_reader *r, tacho_witness_info *ret);

TACHO_END_DECLS

#endif
