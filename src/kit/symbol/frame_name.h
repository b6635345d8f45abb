/*
 * From the text that a profiler prints for a frame to the name in a folded stack.
 */
#ifndef TCH_FRAME_NAME_H
#define TCH_FRAME_NAME_H

#include "base/buf.h"
#include "base/text_span.h"

/** Adds a symbol without its return type and its argument list, with ';' replaced by ':' and Rust's
    old mangling decoded. */
void tch_add_symbol(struct tch_buf *b, struct tch_span symbol);

#endif
