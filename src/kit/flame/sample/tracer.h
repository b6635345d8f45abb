/*
 * Samples by ptrace(2), where perf events are forbidden. A process of its own, the tracer, starts
 * the command or attaches to a process. At each tick it stops the threads that ran since the last
 * one and run now, copies registers and stack into a sample_ring.h, and lets them continue.
 */
#ifndef TCH_TRACER_H
#define TCH_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <tacho/error.h>

#include "base/spawn.h"
#include "sample_ring.h"

struct tch_tracer_options {
    struct tch_ring_head *ring;    /**< shared memory */
    const struct tch_spawn *spawn; /**< the command; NULL: attach to pid */
    pid_t pid;
    bool tree; /**< and to the children that it has already */
};

/**
 * Starts the tracer, a child of the calling thread. It exits after the command, whose status is
 * then in the ring, or when we are killed; without a command, when the ring says stop. The calling
 * thread must not exit before it.
 *
 * @param ret  its pid
 * @return 0, TACHO_EIO: the command cannot be run; TACHO_EUNSUPPORTED: tracing is not allowed;
 *         TACHO_EINVAL: there is no such process; TACHO_ENOMEM
 */
int tch_tracer_start(const struct tch_tracer_options *o, pid_t *ret, tacho_error *err);

/** Tries to trace a child of ours that does nothing. @return 0 or TACHO_EUNSUPPORTED */
int tch_tracer_probe(tacho_error *err);

/** Threads that were attached to. */
struct tch_tids {
    pid_t *list;
    size_t count;
    size_t cap;
};

/** Runs the tracer in this process until it is done: of the command, or, if that is 0, of the
    threads. */
_Noreturn void tch_tracer_loop(const struct tch_tracer_options *o, pid_t command,
                               const struct tch_tids *threads);

/** Says why a process could not be traced, with what to do. `number` is the errno. */
int tch_tracer_refused(pid_t pid, int number, tacho_error *err);

/** The options that every traced thread gets. */
extern const long tch_tracer_flags;

#endif
