/* Texts by number, found by an open-addressed table of hashes. */
#include "trace_texts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void tch_texts_init(struct tch_texts *t)
{
    *t = (struct tch_texts){0};
}

void tch_texts_release(struct tch_texts *t)
{
    free(t->bytes);
    free(t->list);
    free(t->slots);
    tch_texts_init(t);
}

static uint64_t load(const char *text, size_t len)
{
    uint64_t word = 0;
    uint32_t low, high;

    if (len >= 8) {
        memcpy(&word, text, 8);
    } else if (len >= 4) {
        memcpy(&low, text, 4);
        memcpy(&high, text + len - 4, 4);
        word = (uint64_t)high << 32 | low;
    } else if (len > 0) {
        word = (uint64_t)(unsigned char)text[0] << 16 |
               (uint64_t)(unsigned char)text[len / 2] << 8 | (unsigned char)text[len - 1];
    }
    return word;
}

/* Eight bytes at a time, the last ones overlapping. */
static uint32_t hash_of(const char *text, size_t len)
{
    uint64_t hash = len * UINT64_C(0x9E3779B97F4A7C15);

    for (size_t i = 0; i + 8 < len; i += 8) {
        hash = (hash ^ load(text + i, 8)) * UINT64_C(0xBF58476D1CE4E5B9);
        hash ^= hash >> 29;
    }
    hash = (hash ^ load(len > 8 ? text + len - 8 : text, len)) * UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)(hash >> 32);
}

/* As memcmp() == 0; names are short. */
static bool same(const char *a, const char *b, size_t len)
{
    size_t i = 0;

    for (; i + 8 <= len; i += 8)
        if (load(a + i, 8) != load(b + i, 8))
            return false;
    if (len >= 8)
        return load(a + len - 8, 8) == load(b + len - 8, 8);
    return load(a, len) == load(b, len);
}

static uint32_t find(const struct tch_texts *t, const char *text, size_t len, uint32_t hash)
{
    if (!t->slots)
        return TCH_NO_TEXT;
    for (uint32_t i = hash & t->mask; t->slots[i] != 0; i = (i + 1) & t->mask) {
        const struct tch_text *have = &t->list[t->slots[i] - 1];

        if (have->hash == hash && have->len == len && same(t->bytes + have->at, text, len))
            return t->slots[i] - 1;
    }
    return TCH_NO_TEXT;
}

uint32_t tch_texts_find(const struct tch_texts *t, const char *text, size_t len)
{
    return find(t, text, len, hash_of(text, len));
}

static void put_slot(struct tch_texts *t, uint32_t number)
{
    uint32_t i = t->list[number].hash & t->mask;

    while (t->slots[i] != 0)
        i = (i + 1) & t->mask;
    t->slots[i] = number + 1;
}

static int grow_list(struct tch_texts *t)
{
    uint32_t room = t->room > 0 ? t->room * 2 : 256;
    struct tch_text *list;
    uint32_t *slots;

    if (room > UINT32_MAX / 4)
        return -1;
    list = realloc(t->list, (size_t)room * sizeof *list);
    if (!list)
        return -1;
    t->list = list;
    slots = calloc((size_t)room * 2, sizeof *slots);
    if (!slots)
        return -1;
    free(t->slots);
    t->slots = slots;
    t->room = room;
    t->mask = room * 2 - 1;
    for (uint32_t i = 0; i < t->count; i++)
        put_slot(t, i);
    return 0;
}

static int grow_bytes(struct tch_texts *t, size_t need)
{
    size_t room = t->bytes_room > 0 ? t->bytes_room : 4096;
    char *bytes;

    while (room < need)
        room *= 2;
    if (room > UINT32_MAX)
        return -1;
    bytes = realloc(t->bytes, room);
    if (!bytes)
        return -1;
    t->bytes = bytes;
    t->bytes_room = room;
    return 0;
}

uint32_t tch_texts_add(struct tch_texts *t, const char *text, size_t len)
{
    uint32_t hash = hash_of(text, len), number = find(t, text, len, hash);

    if (number != TCH_NO_TEXT)
        return number;
    if (t->count == t->room && grow_list(t) < 0)
        return TCH_NO_TEXT;
    if (len + 1 > t->bytes_room - t->bytes_len && grow_bytes(t, t->bytes_len + len + 1) < 0)
        return TCH_NO_TEXT;
    memcpy(t->bytes + t->bytes_len, text, len);
    t->bytes[t->bytes_len + len] = '\0';
    t->list[t->count] = (struct tch_text){(uint32_t)t->bytes_len, (uint32_t)len, hash};
    t->bytes_len += len + 1;
    put_slot(t, t->count);
    return t->count++;
}
