/*
 * Texts by number: each distinct one is kept once. Any bytes, up to 4 GB of them together.
 */
#ifndef TCH_TRACE_TEXTS_H
#define TCH_TRACE_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#define TCH_NO_TEXT UINT32_MAX

/** Where a text is; its bytes end with a NUL that len does not count. */
struct tch_text {
    uint32_t at;
    uint32_t len;
    uint32_t hash;
};

struct tch_texts {
    char *bytes;
    size_t bytes_len, bytes_room;
    struct tch_text *list;
    uint32_t count, room;
    uint32_t *slots; /* 1 + a number; 0: free. Twice as many as texts, a power of two */
    uint32_t mask;
};

/** Empty. */
void tch_texts_init(struct tch_texts *t);
void tch_texts_release(struct tch_texts *t);

/** The text's number; TCH_NO_TEXT when memory ran out. */
uint32_t tch_texts_add(struct tch_texts *t, const char *text, size_t len);

/** The same for one that is there already, else TCH_NO_TEXT. */
uint32_t tch_texts_find(const struct tch_texts *t, const char *text, size_t len);

/** Good until the next text is added. */
static inline const char *tch_text(const struct tch_texts *t, uint32_t number)
{
    return t->bytes + t->list[number].at;
}

static inline size_t tch_text_len(const struct tch_texts *t, uint32_t number)
{
    return t->list[number].len;
}

#endif
