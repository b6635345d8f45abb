/*
 * SHA-256 (FIPS 180-4), by the CPU's SHA instructions where it has them.
 *
 *     struct tch_sha256 h;
 *     tch_sha256_init(&h);
 *     tch_sha256_update(&h, data, len);
 *     tch_sha256_final(&h, digest);
 *
 * These functions never fail and never allocate. There is nothing to release.
 */
#ifndef TCH_SHA256_H
#define TCH_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum {
    TCH_SHA256_SIZE = 32,
    TCH_SHA256_BLOCK = 64,
    TCH_SHA256_HEX = 2 * TCH_SHA256_SIZE + 1, /* with the NUL */
};

/** Adds n whole blocks to the state. */
typedef void tch_sha256_blocks(uint32_t state[8], const uint8_t *data, size_t n);

struct tch_sha256 {
    uint32_t state[8];
    uint64_t len; /**< bytes added so far */
    uint8_t rest[TCH_SHA256_BLOCK];
    tch_sha256_blocks *blocks; /**< the implementation; all give the same digest */
};

void tch_sha256_init(struct tch_sha256 *h);
void tch_sha256_update(struct tch_sha256 *h, const void *data, size_t len);

/** Writes the digest. Call tch_sha256_init() before using h again. */
void tch_sha256_final(struct tch_sha256 *h, uint8_t digest[TCH_SHA256_SIZE]);

/** Computes the digest of data in one call. */
void tch_sha256(const void *data, size_t len, uint8_t digest[TCH_SHA256_SIZE]);

/** Write 64 lower-case hexadecimal digits and a NUL. The first function takes a digest, the second
    one data to hash. */
void tch_sha256_digest_hex(char out[TCH_SHA256_HEX], const uint8_t digest[TCH_SHA256_SIZE]);
void tch_sha256_hex(char out[TCH_SHA256_HEX], const void *data, size_t len);

/* Shared by the implementations and by their tests. */

extern const uint32_t tch_sha256_k[64]; /* the round constants */

tch_sha256_blocks tch_sha256_portable;

/** Returns the implementation that uses SHA instructions, or NULL where this CPU or build does not
    have them. Asks the CPU. */
tch_sha256_blocks *tch_sha256_x86(void);

#endif
