/*
 * Where the debug information of a program file is kept when it is not in the file itself.
 */
#ifndef TCH_FLAME_SYMBOL_DEBUG_H
#define TCH_FLAME_SYMBOL_DEBUG_H

#include <stdbool.h>

#include "object.h"

/**
 * Opens the separate debug file: by the build ID in /usr/lib/debug/.build-id, by .gnu_debuglink
 * beside the file, in .debug and under /usr/lib/debug, or, where asked, by debuginfod-find.
 * A file of another build is not taken.
 *
 * @return a descriptor, the caller's; -1: there is none
 */
int tch_debug_file(const struct tch_object *object, bool debuginfod);

#endif
