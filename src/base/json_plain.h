/*
 * Reads plain JSON values directly from the reader's marks (json_scan.h), in a fraction of the time
 * of the general calls. A plain value is ASCII without escapes, and its numbers have at most
 * sixteen bytes and no exponent. The value and the mark after it must be in the current batch of
 * marks. All other values are left to the reader, which also reports errors; a plain value is
 * always valid.
 */
#ifndef TCH_JSON_PLAIN_H
#define TCH_JSON_PLAIN_H

#include "json_lex.h"
#include "json_read.h"
#include "utf8.h"

/* gcc does not inline these functions by itself, which costs a seventh of the speed. */
#define TCH_JSON_INLINE inline __attribute__((always_inline))

enum { TCH_JSON_PLAIN_DEPTH = 8 }; /* limit of nested containers in a plain value */

/** The current batch of marks, as offsets from base. */
struct tch_json_marks {
    const char *base;
    const uint16_t *last; /**< the end of the batch */
    const char *sixteen;  /**< last place from which sixteen bytes can be read */
};

/** Returns the reader's next mark, or marks->last when the batch has no usable mark left. */
static inline const uint16_t *tch_json_marks(const struct tch_json_reader *r,
                                             struct tch_json_marks *marks)
{
    size_t spare = r->source ? TCH_JSON_SPARE : 0;

    marks->base = r->batch;
    marks->last = r->next;
    marks->sixteen = r->end;
    if ((size_t)(r->end - r->batch) + spare >= 16) {
        marks->last = r->last;
        marks->sixteen = r->end + spare - 16;
    }
    return r->next;
}

/** Marks the value before that mark as read. */
static inline void tch_json_took(struct tch_json_reader *r, const uint16_t *next)
{
    r->next = next;
    r->fresh = false;
}

static inline enum tch_json_type tch_json_scalar_type(char first)
{
    return first == 't'   ? TCH_JSON_TRUE
           : first == 'f' ? TCH_JSON_FALSE
           : first == 'n' ? TCH_JSON_NULL
                          : TCH_JSON_NUMBER;
}

/* Always compares four bytes; for false, the last four. With lengths that vary, the compiler would
   call memcmp(). Sixteen bytes of the text must be readable. */
static inline bool tch_json_is_literal(const struct tch_json_value *v)
{
    size_t longer = v->type == TCH_JSON_FALSE;
    const char *four = v->type == TCH_JSON_TRUE    ? "true"
                       : v->type == TCH_JSON_FALSE ? "alse"
                                                   : "null";

    return v->len == 4 + longer && memcmp(v->text + longer, four, 4) == 0;
}

/** Reads the number or literal at m. *whole is the number of digits before the point. */
static TCH_JSON_INLINE const uint16_t *tch_json_plain_scalar(const struct tch_json_marks *marks,
                                                             const uint16_t *m,
                                                             struct tch_json_value *ret,
                                                             size_t *whole)
{
    const char *end = marks->base + m[1];

    if (ret->text > marks->sixteen)
        return NULL;
    while (tch_is_blank(end[-1]))
        end--;
    ret->type = tch_json_scalar_type(*ret->text);
    ret->len = (size_t)(end - ret->text);
    if (ret->type != TCH_JSON_NUMBER)
        return tch_json_is_literal(ret) ? m + 1 : NULL;
    if (ret->len > 16)
        return NULL;
    *whole = tch_json_short_number(ret->text, ret->len);
    return *whole > 0 ? m + 1 : NULL;
}

static inline bool tch_json_is_plain_key(const struct tch_json_marks *marks, const uint16_t *m)
{
    return marks->last - m >= 4 && marks->base[m[0]] == '"' && marks->base[m[1]] == '"' &&
           marks->base[m[2]] == ':';
}

static inline const uint16_t *tch_json_plain_container(const struct tch_json_marks *marks,
                                                       const uint16_t *m, unsigned depth);

/**
 * Reads the value at m if it is plain. Its text is as tch_json_read() returns it; that of a
 * container includes everything in it.
 *
 * @param whole  set for a number: how many digits are before the point
 * @return the mark after the value, which is in the batch; NULL when the value must be left to the
 * reader
 */
static TCH_JSON_INLINE const uint16_t *tch_json_plain_value(const struct tch_json_marks *marks,
                                                            const uint16_t *m,
                                                            struct tch_json_value *ret,
                                                            size_t *whole, unsigned depth)
{
    if (marks->last - m < 3)
        return NULL;
    ret->text = marks->base + *m;
    ret->escaped = false;
    if (*ret->text == '"') {
        ret->type = TCH_JSON_STRING;
        ret->text++;
        ret->len = (size_t)(marks->base + m[1] - ret->text);
        return marks->base[m[1]] == '"' ? m + 2 : NULL;
    }
    if (*ret->text != '{' && *ret->text != '[')
        return tch_json_plain_scalar(marks, m, ret, whole);
    ret->type = *ret->text == '{' ? TCH_JSON_OBJECT : TCH_JSON_ARRAY;
    m = tch_json_plain_container(marks, m, depth);
    if (m)
        ret->len = (size_t)(marks->base + m[-1] + 1 - ret->text);
    return m;
}

static inline const uint16_t *tch_json_plain_container(const struct tch_json_marks *marks,
                                                       const uint16_t *m, unsigned depth)
{
    bool object = marks->base[*m] == '{';
    char closing = object ? '}' : ']';
    struct tch_json_value value;
    size_t whole;

    if (depth == 0)
        return NULL;
    if (marks->base[m[1]] == closing)
        return m + 2;
    do {
        m++;
        if (object) {
            if (!tch_json_is_plain_key(marks, m))
                return NULL;
            m += 3;
        }
        m = tch_json_plain_value(marks, m, &value, &whole, depth - 1);
    } while (m && marks->base[*m] == ',');
    return m && marks->base[*m] == closing && marks->last - m > 1 ? m + 1 : NULL;
}

#endif
