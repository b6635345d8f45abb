/*
 * The seal of a folder: seal.jsonl in it, which lists every other file with its size and SHA-256,
 * in chained lines, so that any file changed, added or removed since is found.
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
    uint64_t bytes;            /**< of them all */
    char hash[TCH_SHA256_HEX]; /**< of the seal's last line */
};

/** Seals a folder, in place of a seal that is there. Links and what is no file are passed over.
    0, TACHO_EIO, TACHO_ENOMEM, TACHO_ELIMIT. */
int tch_seal_write(const char *folder, struct tch_seal_info *ret, tacho_error *err);

/** What is wrong with a file, in words: "was changed". 0 to go on. */
typedef int tch_seal_bad_fn(const char *file, const char *what, void *ctx);

/**
 * Holds a folder against its seal. `bad` is called for each file that does not fit.
 *
 * @return 0 when all fit; 1 when some do not; TACHO_EPARSE, with the line, when the seal itself
 *         was changed; TACHO_EIO, TACHO_ENOMEM
 */
int tch_seal_check(const char *folder, tch_seal_bad_fn *bad, void *ctx, struct tch_seal_info *ret,
                   tacho_error *err);

/** Is there a seal in this folder? */
bool tch_seal_there(const char *folder);

/** One line of a seal. */
struct tch_seal_line {
    char *file; /**< below the folder; the caller's to free */
    uint64_t bytes;
    char sha256[TCH_SHA256_HEX];
};

/** All of a seal in memory: every line is checked. The caller frees with tch_seal_free(). */
int tch_seal_parse(const char *data, size_t len, struct tch_seal_line **lines, size_t *count,
                   char hash[TCH_SHA256_HEX], tacho_error *err);
void tch_seal_free(struct tch_seal_line *lines, size_t count);

#endif
