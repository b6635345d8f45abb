/* SHA-256: the portable compression function, padding, and the choice of implementation. */
#include "sha256.h"

#include <stdatomic.h>

const uint32_t tch_sha256_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotr(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static uint32_t load_be(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void store_be(uint8_t *p, uint32_t x)
{
    p[0] = (uint8_t)(x >> 24);
    p[1] = (uint8_t)(x >> 16);
    p[2] = (uint8_t)(x >> 8);
    p[3] = (uint8_t)x;
}

static void expand(uint32_t w[64], const uint8_t *block)
{
    for (int i = 0; i < 16; i++)
        w[i] = load_be(block + 4 * i);
    for (int i = 16; i < 64; i++) {
        uint32_t s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10;

        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
}

/* The letters are those of FIPS 180-4, 6.2.2. */
static void compress(uint32_t state[8], const uint8_t *block)
{
    uint32_t w[64];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];

    expand(w, block);
    for (int i = 0; i < 64; i++) {
        uint32_t s1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25);
        uint32_t s0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22);
        uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + tch_sha256_k[i] + w[i];
        uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));

        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

void tch_sha256_portable(uint32_t state[8], const uint8_t *data, size_t n)
{
    for (; n > 0; n--, data += TCH_SHA256_BLOCK)
        compress(state, data);
}

/* Cached, because CPUID takes microseconds in a virtual machine. Threads that race compute the same
   result. */
static tch_sha256_blocks *choose(void)
{
    static _Atomic(tch_sha256_blocks *) chosen;
    tch_sha256_blocks *blocks = atomic_load_explicit(&chosen, memory_order_relaxed);

    if (!blocks) {
        blocks = tch_sha256_x86();
        if (!blocks)
            blocks = tch_sha256_portable;
        atomic_store_explicit(&chosen, blocks, memory_order_relaxed);
    }
    return blocks;
}

void tch_sha256_init(struct tch_sha256 *h)
{
    *h = (struct tch_sha256){
        .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                  0x1f83d9ab, 0x5be0cd19},
        .blocks = choose(),
    };
}

void tch_sha256_update(struct tch_sha256 *h, const void *data, size_t len)
{
    const uint8_t *p = data;
    size_t held = h->len % TCH_SHA256_BLOCK;

    if (len == 0) /* data may be NULL then */
        return;
    h->len += len;
    if (held > 0) {
        size_t take = TCH_SHA256_BLOCK - held < len ? TCH_SHA256_BLOCK - held : len;

        memcpy(h->rest + held, p, take);
        p += take;
        len -= take;
        if (held + take < TCH_SHA256_BLOCK)
            return;
        h->blocks(h->state, h->rest, 1);
    }
    h->blocks(h->state, p, len / TCH_SHA256_BLOCK);
    memcpy(h->rest, p + len - len % TCH_SHA256_BLOCK, len % TCH_SHA256_BLOCK);
}

void tch_sha256_final(struct tch_sha256 *h, uint8_t digest[TCH_SHA256_SIZE])
{
    /* 0x80, zeros up to 8 bytes before the end of a block, then the length in bits. */
    uint8_t padding[TCH_SHA256_BLOCK + 8] = {0x80};
    size_t zeros_end = (TCH_SHA256_BLOCK + 55 - h->len % TCH_SHA256_BLOCK) % TCH_SHA256_BLOCK + 1;
    uint64_t bits = h->len * 8;

    store_be(padding + zeros_end, (uint32_t)(bits >> 32));
    store_be(padding + zeros_end + 4, (uint32_t)bits);
    tch_sha256_update(h, padding, zeros_end + 8);
    for (int i = 0; i < 8; i++)
        store_be(digest + 4 * i, h->state[i]);
}

void tch_sha256(const void *data, size_t len, uint8_t digest[TCH_SHA256_SIZE])
{
    struct tch_sha256 h;

    tch_sha256_init(&h);
    tch_sha256_update(&h, data, len);
    tch_sha256_final(&h, digest);
}

void tch_sha256_digest_hex(char out[TCH_SHA256_HEX], const uint8_t digest[TCH_SHA256_SIZE])
{
    for (int i = 0; i < TCH_SHA256_SIZE; i++) {
        out[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        out[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    out[2 * TCH_SHA256_SIZE] = '\0';
}

void tch_sha256_hex(char out[TCH_SHA256_HEX], const void *data, size_t len)
{
    uint8_t digest[TCH_SHA256_SIZE];

    tch_sha256(data, len, digest);
    tch_sha256_digest_hex(out, digest);
}
