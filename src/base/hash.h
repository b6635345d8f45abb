/*
 * The hash of bytes for our own tables. It is fast and the same on every run. It does not resist an
 * attacker who chooses the keys.
 */
#ifndef TCH_HASH_H
#define TCH_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "u128.h"

/** Combines two hashes into one. Their order does not matter. */
static inline uint64_t tch_hash_mix(uint64_t a, uint64_t b)
{
    tch_u128 product = tch_u128_mul(a, b);

    return product.low ^ product.high;
}

static inline uint64_t tch_hash_load(const char *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof word);
    return word;
}

/* Returns the bytes at p as one word; len < 8. */
static inline uint64_t tch_hash_tail(const char *p, size_t len)
{
    uint32_t first;
    uint32_t last;

    if (len >= sizeof first) {
        memcpy(&first, p, sizeof first);
        memcpy(&last, p + len - sizeof last, sizeof last);
        return (uint64_t)first << 32 | last;
    }
    if (len == 0)
        return 0;
    return (uint64_t)(unsigned char)p[0] << 16 | (uint64_t)(unsigned char)p[len / 2] << 8 |
           (unsigned char)p[len - 1];
}

/** Returns the hash of len bytes. All of its bits are good, the low ones too. */
static inline uint64_t tch_hash(const void *data, size_t len)
{
    const char *p = data;
    uint64_t h = 0x9e3779b97f4a7c15U ^ len;
    size_t left = len;

    for (; left > 16; left -= 16, p += 16)
        h = tch_hash_mix(tch_hash_load(p) ^ 0xa0761d6478bd642fU, tch_hash_load(p + 8) ^ h);
    if (left >= 8)
        return tch_hash_mix(tch_hash_load(p) ^ 0xe7037ed1a0b428dbU,
                            tch_hash_load(p + left - 8) ^ h);
    return tch_hash_mix(tch_hash_tail(p, left) ^ 0x8ebc6af09c88c6e3U, h);
}

/** Compares len bytes. Inline, because names are short and a call of memcmp() costs as much as
    comparing one. */
static inline bool tch_same_bytes(const char *a, const char *b, size_t len)
{
    size_t i = 0;

    if (len < 8)
        return memcmp(a, b, len) == 0;
    for (; i + 8 < len; i += 8)
        if (tch_hash_load(a + i) != tch_hash_load(b + i))
            return false;
    return tch_hash_load(a + len - 8) == tch_hash_load(b + len - 8);
}

#endif
