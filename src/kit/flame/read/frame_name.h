/*
 * From the text that a profiler prints for a frame to the name in a folded stack.
 */
#ifndef TCH_FRAME_NAME_H
#define TCH_FRAME_NAME_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/text_span.h"

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
