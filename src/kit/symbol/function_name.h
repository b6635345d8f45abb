/*
 * Shortens a demangled name to the function that it names.
 */
#ifndef TCH_FUNCTION_NAME_H
#define TCH_FUNCTION_NAME_H

#include "base/buf.h"
#include "base/text_span.h"

/** Adds a demangled C++ name without its return type, its last argument list and the qualifiers
    after it. Other text is added as it is. tch_add_symbol() calls it. */
void tch_add_function(struct tch_buf *b, struct tch_span text);

#endif
