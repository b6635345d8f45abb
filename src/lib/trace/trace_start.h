/*
 * Starts traces that an environment variable asks for, and those of forked children.
 */
#ifndef TCH_TRACE_START_H
#define TCH_TRACE_START_H

#include "trace_recorder.h"

/** Makes the recording of a child that does not have one yet. Returns false on failure. The lock
    must be held. */
bool tch_trace_make_waiting(void);

/** Starts the trace that an environment variable requests, at the first event of ferrum's format
    when no variable requested one at load: a program may set the variable in main(). Takes the
    lock. */
void tch_trace_first_push(void);

/** Leaves a file to another writer: stops a trace to it that an environment variable started, if
    nothing was recorded. Returns TACHO_EALREADY when this process records to it. `path` must be
    absolute. Takes the lock. */
int tch_trace_make_way(const char *path, tacho_error *err);

#endif
