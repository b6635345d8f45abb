/*
 * Finds the debug information of an object: in a separate file, or packed into the object itself.
 */
#ifndef TCH_DEBUG_FILE_H
#define TCH_DEBUG_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "code_object.h"

/**
 * Opens the separate debug file: by build ID in /usr/lib/debug/.build-id; by .gnu_debuglink beside
 * the file, in .debug and under /usr/lib/debug; or, if `debuginfod`, by debuginfod-find. Ignores a
 * file of another build.
 *
 * @return a descriptor, which the caller closes; -1: there is none
 */
int tch_debug_file(const struct tch_code_object *object, bool debuginfod);

/**
 * Unpacks the "mini debug info" that some distributions leave in a stripped file: .gnu_debugdata,
 * an xz-compressed ELF file with the symbols of its local functions.
 *
 * @return its bytes, which the caller frees; NULL: there is none
 */
void *tch_debug_data(const struct tch_elf *elf, size_t *len);

#endif
