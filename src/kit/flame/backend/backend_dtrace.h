/*
 * Runs dtrace, as two back ends do.
 */
#ifndef TCH_BACKEND_DTRACE_H
#define TCH_BACKEND_DTRACE_H

#include "backend_tool.h"

enum {
    TCH_DTRACE_CANNOT = TACHO_FLAME_ALL | TACHO_FLAME_OFF_CPU | TACHO_FLAME_PER_THREAD |
                        TACHO_FLAME_KERNEL | TACHO_FLAME_SOURCE | TACHO_FLAME_DEBUGINFOD,
};

/** Checks whether the program `dtrace` is the tracer. SystemTap has another program of that
    name. */
int tch_dtrace_works(tacho_error *err);

/** Runs the command under dtrace, which writes its stacks to `data`. */
int tch_dtrace_record(struct tch_capture *c, const char *data, tacho_error *err);

#endif
