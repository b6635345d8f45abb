/*
 * The words of one record: how many there are, whether they are valid, and how arguments are
 * encoded. recording_walk.c reads records in their order.
 */
#ifndef TCH_RECORD_WORDS_H
#define TCH_RECORD_WORDS_H

#include <string.h>

#include <tacho/trace.h>

#include "recording_file.h"

enum { TCH_REC_HEAD_WORDS = 2 }; /* words of a wide record before the fixed ones */

static inline bool tch_rec_has_site(const struct tch_recording *r, uint64_t id)
{
    return id < r->sites.count && r->sites.list[id].name;
}

static inline size_t tch_rec_plain_words(const struct tch_recording *r, uint64_t word, size_t left)
{
    uint32_t site = word >> 1 & 0x7FFF;
    size_t size = 1;

    if (word & 1)
        return 1;
    if (!tch_rec_has_site(r, site))
        return 0;
    size += r->sites.list[site].arg_count;
    return size <= left ? size : 0;
}

/** Returns the number of words of the record at `at`, or 0 when it is invalid. `left` words are
    left in the chunk. Inline, because it is called for every record. */
static inline size_t tch_rec_words(const struct tch_recording *r, const uint64_t *at, size_t left)
{
    uint64_t low = *at & 0xFFFF, size;

    if (*at == 0)
        return 1;
    if (low == TCH_REC_SKIP)
        size = tch_rec_skip(*at);
    else if (low != TCH_REC_WIDE)
        return tch_rec_plain_words(r, *at, left);
    else
        size = left >= TCH_REC_HEAD_WORDS ? at[1] & 0xFFFF : 0;
    return size <= left && (size >= TCH_REC_HEAD_WORDS || low == TCH_REC_SKIP) ? (size_t)size : 0;
}

/** Returns the number of words of a value of len bytes, without the word before it that has its
    key and type. */
static inline unsigned tch_rec_value_words(size_t len)
{
    return (unsigned)((len + 7) / 8);
}

/** Returns whether a value of this type takes one word. That includes truth values. */
static inline bool tch_rec_type_is_number(unsigned type)
{
    return type >= TACHO_FIELD_I64 && type <= TACHO_FIELD_BOOL;
}

/** Writes an argument and returns the word after it. For a number, `value` points to its 8
    bytes. */
static inline uint64_t *tch_rec_put_arg(uint64_t *at, uint32_t key, unsigned type,
                                        const void *value, size_t len)
{
    *at++ = key | (uint64_t)type << 32 | (uint64_t)len << 40;
    if (tch_rec_type_is_number(type)) {
        memcpy(at, value, sizeof *at);
    } else if (len > 0) {
        at[tch_rec_value_words(len) - 1] = 0;
        memcpy(at, value, len);
    }
    return at + tch_rec_value_words(len);
}

/** Returns whether the arguments fill exactly the words that are left, with known types and
    keys. */
bool tch_rec_args_sound(const struct tch_recording *r, const uint64_t *words, unsigned count,
                        size_t left);

/** Returns whether the recording has the names that a wide record refers to. */
bool tch_rec_kind_sound(const struct tch_recording *r, unsigned kind, uint32_t id,
                        const uint64_t *fixed);

/** Joins the values after a plain begin with their keys from the site. Returns false when the
    site is invalid. */
bool tch_rec_join_values(const struct tch_recording *r, const struct tch_rec_name *site,
                         const uint64_t *values, uint64_t joined[2 * TACHO_ARGS_MAX]);

/** An argument: a key and a value. */
struct tch_rec_arg {
    const struct tch_rec_name *key;
    unsigned type; /**< enum tacho_field_type */
    uint64_t bits; /**< value of a number */
    const char *text;
    size_t len;
};

/** Returns the truth value of an argument, which is the first byte of its word. */
static inline bool tch_rec_arg_yes(const struct tch_rec_arg *arg)
{
    return *(const unsigned char *)&arg->bits != 0;
}

/** Removes the first argument from args and returns it in *ret. Returns false when there is
    none. */
bool tch_rec_next_arg(const struct tch_recording *r, struct tch_rec_args *args,
                      struct tch_rec_arg *ret);

/** Adds the value as JSON. A value of type TACHO_FIELD_JSON must be valid. */
void tch_json_arg(struct tch_buf *b, const struct tch_rec_arg *arg);

#endif
