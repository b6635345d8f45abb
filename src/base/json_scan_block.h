/*
 * Turns the bit masks of one block into marks: bit i is byte i. Included by the scanners only.
 */
#ifndef TCH_JSON_SCAN_BLOCK_H
#define TCH_JSON_SCAN_BLOCK_H

#include "json_scan.h"

/** Which bytes of a block belong to which class. `op` and `blank` are used outside of strings
    only. */
struct tch_json_masks {
    uint64_t quote;
    uint64_t backslash;
    uint64_t control; /* below 0x20 */
    uint64_t high;    /* 0x80 and above */
    uint64_t op;      /* {}[]:, and perhaps control bytes, which are taken out again */
    uint64_t blank;   /* space, tab, LF, CR */
};

/* Returns the backslashes that start an escape: not those that are themselves escaped. */
static inline uint64_t tch_json_escapes(uint64_t backslash, uint64_t escaped_first)
{
    uint64_t starts = 0;

    backslash &= ~escaped_first;
    while (backslash) {
        uint64_t lowest = backslash & (0 - backslash);

        starts |= lowest;
        backslash &= ~(lowest | lowest << 1);
    }
    return starts;
}

/* Returns the quotes that are not escaped. *escapes is set to where escapes start. */
static inline uint64_t tch_json_quotes(struct tch_json_scan *s, const struct tch_json_masks *m,
                                       uint64_t *escapes)
{
    uint64_t starts = tch_json_escapes(m->backslash, s->escape);
    uint64_t escaped = starts << 1 | s->escape;

    s->escape = starts >> 63;
    *escapes = starts;
    return m->quote & ~escaped;
}

/*
 * Returns the marks of a block. `odd` has bit i set where an odd number of quotes is at or before
 * byte i of the block. `high_before`: the byte before the block is not ASCII.
 */
static inline uint64_t tch_json_block(struct tch_json_scan *s, const struct tch_json_masks *m,
                                      uint64_t quotes, uint64_t odd, uint64_t escapes,
                                      uint64_t high_before)
{
    uint64_t inside = odd ^ s->in_string; /* includes the opening quote, excludes the closing one */
    uint64_t outside = ~(inside | quotes);
    uint64_t op = outside & m->op & ~m->control;
    uint64_t word = outside & ~(op | m->blank);
    uint64_t word_start = word & ~(word << 1 | s->in_word);
    uint64_t high_start = m->high & ~(m->high << 1 | high_before);

    s->in_string = 0 - (inside >> 63);
    s->in_word = word >> 63;
    return quotes | op | word_start | (inside & (escapes | m->control | high_start));
}

#endif
