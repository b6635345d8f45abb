/*
 * Where the debug information of a program file is kept when it is not in the file itself.
 */
#ifndef TCH_SYMBOL_DEBUG_H
#define TCH_SYMBOL_DEBUG_H

#include <stdbool.h>

#include "kit/flame/unwind/code_object.h"

/**
 * Opens the separate debug file: by the build ID in /usr/lib/debug/.build-id, by .gnu_debuglink
 * beside the file, in .debug and under /usr/lib/debug, or, where asked, by debuginfod-find.
 * A file of another build is not taken.
 *
 * @return a descriptor, the caller's; -1: there is none
 */
int tch_debug_file(const struct tch_object *object, bool debuginfod);

/**
 * Unpacks the "mini debug info" that some distributions leave in a stripped file: .gnu_debugdata,
 * an ELF file with the symbols of its local functions, packed by xz.
 *
 * @return its bytes, the caller's to free; NULL: there is none
 */
void *tch_debug_data(const struct tch_elf *elf, size_t *len);

#endif
