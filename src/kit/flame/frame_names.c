/* Distinct texts: one block of bytes, one list, one open-addressing table. */
#include "frame_names.h"

#include "grow.h"

void tch_names_release(struct tch_names *names)
{
    free(names->list);
    free(names->text);
    free(names->slots);
    *names = (struct tch_names){0};
}

void tch_names_clear(struct tch_names *names)
{
    names->count = 0;
    names->text_len = 0;
    if (names->slots)
        memset(names->slots, 0, ((size_t)names->mask + 1) * sizeof *names->slots);
}

/* Twice the slots, all found again by their hashes. */
static bool grow_slots(struct tch_names *names)
{
    uint32_t mask = names->slots ? names->mask * 2 + 1 : 1023;
    struct tch_name_slot *slots = calloc((size_t)mask + 1, sizeof *slots);

    if (!slots)
        return false;
    for (uint32_t id = 0; id < names->count; id++) {
        uint32_t i = names->list[id].hash & mask;

        while (slots[i].id)
            i = (i + 1) & mask;
        slots[i] = (struct tch_name_slot){names->list[id].hash, id + 1};
    }
    free(names->slots);
    names->slots = slots;
    names->mask = mask;
    return true;
}

static bool grow_all(struct tch_names *names, size_t len)
{
    size_t cap = names->list_cap;

    if (names->count >= TCH_NAMES_MAX || len > UINT32_MAX)
        return false;
    if (!tch_grow((void **)&names->list, &cap, (size_t)names->count + 1, sizeof *names->list))
        return false;
    names->list_cap = (uint32_t)cap;
    if (!tch_grow((void **)&names->text, &names->text_cap, names->text_len + len + 1, 1))
        return false;
    return true;
}

int64_t tch_names_search(struct tch_names *names, const char *text, size_t len, uint32_t tag)
{
    uint32_t i;

    /* At most half full: nearly every look finds its place at once. */
    if (!names->slots || names->count > names->mask / 2)
        if (!grow_slots(names))
            return -1;
    for (i = tag & names->mask; names->slots[i].id; i = (i + 1) & names->mask) {
        const struct tch_name *name = names->list + names->slots[i].id - 1;

        if (names->slots[i].hash == tag && name->len == len &&
            memcmp(names->text + name->at, text, len) == 0)
            return names->slots[i].id - 1;
    }
    if (!grow_all(names, len))
        return -1;
    memcpy(names->text + names->text_len, text, len);
    names->list[names->count] = (struct tch_name){names->text_len, (uint32_t)len, tag};
    names->text_len += len;
    names->slots[i] = (struct tch_name_slot){tag, ++names->count};
    return names->count - 1;
}

/* For qsort(): it hands on no context, so each item brings its text. */
struct ranked {
    const char *text;
    uint32_t len;
    uint32_t id;
};

static int by_bytes(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;
    int order = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);

    return order ? order : (x->len > y->len) - (x->len < y->len);
}

uint32_t *tch_names_ranks(const struct tch_names *names)
{
    size_t count = names->count;
    struct ranked *sorted = malloc((count + 1) * sizeof *sorted);
    uint32_t *ranks = malloc((count + 1) * sizeof *ranks);

    if (!sorted || !ranks) {
        free(sorted);
        free(ranks);
        return NULL;
    }
    for (uint32_t id = 0; id < count; id++)
        sorted[id] = (struct ranked){names->text + names->list[id].at, names->list[id].len, id};
    qsort(sorted, count, sizeof *sorted, by_bytes);
    for (uint32_t i = 0; i < count; i++)
        ranks[sorted[i].id] = i;
    free(sorted);
    return ranks;
}
