/*
 * From the text that a profiler prints for a frame to the name in a folded stack.
 */
#ifndef TCH_FRAME_NAME_H
#define TCH_FRAME_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/intern.h"

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

bool tch_span_is(struct tch_span span, const char *text);
bool tch_span_starts(struct tch_span span, const char *text);
bool tch_span_ends(struct tch_span span, const char *text);

/** Removes blanks, including CR, from both ends. */
struct tch_span tch_span_trim(struct tch_span span);

/** Returns the part after the last '/'. */
struct tch_span tch_span_base(struct tch_span path);

/** Returns the offset of the last occurrence of `text`, or len. */
size_t tch_span_rfind(struct tch_span span, const char *text);

/** Guess the kind of the object that a frame's code is from, by the name of its file. */
bool tch_dso_is_kernel(struct tch_span dso);
bool tch_dso_is_jit(struct tch_span dso);

/** Adds a symbol without its return type and its argument list, with ';' replaced by ':' and Rust's
    old mangling decoded. */
void tch_add_symbol(struct tch_buf *b, struct tch_span symbol);

/** Adds a demangled C++ name without its return type, its last argument list and the qualifiers
    after it. Other text is added as it is. tch_add_symbol() calls it. */
void tch_add_function(struct tch_buf *b, struct tch_span text);

/** Removes the "L" before a Java class name in a map of compiled methods. */
struct tch_span tch_java_symbol(struct tch_span symbol);

#endif
