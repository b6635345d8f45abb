/*
 * Interned texts: each distinct text, of any bytes, is kept once and known by a small number.
 */
#ifndef TCH_INTERN_H
#define TCH_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "hash.h"

#define TCH_INTERN_NONE UINT32_MAX

enum { TCH_INTERN_MAX = 1 << 30 };

struct tch_interned {
    uint64_t at; /* offset of the text in `bytes` */
    uint32_t len;
    uint32_t hash;
};

struct tch_intern_slot {
    uint32_t hash;
    uint32_t number; /* number of the text plus 1; 0: the slot is free */
};

/** Read count; use the functions for the rest. All zero is empty. */
struct tch_intern {
    uint32_t count;
    uint32_t mask; /* number of slots minus 1; 0 while there are none */
    struct tch_intern_slot *slots;
    struct tch_interned *list;
    size_t list_room;
    char *bytes; /* every text ends with a NUL, which its length does not count */
    size_t bytes_len;
    size_t bytes_room;
};

void tch_intern_release(struct tch_intern *t);

/** Forgets all texts and keeps the memory. */
void tch_intern_clear(struct tch_intern *t);

/* For the inline functions: continues after the first slot did not hold the text. */
uint32_t tch_intern_search(const struct tch_intern *t, const char *text, size_t len, uint32_t hash);
uint32_t tch_intern_add_hashed(struct tch_intern *t, const char *text, size_t len, uint32_t hash);

static inline uint32_t tch_intern_hash(const char *text, size_t len)
{
    uint64_t hash = tch_hash(text, len);

    return (uint32_t)(hash >> 32) ^ (uint32_t)hash;
}

/* Returns the number of the text if it is in the first slot of its hash. */
static inline uint32_t tch_intern_first(const struct tch_intern *t, const char *text, size_t len,
                                        uint32_t hash)
{
    if (t->slots) {
        struct tch_intern_slot slot = t->slots[hash & t->mask];

        if (slot.hash == hash && slot.number > 0) {
            const struct tch_interned *have = &t->list[slot.number - 1];

            if (have->len == len && tch_same_bytes(t->bytes + have->at, text, len))
                return slot.number - 1;
        }
    }
    return TCH_INTERN_NONE;
}

/**
 * Adds a text, unless it was added before, and returns its number: 0, 1, 2 ... in the order in
 * which texts were first added. Returns TCH_INTERN_NONE when memory ran out; then nothing has
 * changed. Inline, because readers call it for every frame of every stack. The text may not point
 * into t.
 */
static inline uint32_t tch_intern_add(struct tch_intern *t, const char *text, size_t len)
{
    uint32_t hash = tch_intern_hash(text, len);
    uint32_t number = tch_intern_first(t, text, len, hash);

    return number != TCH_INTERN_NONE ? number : tch_intern_add_hashed(t, text, len, hash);
}

/** Returns the number of a text, or TCH_INTERN_NONE if it was not added. */
static inline uint32_t tch_intern_find(const struct tch_intern *t, const char *text, size_t len)
{
    return tch_intern_search(t, text, len, tch_intern_hash(text, len));
}

/** Returns the text, which ends with a NUL and is valid until another one is added. */
static inline const char *tch_intern_text(const struct tch_intern *t, uint32_t number)
{
    return t->bytes + t->list[number].at;
}

static inline size_t tch_intern_len(const struct tch_intern *t, uint32_t number)
{
    return t->list[number].len;
}

/** Returns, for each number, the place of its text in the order of their bytes, from 0. The caller
    frees it. Returns NULL when memory ran out, but not for an empty t. */
uint32_t *tch_intern_ranks(const struct tch_intern *t);

#endif
