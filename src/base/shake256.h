/*
 * SHAKE-256 (FIPS 202): Keccak with a rate of 136 bytes, and as many bytes of output as wanted.
 *
 *     struct tch_shake256 h;
 *     tch_shake256_init(&h);
 *     tch_shake256_update(&h, data, len);
 *     tch_shake256_final(&h, out, sizeof out);
 *
 * These functions never fail and never allocate. There is nothing to release.
 */
#ifndef TCH_SHAKE256_H
#define TCH_SHAKE256_H

#include <stddef.h>
#include <stdint.h>

enum { TCH_SHAKE256_RATE = 136 };

struct tch_shake256 {
    uint64_t lane[25];
    size_t at; /**< bytes of the current block, fewer than the rate */
};

void tch_shake256_init(struct tch_shake256 *h);
void tch_shake256_update(struct tch_shake256 *h, const void *data, size_t len);

/** Writes the output. Call tch_shake256_init() before using h again. */
void tch_shake256_final(struct tch_shake256 *h, uint8_t *out, size_t len);

/** Computes the output of data in one call. */
void tch_shake256(const void *data, size_t len, uint8_t *out, size_t out_len);

#endif
