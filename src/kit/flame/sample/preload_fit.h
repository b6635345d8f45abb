/*
 * The preloaded sampler, seen from outside: on which machines and in which programs it works.
 */
#ifndef TCH_PRELOAD_FIT_H
#define TCH_PRELOAD_FIT_H

#include <tacho/error.h>

#define TCH_PRELOAD_OBJECT "tacho-sampler.so"

/** Checks whether the object can be preloaded on this machine. @return 0, TACHO_EUNSUPPORTED or
 * TACHO_EIO */
int tch_preload_probe(tacho_error *err);

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
