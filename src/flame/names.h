/*
 * Every distinct text once, known by a small number: frame names, raw lines.
 */
#ifndef TCH_FLAME_NAMES_H
#define TCH_FLAME_NAMES_H

#include <stddef.h>
#include <stdint.h>

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

/** The number of this text, from 0 in the order of first sight; -1 when memory ran out. */
int64_t tch_names_add(struct tch_names *names, const char *text, size_t len);

/** The same where the hash, tch_hash(text, len), is known. */
int64_t tch_names_add_hashed(struct tch_names *names, const char *text, size_t len, uint64_t hash);

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
