/* Deflate (RFC 1951) with fixed codes and one candidate per hash, in the frame of gzip (RFC 1952).
 */
#include "gzip_write.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "crc32.h"
#include "fail.h"

enum {
    HASH_BITS = 15,
    WINDOW = 32768,
    MATCH_MIN = 4,
    MATCH_MAX = 258,
    OUT_SIZE = 64 << 10,
    OUT_LIMIT = 512 << 20, /* limit of a compressed piece; sinks pass smaller ones */
    END_OF_BLOCK = 256,
};

struct tch_gzip_writer {
    tch_sink_write *write;
    void *ctx;
    uint32_t crc;
    uint32_t size; /* bytes of the text, modulo 2^32, as gzip stores it */
    uint64_t bits; /* bits that are not in out yet; the first one is the lowest */
    unsigned bit_count;
    struct tch_buf out;
    uint32_t last[1 << HASH_BITS]; /* by hash of four bytes: their place in the piece, plus 1 */
};

static void add_bits(struct tch_gzip_writer *z, uint32_t value, unsigned count)
{
    z->bits |= (uint64_t)value << z->bit_count;
    z->bit_count += count;
    for (; z->bit_count >= 8; z->bit_count -= 8) {
        tch_buf_addc(&z->out, (char)(z->bits & 0xff));
        z->bits >>= 8;
    }
}

/* Adds a code. Codes start with their highest bit, unlike numbers. */
static void add_code(struct tch_gzip_writer *z, uint32_t code, unsigned count)
{
    uint32_t reversed = 0;

    for (unsigned i = 0; i < count; i++)
        reversed |= (code >> i & 1) << (count - 1 - i);
    add_bits(z, reversed, count);
}

static void add_symbol(struct tch_gzip_writer *z, uint32_t symbol)
{
    if (symbol < 144)
        add_code(z, 0x30 + symbol, 8);
    else if (symbol < END_OF_BLOCK)
        add_code(z, 0x190 + symbol - 144, 9);
    else if (symbol < 280)
        add_code(z, symbol - END_OF_BLOCK, 7);
    else
        add_code(z, 0xc0 + symbol - 280, 8);
}

static unsigned log2_of(uint32_t value)
{
    return 31 - (unsigned)__builtin_clz(value);
}

/* Adds a match: `len` bytes that repeat those `distance` bytes back. The codes form classes: four
   per power of two for lengths, two for distances. */
static void add_match(struct tch_gzip_writer *z, uint32_t len, uint32_t distance)
{
    uint32_t l = len - 3, d = distance - 1, power;

    if (len == MATCH_MAX) {
        add_symbol(z, 285);
    } else if (l < 8) {
        add_symbol(z, 257 + l);
    } else {
        power = log2_of(l);
        add_symbol(z, 257 + 4 * (power - 1) + (l >> (power - 2) & 3));
        add_bits(z, l & ((1u << (power - 2)) - 1), power - 2);
    }
    if (d < 4) {
        add_code(z, d, 5);
        return;
    }
    power = log2_of(d);
    add_code(z, 2 * power + (d >> (power - 1) & 1), 5);
    add_bits(z, d & ((1u << (power - 1)) - 1), power - 1);
}

static uint32_t load(const unsigned char *p)
{
    uint32_t word;

    memcpy(&word, p, sizeof word);
    return word;
}

/* Returns how many bytes at `at` were seen before, and where. */
static uint32_t find_match(struct tch_gzip_writer *z, const unsigned char *text, uint32_t len,
                           uint32_t at, uint32_t *from)
{
    uint32_t most = len - at < MATCH_MAX ? len - at : MATCH_MAX, same = MATCH_MIN;
    uint32_t *slot, seen;

    if (most < MATCH_MIN)
        return 0;
    slot = &z->last[load(text + at) * 2654435761u >> (32 - HASH_BITS)];
    seen = *slot;
    *slot = at + 1;
    *from = seen - 1;
    if (seen == 0 || at - *from > WINDOW || load(text + *from) != load(text + at))
        return 0;
    while (same < most && text[*from + same] == text[at + same])
        same++;
    return same;
}

static int pass_on(struct tch_gzip_writer *z, tacho_error *err)
{
    int status =
        z->out.failed ? tch_fail_memory(err) : z->write(z->ctx, z->out.data, z->out.len, err);

    tch_buf_clear(&z->out);
    return status;
}

int tch_gzip_writer_open(struct tch_gzip_writer **ret, tch_sink_write *write, void *ctx,
                         tacho_error *err)
{
    static const char head[10] = "\x1f\x8b\x08\0\0\0\0\0\0\xff"; /* no name, no time, any system */
    struct tch_gzip_writer *z = calloc(1, sizeof *z);

    if (!z)
        return tch_fail_memory(err);
    z->write = write;
    z->ctx = ctx;
    tch_buf_init(&z->out, OUT_LIMIT);
    tch_buf_add(&z->out, head, sizeof head);
    *ret = z;
    return 0;
}

int tch_sink_to_gzip(void *ctx, const void *data, size_t len, tacho_error *err)
{
    struct tch_gzip_writer *z = ctx;
    const unsigned char *text = data;
    uint32_t same, from = 0;

    z->crc = tch_crc32(z->crc, data, len);
    z->size += (uint32_t)len;
    memset(z->last, 0, sizeof z->last);
    add_bits(z, 2, 3); /* a block of fixed codes, not the last one */
    for (uint32_t at = 0; at<len; at += same> 0 ? same : 1) {
        same = find_match(z, text, (uint32_t)len, at, &from);
        if (same > 0)
            add_match(z, same, at - from);
        else
            add_symbol(z, text[at]);
    }
    add_symbol(z, END_OF_BLOCK);
    return z->out.len < OUT_SIZE ? 0 : pass_on(z, err);
}

int tch_gzip_writer_close(struct tch_gzip_writer *z, tacho_error *err)
{
    int status;

    if (!z)
        return 0;
    add_bits(z, 3, 3); /* an empty block, the last one */
    add_symbol(z, END_OF_BLOCK);
    add_bits(z, 0, (8 - z->bit_count) % 8);
    for (unsigned i = 0; i < 32; i += 8)
        tch_buf_addc(&z->out, (char)(z->crc >> i & 0xff));
    for (unsigned i = 0; i < 32; i += 8)
        tch_buf_addc(&z->out, (char)(z->size >> i & 0xff));
    status = pass_on(z, err);
    tch_buf_release(&z->out);
    free(z);
    return status;
}
