/*
 * Finds the shared objects that tacho preloads into commands.
 */
#ifndef TCH_PRELOAD_PATH_H
#define TCH_PRELOAD_PATH_H

#include <limits.h>

#include <tacho/error.h>

/**
 * Finds an object such as "tacho-allocations.so": in $TACHO_PRELOAD_DIR, in the library folder
 * beside this program as it is installed, in its build folder, or where `make install` puts it.
 *
 * @param path  absolute; set on success only
 * @return 0, or TACHO_EIO: it is in none of them; TACHO_EINVAL: LD_PRELOAD cannot name it, because
 *         its path has a blank or a colon
 */
int tch_preload_path(const char *name, char path[PATH_MAX], tacho_error *err);

#endif
