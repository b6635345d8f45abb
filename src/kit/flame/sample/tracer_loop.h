/*
 * The loop of the tracer process.
 */
#ifndef TCH_TRACER_LOOP_H
#define TCH_TRACER_LOOP_H

#include "tracer.h"

/** The threads that the tracer has attached to. */
struct tch_tids {
    pid_t *list;
    size_t count;
    size_t cap;
};

/** Runs the tracer in this process until `command` has exited or, if that is 0, until all threads
    have or the ring says stop. */
_Noreturn void tch_tracer_loop(const struct tch_tracer_options *o, pid_t command,
                               const struct tch_tids *threads);

#endif
