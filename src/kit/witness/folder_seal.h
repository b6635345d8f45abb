/*
 * The seal of a folder: the file seal.jsonl, which lists every other file with its size and SHA-256
 * in chained lines. It also lists links and empty folders. A check finds everything that was
 * changed, added or removed after the folder was sealed.
 */
#ifndef TCH_FOLDER_SEAL_H
#define TCH_FOLDER_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/sha256.h"

#define TCH_SEAL_FILE "seal.jsonl"

struct tch_seal_info {
    uint64_t files;
    uint64_t bytes;            /**< size of all files */
    char hash[TCH_SHA256_HEX]; /**< hash of the seal's last line */
};

/** Seals a folder. Replaces an older seal. Returns 0, TACHO_EIO, TACHO_ENOMEM, TACHO_ELIMIT, or
    TACHO_EINVAL if the folder contains something without content, such as a FIFO. */
int tch_seal_write(const char *folder, struct tch_seal_info *ret, tacho_error *err);

/** Receives a file that does not match and the reason, such as "was changed". Returns 0 to
    continue. */
typedef int tch_seal_bad_fn(const char *file, const char *what, void *ctx);

/**
 * Checks a folder against its seal. Calls `bad` for each file that does not match.
 *
 * @return 0 when all match; 1 when some do not; TACHO_EPARSE, with the line, when the seal itself
 *         was changed; TACHO_EIO, TACHO_ENOMEM
 */
int tch_seal_check(const char *folder, tch_seal_bad_fn *bad, void *ctx, struct tch_seal_info *ret,
                   tacho_error *err);

/** Returns whether the folder has a seal. */
bool tch_seal_there(const char *folder);

/** Returns whether the folder is that of a run made with --seal, by its run.json. */
bool tch_seal_expected(const char *folder);

enum tch_seal_kind {
    TCH_SEAL_REGULAR,
    TCH_SEAL_LINK,   /**< its content is the path that it points to */
    TCH_SEAL_FOLDER, /**< an empty folder */
    TCH_SEAL_OTHER,  /**< a FIFO, socket or device; never in a seal */
};

/** One line of a seal. */
struct tch_seal_line {
    char *file; /**< path relative to the folder, any bytes; the path of a folder ends in a slash */
    enum tch_seal_kind kind;
    uint64_t bytes;
    char sha256[TCH_SHA256_HEX];
};

/** Parses a seal in memory and checks every line. Free the lines with tch_seal_free(). */
int tch_seal_parse(const char *data, size_t len, struct tch_seal_line **lines, size_t *count,
                   char hash[TCH_SHA256_HEX], tacho_error *err);
void tch_seal_free(struct tch_seal_line *lines, size_t count);

#endif
