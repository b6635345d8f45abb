/*
 * Private to this folder: a cursor over untrusted bytes, and the entries of .eh_frame.
 */
#ifndef TCH_UNWIND_READ_H
#define TCH_UNWIND_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind.h"

/** A cursor. Reading past the end returns zeros and sets `bad`. */
struct tch_cursor {
    const uint8_t *data;
    size_t at;
    size_t end;
    bool bad;
};

/** Reads n bytes as an unsigned number. */
static inline uint64_t tch_cursor_u(struct tch_cursor *c, size_t n)
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

/** Reads n bytes as a signed number. */
static inline int64_t tch_cursor_i(struct tch_cursor *c, size_t n)
{
    unsigned shift = (unsigned)(64 - 8 * n);

    return (int64_t)(tch_cursor_u(c, n) << shift) >> shift;
}

/** Reads a LEB128 number. */
static inline uint64_t tch_cursor_uleb(struct tch_cursor *c)
{
    uint64_t value = 0;

    for (unsigned shift = 0;; shift += 7) {
        uint64_t byte = tch_cursor_u(c, 1);

        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
}

static inline int64_t tch_cursor_sleb(struct tch_cursor *c)
{
    uint64_t value = 0;

    for (unsigned shift = 0;;) {
        uint64_t byte = tch_cursor_u(c, 1);

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

static inline void tch_cursor_skip(struct tch_cursor *c, uint64_t n)
{
    if (c->bad || n > c->end - c->at)
        c->bad = true;
    else
        c->at += n;
}

/** A CIE: the properties that several FDEs share. */
struct tch_cfi_cie {
    uint64_t code_align;
    int64_t data_align;
    uint64_t ra;
    uint8_t encoding; /**< encoding of addresses in FDEs: DW_EH_PE_* */
    bool augmented;   /**< an FDE has augmentation data */
    bool signal;
    size_t program; /**< offset of the initial instructions in .eh_frame */
    size_t program_end;
};

/** An FDE: the address range of a function, and its instructions. */
struct tch_cfi_entry {
    struct tch_cfi_cie cie;
    uint64_t start;
    uint64_t size;
    size_t program; /**< offset of the instructions in .eh_frame */
    size_t program_end;
};

/** Finds the entry of the function that contains addr. Returns false if there is none. */
bool tch_cfi_find_entry(const struct tch_cfi *cfi, uint64_t addr, struct tch_cfi_entry *ret);

/** Reads an address. frame_addr is the address of .eh_frame, for encodings relative to their own
    position. */
uint64_t tch_cfi_pointer(struct tch_cursor *c, uint8_t encoding, uint64_t frame_addr);

#endif
