/*
 * Every distinct text once, known by a small number: frame names, raw lines.
 */
#ifndef TCH_FRAME_NAMES_H
#define TCH_FRAME_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

enum { TCH_NAMES_MAX = 1 << 30 };

struct tch_name {
    uint64_t at; /* in text */
    uint32_t len;
    uint32_t hash;
};

struct tch_name_slot {
    uint32_t hash;
    uint32_t id; /* plus 1; 0: free */
};

/** Read count; the rest through the functions. All zero is empty. */
struct tch_names {
    uint32_t count;
    uint32_t list_cap;
    struct tch_name *list;
    char *text;
    size_t text_len;
    size_t text_cap;
    struct tch_name_slot *slots;
    uint32_t mask; /* slots - 1, once there are any */
};

void tch_names_release(struct tch_names *names);

/* For tch_names_add(): the text is not at the place that its tag leads to first. */
int64_t tch_names_search(struct tch_names *names, const char *text, size_t len, uint32_t tag);

/** The number of this text, from 0 in the order of first sight; -1 when memory ran out.
    Inline, for it is called for every frame of every stack. */
static inline int64_t tch_names_add(struct tch_names *names, const char *text, size_t len)
{
    uint64_t hash = tch_hash(text, len);
    uint32_t tag = (uint32_t)(hash >> 32) ^ (uint32_t)hash;

    if (names->slots) {
        struct tch_name_slot slot = names->slots[tag & names->mask];

        if (slot.hash == tag && slot.id > 0) {
            const struct tch_name *name = names->list + slot.id - 1;

            if (name->len == len && tch_same_bytes(names->text + name->at, text, len))
                return slot.id - 1;
        }
    }
    return tch_names_search(names, text, len, tag);
}

/** The text, not terminated, valid until the next one is added. */
static inline const char *tch_names_text(const struct tch_names *names, uint32_t id, size_t *len)
{
    *len = names->list[id].len;
    return names->text + names->list[id].at;
}

/** Forgets all of them; the memory stays. */
void tch_names_clear(struct tch_names *names);

/**
 * The place of each name in the order of their bytes, from 0; the caller frees it.
 * NULL when memory ran out; also fine for no names at all.
 */
uint32_t *tch_names_ranks(const struct tch_names *names);

#endif
