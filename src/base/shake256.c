/* SHAKE-256: the sponge, and Keccak-f[1600] on 64-bit lanes. The steps have the names of FIPS 202,
   3.2; lane x, y is at 5 * y + x. */
#include "shake256.h"

#include <endian.h>
#include <string.h>

static const uint64_t round_constants[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
    0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

static inline uint64_t rotl(uint64_t x, int n)
{
    return n == 0 ? x : x << n | x >> (64 - n);
}

/* Every index is a constant, so that lanes stay in registers. */

/* theta: the parity of a column, and what its two neighbours add to a lane. */
#define COLUMN(x) c[x] = a[x] ^ a[(x) + 5] ^ a[(x) + 10] ^ a[(x) + 15] ^ a[(x) + 20]
#define ADDED(x)  d[x] = c[((x) + 4) % 5] ^ rotl(c[((x) + 1) % 5], 1)

/* rho and pi: which lane comes here, and by how many bits it is turned. */
#define LANE(i, from, turn) b[i] = rotl(a[from] ^ d[(from) % 5], turn)

/* chi. */
#define MIXED(y, x) a[(y) + (x)] = b[(y) + (x)] ^ (~b[(y) + ((x) + 1) % 5] & b[(y) + ((x) + 2) % 5])
#define ROW(y)      MIXED(y, 0), MIXED(y, 1), MIXED(y, 2), MIXED(y, 3), MIXED(y, 4)

static void permute(uint64_t state[25])
{
    uint64_t a[25];
    uint64_t b[25];
    uint64_t c[5];
    uint64_t d[5];

    memcpy(a, state, sizeof a);
    for (int round = 0; round < 24; round++) {
        COLUMN(0), COLUMN(1), COLUMN(2), COLUMN(3), COLUMN(4);
        ADDED(0), ADDED(1), ADDED(2), ADDED(3), ADDED(4);
        LANE(0, 0, 0), LANE(1, 6, 44), LANE(2, 12, 43), LANE(3, 18, 21), LANE(4, 24, 14);
        LANE(5, 3, 28), LANE(6, 9, 20), LANE(7, 10, 3), LANE(8, 16, 45), LANE(9, 22, 61);
        LANE(10, 1, 1), LANE(11, 7, 6), LANE(12, 13, 25), LANE(13, 19, 8), LANE(14, 20, 18);
        LANE(15, 4, 27), LANE(16, 5, 36), LANE(17, 11, 10), LANE(18, 17, 15), LANE(19, 23, 56);
        LANE(20, 2, 62), LANE(21, 8, 55), LANE(22, 14, 39), LANE(23, 15, 41), LANE(24, 21, 2);
        ROW(0), ROW(5), ROW(10), ROW(15), ROW(20);
        a[0] ^= round_constants[round];
    }
    memcpy(state, a, sizeof a);
}

static void take_block(struct tch_shake256 *h, const uint8_t *block)
{
    for (size_t i = 0; i < TCH_SHAKE256_RATE / 8; i++) {
        uint64_t lane;

        memcpy(&lane, block + 8 * i, sizeof lane);
        h->lane[i] ^= le64toh(lane);
    }
    permute(h->lane);
}

static void take_byte(struct tch_shake256 *h, size_t at, uint8_t byte)
{
    h->lane[at / 8] ^= (uint64_t)byte << (8 * (at % 8));
}

void tch_shake256_init(struct tch_shake256 *h)
{
    *h = (struct tch_shake256){0};
}

void tch_shake256_update(struct tch_shake256 *h, const void *data, size_t len)
{
    const uint8_t *p = data;

    while (len > 0) {
        if (h->at == 0 && len >= TCH_SHAKE256_RATE) {
            take_block(h, p);
            p += TCH_SHAKE256_RATE;
            len -= TCH_SHAKE256_RATE;
            continue;
        }
        take_byte(h, h->at++, *p++);
        len--;
        if (h->at == TCH_SHAKE256_RATE) {
            permute(h->lane);
            h->at = 0;
        }
    }
}

void tch_shake256_final(struct tch_shake256 *h, uint8_t *out, size_t len)
{
    take_byte(h, h->at, 0x1F);
    take_byte(h, TCH_SHAKE256_RATE - 1, 0x80);
    for (size_t i = 0; i < len; i++) {
        size_t at = i % TCH_SHAKE256_RATE;

        if (at == 0)
            permute(h->lane);
        out[i] = (uint8_t)(h->lane[at / 8] >> (8 * (at % 8)));
    }
}

void tch_shake256(const void *data, size_t len, uint8_t *out, size_t out_len)
{
    struct tch_shake256 h;

    tch_shake256_init(&h);
    tch_shake256_update(&h, data, len);
    tch_shake256_final(&h, out, out_len);
}
