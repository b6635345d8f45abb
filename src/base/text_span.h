/*
 * Borrowed pieces of text, which need no NUL at their end. Parsers take a line apart with them.
 */
#ifndef TCH_TEXT_SPAN_H
#define TCH_TEXT_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "intern.h"

/** A borrowed piece of text. */
struct tch_span {
    const char *p;
    size_t len;
};

/** Returns an interned text. It is valid until another one is added. */
static inline struct tch_span tch_span_interned(const struct tch_intern *t, uint32_t number)
{
    return (struct tch_span){tch_intern_text(t, number), tch_intern_len(t, number)};
}

/** Return whether the text is, starts with or ends with another text. */
bool tch_span_is(struct tch_span span, const char *text);
bool tch_span_starts(struct tch_span span, const char *text);
bool tch_span_ends(struct tch_span span, const char *text);

/** Removes blanks, including CR, from both ends. */
struct tch_span tch_span_trim(struct tch_span span);

/** Returns the part after the last '/'. */
struct tch_span tch_span_base(struct tch_span path);

/** Returns the offset of the last occurrence of `text`, or len. */
size_t tch_span_rfind(struct tch_span span, const char *text);

#endif
