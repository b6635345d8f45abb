/*
 * The preloaded sampler, seen from outside: in which programs it works.
 */
#ifndef TCH_PRELOAD_FIT_H
#define TCH_PRELOAD_FIT_H

#include <tacho/error.h>

/**
 * Checks by the file whether the object can sample a program. A script is checked by its
 * interpreter. It cannot where the dynamic linker does not load it (static programs, set-uid ones),
 * or where signals come late (ThreadSanitizer) or need a stack of their own (Go).
 *
 * @param program  the command, searched for on PATH
 * @param cwd      its folder; NULL: ours
 * @return 0 or TACHO_EUNSUPPORTED, with the reason
 */
int tch_preload_fits(const char *program, const char *cwd, tacho_error *err);

#endif
