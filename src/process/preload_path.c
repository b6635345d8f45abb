/* Finds the shared objects that tacho preloads into commands. */
#include "preload_path.h"

#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"

/* Tries FOLDER/BELOW/NAME. */
static bool is_there(const char *folder, const char *below, const char *name, char path[PATH_MAX])
{
    char full[PATH_MAX];
    char real[PATH_MAX];
    int n = snprintf(full, sizeof full, "%s/%s/%s", folder, below, name);

    if (n < 0 || n >= PATH_MAX || access(full, R_OK) < 0 || !realpath(full, real))
        return false;
    memcpy(path, real, strlen(real) + 1);
    return true;
}

int tch_preload_path(const char *name, char path[PATH_MAX], tacho_error *err)
{
    const char *chosen = getenv("TACHO_PRELOAD_DIR");
    char self[PATH_MAX] = "";
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    const char *folder = n > 0 ? dirname(self) : ".";
    char found[PATH_MAX];

    if (!(chosen && chosen[0] && is_there(chosen, ".", name, found)) &&
        !is_there(folder, "../" TCH_LIBDIR "/tacho", name, found) &&
        !is_there(folder, "../preload", name, found) &&
        !is_there(TCH_FULL_LIBDIR, "tacho", name, found))
        return tch_fail(err, TACHO_EIO, 0,
                        "'%s' is missing; install tacho whole, or name its folder in "
                        "TACHO_PRELOAD_DIR",
                        name);
    if (strpbrk(found, " :\t"))
        return tch_fail(err, TACHO_EINVAL, 0,
                        "'%s' cannot be preloaded: its path has a blank or a colon; install tacho "
                        "elsewhere",
                        found);
    memcpy(path, found, strlen(found) + 1);
    return 0;
}
