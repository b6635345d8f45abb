/*
 * Decides on which machines and for which programs the preloaded sampler works.
 */
#ifndef TCH_PRELOAD_FIT_H
#define TCH_PRELOAD_FIT_H

#include <tacho/error.h>

#define TCH_PRELOAD_OBJECT "tacho-sampler.so"

/** Checks whether the object can be preloaded on this machine. @return 0, TACHO_EUNSUPPORTED or
 * TACHO_EIO */
int tch_preload_probe(tacho_error *err);

/**
 * Checks from a program's file whether the preloaded object can sample the program. For a script it
 * checks the file of the interpreter. The object cannot sample a program if the dynamic linker does
 * not load it (static and set-uid programs), if signals are delayed (ThreadSanitizer), or if signal
 * handlers need a stack of their own (Go).
 *
 * @param program  the command, searched for on PATH
 * @param cwd      its working folder; NULL: that of this process
 * @return 0, or TACHO_EUNSUPPORTED with the reason
 */
int tch_preload_fits(const char *program, const char *cwd, tacho_error *err);

#endif
