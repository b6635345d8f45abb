/*
 * A cursor over bytes that may lie: reading past the end gives zeros and sets `bad`.
 */
#ifndef TCH_UNWIND_READ_H
#define TCH_UNWIND_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tch_cursor {
    const uint8_t *data;
    size_t at;
    size_t end;
    bool bad;
};

static inline uint64_t tch_take(struct tch_cursor *c, size_t n)
{
    uint64_t value = 0;

    if (c->bad || n > c->end - c->at) {
        c->bad = true;
        return 0;
    }
    memcpy(&value, c->data + c->at, n); /* little-endian, as x86 is */
    c->at += n;
    return value;
}

static inline int64_t tch_take_signed(struct tch_cursor *c, size_t n)
{
    unsigned shift = (unsigned)(64 - 8 * n);

    return (int64_t)(tch_take(c, n) << shift) >> shift;
}

static inline uint64_t tch_take_uleb(struct tch_cursor *c)
{
    uint64_t value = 0;

    for (unsigned shift = 0;; shift += 7) {
        uint64_t byte = tch_take(c, 1);

        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
}

static inline int64_t tch_take_sleb(struct tch_cursor *c)
{
    uint64_t value = 0;

    for (unsigned shift = 0;;) {
        uint64_t byte = tch_take(c, 1);

        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        shift += 7;
        if (byte & 0x80)
            continue;
        if (shift < 64 && (byte & 0x40))
            value |= ~(uint64_t)0 << shift;
        return (int64_t)value;
    }
}

static inline void tch_skip(struct tch_cursor *c, uint64_t n)
{
    if (c->bad || n > c->end - c->at)
        c->bad = true;
    else
        c->at += n;
}

#endif
