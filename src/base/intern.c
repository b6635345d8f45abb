/* Interned texts: one block of bytes, one list, one open-addressing table. */
#include "intern.h"

#include "array.h"

enum { FIRST_SLOTS = 1024 };

void tch_intern_release(struct tch_intern *t)
{
    free(t->list);
    free(t->bytes);
    free(t->slots);
    *t = (struct tch_intern){0};
}

void tch_intern_clear(struct tch_intern *t)
{
    t->count = 0;
    t->bytes_len = 0;
    if (t->slots)
        memset(t->slots, 0, ((size_t)t->mask + 1) * sizeof *t->slots);
}

/* Doubles the slots and enters all texts again by the hashes in the list. */
static int grow_slots(struct tch_intern *t)
{
    uint32_t mask = t->slots ? t->mask * 2 + 1 : FIRST_SLOTS - 1;
    struct tch_intern_slot *slots = calloc((size_t)mask + 1, sizeof *slots);

    if (!slots)
        return -1;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t slot = t->list[i].hash & mask;

        while (slots[slot].number)
            slot = (slot + 1) & mask;
        slots[slot] = (struct tch_intern_slot){t->list[i].hash, i + 1};
    }
    free(t->slots);
    t->slots = slots;
    t->mask = mask;
    return 0;
}

/* Returns the slot of the text, or the free one where it belongs. */
static inline uint32_t slot_of(const struct tch_intern *t, const char *text, size_t len,
                               uint32_t hash)
{
    uint32_t i = hash & t->mask;

    for (; t->slots[i].number; i = (i + 1) & t->mask) {
        const struct tch_interned *have = &t->list[t->slots[i].number - 1];

        if (t->slots[i].hash == hash && have->len == len &&
            tch_same_bytes(t->bytes + have->at, text, len))
            break;
    }
    return i;
}

uint32_t tch_intern_search(const struct tch_intern *t, const char *text, size_t len, uint32_t hash)
{
    uint32_t number = t->slots ? t->slots[slot_of(t, text, len, hash)].number : 0;

    return number > 0 ? number - 1 : TCH_INTERN_NONE;
}

uint32_t tch_intern_add_hashed(struct tch_intern *t, const char *text, size_t len, uint32_t hash)
{
    uint32_t slot;
    char *to;

    /* The table is at most half full, so nearly every text is in its first slot. */
    if ((!t->slots || t->count > t->mask / 2) && grow_slots(t) < 0)
        return TCH_INTERN_NONE;
    slot = slot_of(t, text, len, hash);
    if (t->slots[slot].number)
        return t->slots[slot].number - 1;
    if (t->count >= TCH_INTERN_MAX || len > UINT32_MAX ||
        tch_array_reserve(&t->list, &t->list_room, (size_t)t->count + 1) < 0 ||
        tch_array_reserve(&t->bytes, &t->bytes_room, t->bytes_len + len + 1) < 0)
        return TCH_INTERN_NONE;
    to = t->bytes + t->bytes_len;
    if (len > 0)
        memcpy(to, text, len);
    to[len] = '\0';
    t->list[t->count] = (struct tch_interned){t->bytes_len, (uint32_t)len, hash};
    t->bytes_len += len + 1;
    t->slots[slot] = (struct tch_intern_slot){hash, ++t->count};
    return t->count - 1;
}

/* For qsort(), which passes no context: each item brings its text. */
struct ranked {
    const char *text;
    uint32_t len;
    uint32_t number;
};

static int by_bytes(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;
    int order = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);

    return order ? order : (x->len > y->len) - (x->len < y->len);
}

uint32_t *tch_intern_ranks(const struct tch_intern *t)
{
    size_t count = t->count;
    struct ranked *sorted = malloc((count + 1) * sizeof *sorted);
    uint32_t *ranks = malloc((count + 1) * sizeof *ranks);

    if (!sorted || !ranks) {
        free(sorted);
        free(ranks);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = (struct ranked){tch_intern_text(t, i), t->list[i].len, i};
    qsort(sorted, count, sizeof *sorted, by_bytes);
    for (uint32_t i = 0; i < count; i++)
        ranks[sorted[i].number] = i;
    free(sorted);
    return ranks;
}
